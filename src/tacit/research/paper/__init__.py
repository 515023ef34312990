"""The 2015 paper: its published numbers and the code that reproduces each table and figure."""
