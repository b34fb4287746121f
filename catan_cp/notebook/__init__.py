"""Panels for notebooks."""
