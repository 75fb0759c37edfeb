"""A run: the plan, the engine that carries it out, and its pace."""
