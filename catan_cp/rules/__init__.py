"""Rules for boards, their checks in plain Python, custom constraints and patterns."""
