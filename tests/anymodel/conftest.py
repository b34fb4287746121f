"""Machines without a counter, or with nothing else."""

import pytest


@pytest.fixture
def no_counter(monkeypatch):
    """The extra count is not installed."""
    monkeypatch.setattr("catan_cp.anymodel.counters.find_spec", lambda name: None)


@pytest.fixture
def only_counters(monkeypatch):
    """No solver lists."""
    monkeypatch.setattr("catan_cp.anymodel.models.AUTO", ())
