"""Boards that keep the rules: all of them, one of them, or why there is none."""
