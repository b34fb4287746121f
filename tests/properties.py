"""Properties, tested on few examples in the quick run and on many in the long tests."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings


def few_and_many(few: int, many: int, *cases: Any, **options: Any) -> Callable[[Callable[..., None]], Any]:
    """Make a test of a property.

    Args:
        few: number of examples in the quick run.
        many: number of examples in the long tests.
        cases: strategies for the arguments of the property.
        options: further settings of Hypothesis.
    """

    def decorate(holds: Callable[..., None]) -> Any:
        @pytest.mark.parametrize("examples", [few, pytest.param(many, marks=pytest.mark.slow)])
        def test(examples: int) -> None:
            property_of: Any = given(*cases)(holds)
            settings(max_examples=examples, deadline=None, **options)(property_of)()

        test.__doc__ = holds.__doc__
        return test

    return decorate
