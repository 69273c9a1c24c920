"""Boxes in columns, joined by lines: where a fact comes from, what lies around an entity.

The picture is SVG of the server's making, so that it needs no script; each box is a link.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

from markupsafe import Markup

from cairn.serving.http.pages.rendering import place, printable

WIDTH, HEIGHT, DOWN, ACROSS = 220, 46, 10, 60
"""Pixels of a box, and between boxes."""
LETTERS = 31
"""Characters of a line in a box."""
MOST = 14
"""Boxes of a column; what is more is told by number."""


class Box(NamedTuple):
    """Something in the picture."""

    id: str
    text: str
    about: str
    column: int
    address: str
    """Below the namespace."""


class DrawnLine(NamedTuple):
    """What leads from one box to another, from left to right."""

    left: str
    right: str
    says: str = ""


def lineage(answer: Any) -> tuple[list[Box], list[DrawnLine]]:
    """From the lines of logs, through what was merged, to the thing and what rests on it.

    `answer` is that of the query `why`.
    """
    own = Box(answer.id, answer.text, answer.kind.replace("_", " "), 2, place(answer.id))
    boxes, lines = [own], list[DrawnLine]()
    quoted = {one.record_id: one for one in answer.quotes if one.record_id}
    for id_, one in quoted.items():
        where = f"{(one.file or '').rsplit('/', 1)[-1]}:{one.line}" if one.file else one.origin
        boxes.append(Box(id_, one.quote or id_, where or "record", 0, place(id_)))
        lines.append(DrawnLine(id_, own.id, "says"))
    about = answer.kind == "entity"
    for fact in answer.facts:
        if fact.fact_id == own.id:
            continue
        boxes.append(Box(fact.fact_id, fact.content, f"fact, {fact.status}", 3 if about else 1,
                         place(fact.fact_id)))  # fmt: skip
        lines.append(
            DrawnLine(own.id, fact.fact_id)
            if about
            else DrawnLine(fact.fact_id, own.id, "merged into it")
        )
    for learning in answer.learnings:
        id_ = learning.learning_id
        boxes.append(Box(id_, learning.title, "lesson", 3, place(id_)))
        lines.append(DrawnLine(own.id, id_, "rests on it"))
    if answer.fact:
        id_ = answer.fact.entity_id
        boxes.append(Box(id_, answer.fact.entity or id_, "about", 3, place(id_)))
        lines.append(DrawnLine(own.id, id_, "about"))
    return boxes, lines


def neighbours(answer: Any) -> tuple[list[Box], list[DrawnLine]]:
    """An entity, what it is related to, and that in turn; `answer` is that of the query `graph`."""
    depth = {node.entity_id: node.depth for node in answer.nodes}
    boxes = [
        Box(node.entity_id, node.name, node.type, node.depth, f"graph/{node.entity_id}")
        for node in answer.nodes
    ]
    lines: dict[tuple[str, str], DrawnLine] = {}
    for edge in answer.edges:
        ends = sorted((edge.source_id, edge.target_id), key=lambda id_: (depth[id_], id_))
        if depth[ends[0]] != depth[ends[1]]:
            lines.setdefault((ends[0], ends[1]), DrawnLine(ends[0], ends[1], edge.type))
    return boxes, list(lines.values())


def picture(boxes: Sequence[Box], lines: Sequence[DrawnLine], namespace: str, label: str) -> Markup:
    """The picture, of at most MOST boxes a column; nothing where there is but one box."""
    columns: dict[int, list[Box]] = defaultdict(list)
    for box in boxes:
        columns[box.column].append(box)
    if len(boxes) < 2:
        return Markup("")
    leads: dict[str, list[str]] = defaultdict(list)
    for line in lines:
        leads[line.left].append(line.right)
        leads[line.right].append(line.left)
    at: dict[str, tuple[int, int]] = {}
    drawn, told = list[Markup](), list[Markup]()
    tallest = max(min(len(column), MOST) for column in columns.values())
    for number, (_, column) in enumerate(sorted(columns.items())):
        # What belongs to a box higher up stands higher up.
        near = {
            box.id: sum(places) / len(places) if places else tallest * HEIGHT
            for box in column
            for places in [[at[one][1] for one in leads[box.id] if one in at]]
        }
        shown = sorted(column, key=lambda box: near[box.id])[:MOST]
        x = number * (WIDTH + ACROSS) + 1
        y = 1 + (tallest - len(shown)) * (HEIGHT + DOWN) // 2
        for box in shown:
            at[box.id] = (x, y)
            drawn.append(_box(box, x, y, namespace))
            y += HEIGHT + DOWN
        if len(column) > MOST:
            told.append(
                Markup('<text x="{}" y="{}" class="more">and {:,} more</text>').format(
                    x + 8, y + 6, len(column) - MOST
                )
            )
    curves = [_curve(line, at) for line in lines if line.left in at and line.right in at]
    across = len(columns) * (WIDTH + ACROSS) - ACROSS + 2
    down = tallest * (HEIGHT + DOWN) + 14
    return Markup(
        '<div class="wide" tabindex="0" role="region" aria-label="{label}"><svg class="picture"'
        ' viewBox="0 0 {w} {h}" width="{w}" height="{h}">{inside}</svg></div>'
    ).format(label=label, w=across, h=down, inside=Markup("").join([*curves, *drawn, *told]))


def _box(box: Box, x: int, y: int, namespace: str) -> Markup:
    return Markup(
        '<a href="/n/{namespace}/{address}"><title>{whole}</title>'
        '<rect x="{x}" y="{y}" width="{w}" height="{h}" rx="5"/>'
        '<text x="{left}" y="{first}">{text}</text>'
        '<text x="{left}" y="{second}" class="about">{about}</text></a>'
    ).format(
        namespace=namespace, address=box.address, whole=printable(box.text)[:500], x=x, y=y,
        w=WIDTH, h=HEIGHT, left=x + 8, first=y + 19, second=y + 36, text=_short(box.text),
        about=_short(box.about),
    )  # fmt: skip


def _curve(line: DrawnLine, at: dict[str, tuple[int, int]]) -> Markup:
    (x, y), (to_x, to_y) = at[line.left], at[line.right]
    x, y, to_y = x + WIDTH, y + HEIGHT // 2, to_y + HEIGHT // 2
    middle = (x + to_x) // 2
    return Markup('<path d="{curve}"><title>{says}</title></path>').format(
        curve=f"M{x} {y}C{middle} {y} {middle} {to_y} {to_x} {to_y}",
        says=line.says.replace("_", " "),
    )


def _short(text: str) -> str:
    line = " ".join(printable(text).split())
    return line if len(line) <= LETTERS else f"{line[: LETTERS - 1]}…"
