"""Which boards are allowed: the rules, in plain English, in plain Python, and as data for the models."""
