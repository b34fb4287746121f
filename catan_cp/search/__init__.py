"""Boards that satisfy rules (one, all or the best), and conflicts of rules."""
