"""A trial of the chances to win on finished games of people."""
