"""Boards: pieces, hexagon geometry, layouts, boards and their notation."""
