"""Tournaments: who sits where in which round, one even map a round, and the sheets to print."""

from catan_cp.tournament.planning import Round, Tournament, plan_tournament

__all__ = ["Round", "Tournament", "plan_tournament"]
