"""What a declaration does not say counts can do, they do not do."""

from dataclasses import replace
from functools import partial
from types import MappingProxyType

import pytest

from catan_cp import (
    CatanError,
    InvalidRules,
    Rules,
    count_boards,
    count_terrain,
    is_countable,
    sample_terrain,
)
from catan_cp.counting.kept import forget
from catan_cp.counting.marker_limits import marker_limits
from catan_cp.rules import declared


@pytest.fixture
def uncounted(monkeypatch):
    """Take a rule's restrictions away, as if its author had forgotten them."""
    forget()

    def take(field):
        rules = {**declared.RULES, field: replace(declared.RULES[field], counts=None)}
        monkeypatch.setattr(declared, "RULES", MappingProxyType(rules))

    yield take
    forget()


@pytest.mark.parametrize(
    ("field", "value"), [("desert", "coast"), ("gold_inland", True), ("terrain_cluster_max", 1)]
)
def test_a_terrain_rule_without_restrictions_is_not_counted(uncounted, field, value):
    rules = Rules(**{field: value})
    assert is_countable(rules)
    uncounted(field)
    assert not is_countable(rules)
    assert is_countable("open")
    for ask in (count_terrain, partial(sample_terrain, 1), count_boards):
        with pytest.raises(CatanError, match=f"not these .{field}"):
            ask(rules)


def test_a_marker_rule_without_restrictions_is_not_counted(uncounted):
    from catan_cp import LAYOUTS

    rules = Rules(reds_apart=True)
    assert marker_limits(rules, LAYOUTS["base"]) is not None
    uncounted("reds_apart")
    assert marker_limits(rules, LAYOUTS["base"]) is None
    with pytest.raises(InvalidRules, match="exact counts know only some rules about markers"):
        count_boards(rules)
