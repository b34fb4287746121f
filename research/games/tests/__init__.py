"""Tests of the studies of games."""
