r"""Decision diagrams of d4: all models, and exactly uniform samples.

The diagram is in decomposable negation normal form and deterministic. A node is "and" (its children have no
variable in common), "or" (no model satisfies two children), "true" or "false". Each arc has literals that are
true below it. A shown variable that neither a node nor an arc mentions is free.

An example: variable 1 decides. If it is true, variable 2 is true. Otherwise variable 2 is free.

>>> diagram = ClauseDiagram("o 1 0\nt 2 0\n1 2 1 2 0\n1 2 -1 0\n", {1, 2})
>>> diagram.n_models
3
>>> sorted(map(sorted, diagram.models()))
[[], [1, 2], [2]]
"""

import random
from collections.abc import Iterable, Iterator
from math import prod

_Arc = tuple[int, int, int]
"""A child, the shown variables of the arc to it, and those of them that are true, as bits of two numbers."""


class ClauseDiagram:
    """A decision diagram, with the models of its shown variables.

    Sets of variables are numbers, of which each bit stands for a variable.

    Args:
        text: the diagram as d4 writes it.
        shown: the shown variables.

    Attributes:
        n_models: the number of models.
    """

    def __init__(self, text: str, shown: Iterable[int]) -> None:
        self._shown = sorted(shown)
        bits = {variable: 1 << place for place, variable in enumerate(self._shown)}
        self._kinds, self._arcs = dict[int, str](), dict[int, list[_Arc]]()
        for words in filter(None, map(str.split, text.splitlines())):
            if words[0] in ("o", "a", "t", "f"):
                self._kinds[int(words[1])], self._arcs[int(words[1])] = words[0], []
            else:
                literals = [literal for literal in map(int, words[2:-1]) if abs(literal) in bits]
                fixed = sum(bits[abs(literal)] for literal in literals)
                true = sum(bits[literal] for literal in literals if literal > 0)
                self._arcs[int(words[0])].append((int(words[1]), fixed, true))
        self._seen, self._counts, self._all = dict[int, int](), dict[int, int](), (1 << len(bits)) - 1
        for node in self._upwards(1):
            self._measure(node)
        self.n_models = self._counts[1] << self._free(1, self._all).bit_count()

    def _upwards(self, root: int) -> Iterator[int]:
        """Yield the nodes below *root*, children first."""
        known, stack = set[int](), [(root, False)]
        while stack:
            node, is_done = stack.pop()
            if is_done:
                yield node
            elif node not in known:
                known.add(node)
                stack.append((node, True))
                stack.extend((child, False) for child, _, _ in self._arcs[node])

    def _measure(self, node: int) -> None:
        """Store the shown variables below a node, and the number of their assignments."""
        variables = 0
        for child, fixed, _ in self._arcs[node]:
            variables |= self._seen[child] | fixed
        self._seen[node] = variables
        sizes = self._sizes(node)
        if self._kinds[node] == "o":
            self._counts[node] = sum(sizes)
        else:
            self._counts[node] = 0 if self._kinds[node] == "f" else prod(sizes)

    def _sizes(self, node: int) -> list[int]:
        """Return the number of assignments by which each arc of a node is true."""
        return [
            self._counts[child] << (self._free(child, self._seen[node], fixed).bit_count() if is_or else 0)
            for is_or in (self._kinds[node] == "o",)
            for child, fixed, _ in self._arcs[node]
        ]

    def _free(self, child: int, seen: int, fixed: int = 0) -> int:
        """Return the variables in *seen* that neither a child nor the arc to it mentions."""
        return seen & ~(self._seen[child] | fixed)

    def sample(self, source: random.Random) -> frozenset[int]:
        """Return the true variables of a random model. All models have the same probability."""
        true, fixed, stack = 0, 0, [1]
        while stack:
            node = stack.pop()
            arcs = self._arcs[node]
            if self._kinds[node] == "o":
                arcs = [arcs[_chosen(self._sizes(node), source)]]
            for child, more, more_true in arcs:
                fixed, true = fixed | more, true | more_true
                stack.append(child)
        return self._named(true | source.getrandbits(len(self._shown)) & self._all & ~fixed)

    def models(self) -> Iterator[frozenset[int]]:
        """Yield the true variables of each model."""
        lists = dict[int, list[int]]()
        for node in self._upwards(1):
            is_or = self._kinds[node] == "o"
            lists[node] = [] if is_or or self._kinds[node] == "f" else [0]
            for child, fixed, true in self._arcs[node]:
                part = [model | true for model in lists[child]]
                if is_or:
                    lists[node] += _with_free(part, self._free(child, self._seen[node], fixed))
                else:
                    lists[node] = [model | more for model in lists[node] for more in part]
        yield from map(self._named, _with_free(lists[1], self._free(1, self._all)))

    def _named(self, bits: int) -> frozenset[int]:
        return frozenset(variable for place, variable in enumerate(self._shown) if bits >> place & 1)


def _chosen(sizes: list[int], source: random.Random) -> int:
    """Return a random index, with probabilities in proportion to the sizes."""
    rank = source.randrange(sum(sizes))
    for index, size in enumerate(sizes):
        if rank < size:
            return index
        rank -= size
    raise AssertionError


def _with_free(models: Iterable[int], free: int) -> Iterator[int]:
    """Yield each model with each subset of the free variables."""
    for model in models:
        subset = free
        while True:
            yield model | subset
            if not subset:
                break
            subset = subset - 1 & free
