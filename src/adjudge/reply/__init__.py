"""Reading: from what a model wrote to an opinion that the judge's description allows, or the reason why not."""
