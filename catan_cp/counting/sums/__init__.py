"""Counts of markers under rules on vertex sums, for which decision diagrams are too large."""
