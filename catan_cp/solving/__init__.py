"""The only room that talks to MiniZinc: find it, bring it, compile a model, stream its solutions."""
