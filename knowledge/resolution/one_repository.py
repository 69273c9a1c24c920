"""Files and projects that are one because their folders are checkouts of one repository."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import combinations

import polars as pl

from cairn.knowledge.extraction.rules.entities import project_name
from cairn.knowledge.nlp.names import canonical, worktree_place

ONE_FILE, ONE_PROJECT = "one_file", "one_project"

_PAIRS = {
    "namespace": pl.String(), "left": pl.String(), "right": pl.String(), "rule": pl.String()
}  # fmt: skip


def of_one_repository(entities: pl.DataFrame, projects: pl.DataFrame) -> pl.DataFrame:
    """Pairs of files at the same place of one repository, and of names of one project.

    A name that folders of several projects have joins none.

    Returns:
        namespace, left, right, rule.
    """
    stands: defaultdict[str, dict[str, str]] = defaultdict(dict)
    whole = projects.filter(pl.col("inside") == "")
    for namespace, folder, project in whole.select("namespace", "folder", "project").iter_rows():
        stands[namespace][folder] = project
    called = _names(projects)
    same: defaultdict[tuple[str, str, str, str], list[str]] = defaultdict(list)
    there = entities.filter(pl.col("type").is_in(["path", "project"]))
    columns = ["namespace", "entity_id", "type", "name"]
    for namespace, entity, type_, name in there.select(columns).sort(columns).iter_rows():
        if type_ == "path":
            if place := _in_repository(name, stands[namespace]):
                same[namespace, ONE_FILE, *place].append(entity)
        elif project := called.get((namespace, name)):
            same[namespace, ONE_PROJECT, project, ""].append(entity)
    rows = [
        (key[0], *sorted(pair), key[1])
        for key, found in same.items()
        for pair in combinations(found, 2)
    ]
    return pl.DataFrame(rows, schema=_PAIRS, orient="row")


def _names(projects: pl.DataFrame) -> dict[tuple[str, str], str]:
    """Project by namespace and canonical name, where folders of one project only have it."""
    found: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    worked_on = projects.filter(pl.col("conversations") > 0)
    for namespace, folder, project in worked_on.select(
        "namespace", "folder", "project"
    ).iter_rows():
        for place in (folder, project):
            found[namespace, canonical(project_name(place), "project")].add(project)
    return {name: min(own) for name, own in found.items() if len(own) == 1}


def _in_repository(path: str, stands: Mapping[str, str]) -> tuple[str, str] | None:
    """The project of a path, and where it stands in it; None if no folder of it is known."""
    place = path.replace("\\", "/").rstrip("/")
    root = next((folder for folder in _above(place) if folder in stands), None)
    if root is None:
        return None
    inside = place[len(root) + 1 :]
    other = worktree_place(place)
    if other and other.repository == root:
        inside = place[other.end + 1 :]
    return (stands[root], inside) if inside else None


def _above(place: str) -> Iterator[str]:
    """The folders above a path, from the innermost."""
    while "/" in place:
        place = place.rsplit("/", 1)[0]
        if place:
            yield place
