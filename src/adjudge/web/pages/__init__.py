"""The pages, a module for each subject; each has its ROUTES."""
