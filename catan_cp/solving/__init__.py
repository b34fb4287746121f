"""The only room that talks to MiniZinc: find it, bring it, run it, stream from it."""
