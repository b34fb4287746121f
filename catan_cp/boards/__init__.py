"""What a board is: pieces, hexagons, layouts, boards and their notation."""
