"""Benchmarks that report each figure as a ratio to a compared method in the same run."""
