"""Plots as asset metadata: SVG written by hand, as an image within markdown.

The Dagster UI shows markdown of fewer than 1,000 characters in place, and what is longer behind a
link: so marks are few and terse, one path for all that have a colour.
"""

import base64
from collections.abc import Sequence
from html import escape

import dagster as dg
import polars as pl

NOISE = "#c4c8cf"
COLOURS = ("#2563eb", "#d97706", "#059669", "#db2777", "#7c3aed", "#0891b2", "#65a30d", "#dc2626")
MAP_WIDTH, MAP_HEIGHT, EDGE = 720, 480, 10
MOST_POINTS = 5000


def histogram(values: pl.Series, title: str) -> dg.MarkdownMetadataValue:
    """Columns over ten equal parts of 0 to 1, each with its count."""
    tenths = (values * 10).floor().clip(0, 9)
    counts = [int((tenths == n).sum()) for n in range(10)]
    most = max(counts) or 1
    tall = [round(90 * count / most) for count in counts]
    shape = "".join(f"M{2 + 32 * n} 110v-{t}h28v{t}z" for n, t in enumerate(tall) if t)
    marks = [f'<path fill="{COLOURS[0]}" d="{shape}"/>']
    marks += [
        f'<text x="{2 + 32 * n}" y="{105 - t}">{count}</text>'
        for n, (count, t) in enumerate(zip(counts, tall, strict=True))
        if count
    ]
    marks += [
        f'<text x="{x}" y="124">{label}</text>' for x, label in ((0, 0), (154, 0.5), (312, 1))
    ]
    return _image(title, marks, 322, 128)


def bars(counts: pl.DataFrame, title: str) -> dg.MarkdownMetadataValue:
    """Rows of a label and a count, the longest bar first."""
    label, count = counts.columns
    rows = list(counts.sort(count, label, descending=[True, False]).iter_rows())
    most = max((n for _, n in rows), default=0) or 1
    long = [round(200 * n / most) for _, n in rows]
    shape = "".join(f"M115 {4 + 18 * at}h{wide}v14h-{wide}z" for at, wide in enumerate(long))
    words = "".join(
        f'<text y="{15 + 18 * at}">{n} {escape(str(name))}</text>'
        for at, (name, n) in enumerate(rows)
    )
    marks = [f'<path fill="{COLOURS[0]}" d="{shape}"/>', words]
    return _image(title, marks, 320, 8 + 18 * len(rows))


def scatter(points: pl.DataFrame, title: str) -> dg.MarkdownMetadataValue:
    """A map of rows x, y and group (null for noise); of very many, an even share is drawn."""
    drawn = points.gather_every(max(1, -(-points.height // MOST_POINTS))).select(
        x=_scaled("x", MAP_WIDTH), y=MAP_HEIGHT - _scaled("y", MAP_HEIGHT), group="group"
    )
    marks = [
        f'<path stroke="{NOISE if group is None else COLOURS[n % len(COLOURS)]}" d="'
        + "".join(f"M{x} {y}h0" for x, y in own.select("x", "y").iter_rows())
        + '"/>'
        for n, ((group,), own) in enumerate(sorted(drawn.group_by("group"), key=_noise_first))
    ]
    circles = '<g stroke-width="7" stroke-linecap="round" fill="none">'
    return _image(title, [circles, *marks, "</g>"], MAP_WIDTH, MAP_HEIGHT)


def table(frame: pl.DataFrame) -> dg.TableMetadataValue:
    """A small frame as a table; its columns are told, for it may have no rows."""
    kinds: dict[object, str] = {pl.Int64: "int", pl.Float64: "float", pl.Boolean: "bool"}
    columns = [
        dg.TableColumn(name, kinds.get(type(kind), "string")) for name, kind in frame.schema.items()
    ]
    return dg.MetadataValue.table(
        [dg.TableRecord(row) for row in frame.iter_rows(named=True)],
        schema=dg.TableSchema(columns),
    )


def _noise_first(item: tuple[tuple[object, ...], pl.DataFrame]) -> tuple[bool, str]:
    (group,), _ = item
    return group is not None, str(group)


def _scaled(name: str, length: int) -> pl.Expr:
    column = pl.col(name)
    span = column.max() - column.min()
    share = pl.when(span > 0).then((column - column.min()) / span).otherwise(0.5)
    return (EDGE + share * (length - 2 * EDGE)).round().cast(pl.Int64)


def _image(title: str, marks: Sequence[str], width: int, height: int) -> dg.MarkdownMetadataValue:
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"'
        f' style="font:11px Arial">{"".join(marks)}</svg>'
    )
    data = base64.b64encode(svg.encode()).decode()
    return dg.MetadataValue.md(f"![{title}](data:image/svg+xml;base64,{data})")
