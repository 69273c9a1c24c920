"""Facts of one template: "Build 123 took 45 seconds", twenty thousand times with other numbers.

Where each of two statements has a number that the other lacks, words never say that they are the
same or that one denies the other: literals must be equal. So of a template only those pairs are
compared that can tell something, and what is left out are pairs of which nothing but a number is
known to differ. Otherwise pairs of a template grow with the square of its facts, and bury all else.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise, product
from typing import NamedTuple

import polars as pl

GROUP = ["namespace", "entity_id", "comparable"]
"""Facts about one entity that say one kind of thing."""

_WORD = "[0-9a-z_-]*[0-9][0-9a-z_-]*"
_PLACE = rf"(?-u:\b)[a-f]{{7,40}}(?-u:\b)|{_WORD}(?:[.,:/]{_WORD})*"
"""What a template has a place for: a word with a digit, or several (`1.2.3`), or a hash."""

_NUMBER = re.compile(r"\b[a-f]{7,40}\b|[0-9a-z_]*[0-9][0-9a-z_,]*", re.ASCII)
_PLAIN = re.compile("v?0*([0-9]+)[a-z]*")

MORE = 2
"""Most numbers that one statement may have more than another that it is compared with."""


class TemplatePairs(NamedTuple):
    """Facts of templates, and with whom they are compared beside facts without any number."""

    members: pl.DataFrame
    """namespace, fact_id."""
    pairs: pl.DataFrame
    """namespace, left, right (fact ids, left < right); each once."""
    left_out: pl.DataFrame
    """Columns of GROUP, facts of its templates, and the pairs of them that are not compared."""


def numbered() -> pl.Expr:
    """Whether the content of a fact has a place for a number."""
    return pl.col("content").str.to_lowercase().str.contains(_PLACE)


def template_pairs(facts: pl.DataFrame, size: int) -> TemplatePairs:
    """With which other facts with numbers those of templates are compared.

    More than `size` facts of one group are a template if their contents are the same but for words
    with digits. One of these meets:

    - those of which one has all numbers of the other, and at most MORE others: "Build 123 passed";
    - of its template, the next one above and below that differs in one place alone: the value
      before and the value behind.

    Where more than `size` facts of templates have the same numbers, each meets the next one of
    these alone. So the pairs grow with the facts, and depend on nothing but the facts of the group.
    `facts` has the columns of GROUP, fact_id and content; `size` is `Policy.template_size`.
    """
    known = (
        facts.select(*GROUP, "fact_id", said=pl.col("content").str.to_lowercase())
        .drop_nulls("comparable")
        .filter(pl.len().over(GROUP) > size)
        .filter(pl.col("said").str.contains(_PLACE))
        .with_columns(template=pl.col("said").str.replace_all(_PLACE, "0"))
        .with_columns(templated=pl.len().over(*GROUP, "template") > size)
        .filter(pl.col("templated").any().over(GROUP))
        # Each is compared with the next in this order, whatever the order of arrival.
        .sort(*GROUP, "template", "said", "fact_id")
    )
    found: list[tuple[str, str, str]] = []
    left_out: list[tuple[object, ...]] = []
    for group, own in known.group_by(GROUP, maintain_order=True):
        ids, templated = own["fact_id"].to_list(), own["templated"].to_list()
        pairs = {
            (min(one, two), max(one, two))
            for one, two in _compared(own, size)
            if one != two and (templated[one] or templated[two])
        }
        found += ((str(group[0]), *sorted((ids[one], ids[two]))) for one, two in pairs)
        many, others = sum(templated), len(templated) - sum(templated)
        left_out.append((*group, many, many * (many - 1) // 2 + many * others - len(pairs)))
    text = pl.String()
    return TemplatePairs(
        known.filter("templated").select("namespace", "fact_id"),
        pl.DataFrame(
            found, schema=dict.fromkeys(("namespace", "left", "right"), text), orient="row"
        ),
        pl.DataFrame(
            left_out,
            schema={**dict.fromkeys(GROUP, text), "facts": pl.Int64, "pairs": pl.Int64},
            orient="row",
        ),
    )


def _compared(facts: pl.DataFrame, size: int) -> Iterator[tuple[int, int]]:
    """Places of facts of one group that are compared; some of them twice."""
    numbers = [numbers_of(said) for said in facts["said"]]
    yield from _sharing(numbers, facts["templated"].to_list(), size)
    start = 0
    for _, members in facts.group_by("template", maintain_order=True):
        places = members["said"].str.extract_all(_PLACE).to_list()
        if len(places) > size:
            yield from ((start + one, start + two) for one, two in _next(places))
        start += len(places)


def numbers_of(said: str) -> tuple[str, ...]:
    """Numbers and the like in a text of small letters, sorted: 12 of `0012`, `12s` and `v12`."""
    words = (word.replace(",", "") for word in _NUMBER.findall(said))
    return tuple(sorted(plain[1] if (plain := _PLAIN.fullmatch(word)) else word for word in words))


def _sharing(
    numbers: Sequence[tuple[str, ...]], templated: Sequence[bool], size: int
) -> Iterator[tuple[int, int]]:
    """Facts of templates with those that have the same numbers, and with such as have some more."""
    holders: dict[tuple[str, ...], list[int]] = {}
    for row, own in enumerate(numbers):
        holders.setdefault(own, []).append(row)
    few = {
        own: chosen
        for own, rows in holders.items()
        if len(chosen := [row for row in rows if templated[row]]) <= size
    }
    lengths = {len(own) for own in holders}
    for own, rows in holders.items():
        yield from product(few[own], rows) if own in few else pairwise(rows)
        for fewer in lengths.intersection(range(max(len(own) - MORE, 1), len(own))):
            for part in few.keys() & set(combinations(own, fewer)):
                yield from product(few[part], rows)
                yield from product(holders[part], few.get(own, ()))


def _next(places: Sequence[Sequence[str]]) -> Iterator[tuple[int, int]]:
    """Facts of one template that differ in one place, and in that are next to each other."""
    for place in range(len(places[0])):
        others: dict[tuple[str, ...], list[int]] = {}
        for row, own in enumerate(places):
            others.setdefault((*own[:place], *own[place + 1 :]), []).append(row)
        for rows in others.values():
            # By length first: 9 before 10.
            rows.sort(key=lambda row, at=place: (len(places[row][at]), places[row][at]))
            yield from pairwise(rows)
