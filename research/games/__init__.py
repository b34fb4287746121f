"""Studies of simulated games. See README.md."""
