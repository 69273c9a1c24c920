"""Where a command stands among others: whether it runs at all, and what the line's status tells."""

from collections.abc import Iterator, Sequence
from enum import IntEnum
from typing import NamedTuple

from tree_sitter import Node

_QUOTING = frozenset({"string", "heredoc_body"})
_SUBSTITUTIONS = frozenset({"command_substitution", "process_substitution"})
_SEQUENCES = _SUBSTITUTIONS | {"do_group", "compound_statement", "subshell", "pipeline"}
"""Nodes that hold one command after another: their status is that of the last."""

_DECIDING = frozenset(
    {"if_statement", "elif_clause", "while_statement", "negated_command", "function_definition"}
)
"""Nodes that do not fail because of what decides in them, or is not run yet."""

_MARKS = frozenset({";", "\n", "comment", ")", "}", "done", "`"})
"""What may stand behind the last command; behind `&` it is not waited for."""


_BRANCHES = frozenset({("case_statement", "case_item"), ("while_statement", "do_group")})


class Runs(IntEnum):
    """Whether a command runs when its line does."""

    SURELY = 0
    AFTER_SUCCESS = 1
    """Behind `&&`: it ran if the line ended well."""
    AFTER_ANOTHER = 2
    """Behind `&&`, where the line may end well though what stands before it failed."""
    PERHAPS = 3
    """Behind `||`, or in a branch."""


class NodePlace(NamedTuple):
    """Where a node stands.

    `piped` says that it reads what another command writes; `quoted` that it stands in quoted text;
    `doubtful` that it may be no command; `silent` that the line may end well though it fails;
    `subshells` in which it stands, by where they begin, the outermost first.
    """

    piped: bool = False
    quoted: bool = False
    doubtful: bool = False
    runs: Runs = Runs.SURELY
    silent: bool = False
    subshells: tuple[int, ...] = ()

    def perhaps(self) -> "NodePlace":
        """The same place, where nothing tells whether it is reached."""
        return self._replace(runs=Runs.PERHAPS, silent=True)


OUTERMOST = NodePlace()


def within(node: Node, place: NodePlace, raw: bytes) -> Iterator[tuple[Node, NodePlace]]:
    """The children of a node, and where each stands."""
    children = node.children
    place = place._replace(quoted=place.quoted or node.type in _QUOTING)
    if node.type in _SUBSTITUTIONS:
        ticked = raw[node.start_byte : node.start_byte + 1] == b"`"
        place = place._replace(doubtful=place.doubtful or (place.quoted and ticked), silent=True)
    if node.type in _SUBSTITUTIONS or node.type == "subshell":
        place = place._replace(subshells=(*place.subshells, node.start_byte))
    last = last_statement([child.type for child in children])
    branched = False
    for index, child in enumerate(children):
        before = children[index - 1].type if index else ""
        passed_on = index == 0 and node.type in ("redirected_statement", "pipeline")
        here = place._replace(piped=before in ("|", "|&") or (place.piped and passed_on))
        if before == "&&":
            after = Runs.AFTER_ANOTHER if place.silent else Runs.AFTER_SUCCESS
            here = here._replace(runs=max(place.runs, after))
        elif before == "||" or branched or (node.type, child.type) in _BRANCHES:
            here = here.perhaps()
        elif _is_silent(node, child, earlier=index < last):
            here = here._replace(silent=True)
        if node.type == "pipeline" and child.type == "command":
            here = here._replace(subshells=(*here.subshells, child.start_byte))
        branched = branched or child.type == "then"
        yield child, here


def last_statement(types: Sequence[str]) -> int:
    """Index of the last of some statements, by their types and those of the marks between them."""
    ends = (index for index in range(len(types) - 1, -1, -1) if types[index] not in _MARKS)
    return next(ends, 0)


def _is_silent(node: Node, child: Node, *, earlier: bool) -> bool:
    """Whether a child may fail, and the node does not."""
    if node.type == "list":
        return any(each.type == "||" for each in node.children)
    if node.type == "pipeline" and child.type == "redirected_statement":
        # The grammar takes `a && b 2>&1 | c` for `{ a && b; } 2>&1 | c`.
        return earlier and child.children[0].type != "list"
    return (earlier and node.type in _SEQUENCES) or node.type in _DECIDING
