"""Which folders are checkouts of one repository: one project, whatever they are called."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import combinations, pairwise
from typing import Any

import polars as pl

from cairn.knowledge.extraction.rules.entities import project_name
from cairn.knowledge.nlp.names import is_kept_by_tool
from cairn.knowledge.practices.places.checkouts import FILE, LAYOUT, PROJECT
from cairn.knowledge.practices.places.folders import is_whole, normal, under
from cairn.knowledge.practices.places.repositories import REMOTE, TOP, WORKTREE
from cairn.knowledge.schema.tables import PROJECTS

ITSELF, TREE = "itself", "tree"

FEWEST_SHARED = 5
"""Files deep in both trees, for two folders of one name to be one repository."""
SHARE = 0.2
"""Of the files that were seen in the one of which fewer are known, those in both."""

_NEVER = datetime.max.replace(tzinfo=UTC)

_WORKTREES = re.compile(r"(?:^|/)\.?(?:wts?|worktrees?)/(?P<name>[^/]+)(?:/[^/]+)?$")
"""A worktree in a folder of them, `wt/shop/tax` or `wt/shop-tax`: which begins as its repository is
called, or is in a folder that is."""


@dataclass
class _Folder:
    """What is known of a folder, over all conversations."""

    remotes: set[str] = field(default_factory=set[str])
    files: set[str] = field(default_factory=set[str])
    conversations: set[str] = field(default_factory=set[str])
    seen: list[datetime] = field(default_factory=list[datetime])
    top: bool = False
    linked: bool = False
    """Whether it is a worktree of another folder."""


class _Joined:
    """Folders, each with the group that it is in."""

    def __init__(self, known: Mapping[str, _Folder]) -> None:
        self._known = known
        self._groups = {folder: folder for folder in known}
        self._after: list[tuple[str, dict[str, str]]] = []

    def groups(self) -> dict[str, list[str]]:
        """The folders of each group, in order."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        for folder, group in sorted(self._groups.items()):
            found[group].append(folder)
        return dict(found)

    def remotes(self, folders: Iterable[str]) -> set[str]:
        """Remotes of some folders."""
        return {remote for folder in folders for remote in self._known[folder].remotes}

    def join(self, pairs: Iterable[tuple[str, str]], why: str) -> None:
        """Joins all that the pairs connect, and nothing of it if that has several remotes."""
        near: defaultdict[str, set[str]] = defaultdict(set)
        for one, other in pairs:
            a, b = self._groups[one], self._groups[other]
            near[a].add(b)
            near[b].add(a)
        groups = self.groups()
        left = set(near)
        while left:
            component, waiting = set[str](), [min(left)]
            while waiting:
                group = waiting.pop()
                if group not in component:
                    component.add(group)
                    waiting += near[group]
            left -= component
            folders = [folder for group in component for folder in groups[group]]
            if len(component) > 1 and len(self.remotes(folders)) <= 1:
                self._groups |= dict.fromkeys(folders, min(component))
        self._after.append((why, dict(self._groups)))

    def why(self, folder: str, other: str) -> str:
        """The first evidence that brought two folders of a group together."""
        return next(why for why, groups in self._after if groups[folder] == groups[other])


def projects(checkouts: pl.DataFrame) -> pl.DataFrame:
    """The project of each folder: one for all checkouts and worktrees of a repository.

    They are joined, the strongest first, by what git said of worktrees, by paths that say so, by
    the same remote, and by their files if they are called alike too. Never are folders with
    different remotes, nor one within the other unless it is a worktree of it or has its remote.
    """
    rows: list[dict[str, Any]] = []
    for (namespace,), own in sorted(checkouts.group_by("namespace")):
        rows += ({"namespace": namespace, **row} for row in _of_namespace(own))
    return PROJECTS.frame(rows)


def in_projects(rows: pl.DataFrame, projects: pl.DataFrame) -> pl.DataFrame:
    """Rows with a column `project` that is a folder: with the folder that stands for all of them.

    Args:
        rows: namespace, project, and any others; `folder` and `path` are told from the checkout.
        projects: The table PROJECTS.
    """
    known = projects.select("namespace", "folder", stands="project", inside_="inside")
    placed = rows.with_columns(
        folder_=pl.col("project").str.replace_all("\\", "/", literal=True)
    ).join(
        known, left_on=["namespace", "folder_"], right_on=["namespace", "folder"], how="left",
        maintain_order="left",
    )  # fmt: skip
    further = pl.col("inside_").fill_null("")
    deeper = [
        pl.when(further == "")
        .then(name)
        .otherwise((further + "/" + pl.col(name)).str.strip_chars_end("/"))
        for name in ("folder", "path")
        if name in rows.columns
    ]
    return placed.with_columns(pl.coalesce("stands", "project").alias("project"), *deeper).drop(
        "stands", "folder_", "inside_"
    )


def projects_by(checkouts: pl.DataFrame, moment: datetime) -> pl.DataFrame:
    """PROJECTS as they were known at a moment."""
    return projects(checkouts.filter((pl.col("occurred_at") <= moment).fill_null(value=True)))


def names_of(project: str, projects: pl.DataFrame) -> set[str]:
    """What a project is called in its folders, where no other is called the same."""
    worked_on = projects.filter(pl.col("conversations") > 0).select("folder", "name").rows()
    others = {project_name(folder).casefold() for folder, name in worked_on if name != project}
    own = {project_name(folder).casefold() for folder, name in worked_on if name == project}
    return {project.casefold(), project.rsplit("/", 1)[-1].casefold()} | (own - others)


def naming(projects: pl.DataFrame) -> Callable[[str], str]:
    """How the project of a folder is called, known or not."""
    known = dict(projects.select("folder", "name").iter_rows())
    return lambda folder: known.get(folder) or project_name(folder)


def projects_at(place: str, projects: pl.DataFrame) -> list[str]:
    """The names of the projects that a path, or a folder by its name, may mean.

    `place` is a path from the root or the home folder, or a name.
    """
    known = projects.select("folder", "name").rows()
    if not is_whole(place):
        return sorted({name for folder, name in known if project_name(folder) == place})
    at = normal(place)
    within = [(len(folder), name) for folder, name in known if under(at, folder)]
    return [max(within)[1]] if within else []


def _of_namespace(checkouts: pl.DataFrame) -> Iterator[dict[str, Any]]:
    known, links = _known(checkouts)
    joined = _Joined(known)
    for evidence in (WORKTREE, LAYOUT):
        joined.join(links[evidence], evidence)
    joined.join(_by_remote(known), REMOTE)
    joined.join(_kept_by_tools(joined), LAYOUT)
    joined.join(_in_worktrees(joined), LAYOUT)
    joined.join(_by_files(known), TREE)
    groups: dict[str, tuple[str | None, list[str]]] = {}
    inside: dict[str, str] = {}
    for folders in joined.groups().values():
        remotes = joined.remotes(folders)
        remote = min(remotes) if len(remotes) == 1 else None
        inside |= _inside(folders, known)
        ranks = {
            folder: (
                known[folder].linked,
                bool(inside[folder]),
                *_rank(folder, known[folder], remote),
            )
            for folder in folders
        }
        project = min(folders, key=ranks.__getitem__)
        groups[project] = remote, folders
    called = _called({project: remote for project, (remote, _) in groups.items()})
    for project, (remote, folders) in groups.items():
        for folder in folders:
            own = known[folder]
            yield {
                "folder": folder,
                "project": project,
                "name": called[project],
                "remote": remote,
                "inside": inside[folder],
                "evidence": ITSELF if folder == project else joined.why(folder, project),
                "conversations": len(own.conversations),
                "first_seen": min(own.seen, default=None),
            }


def _called(remotes: Mapping[str, str | None]) -> dict[str, str]:
    """The name of each project, by its remote where another of its name has another one."""
    same: defaultdict[str, set[str]] = defaultdict(set)
    for project, remote in remotes.items():
        if remote:
            same[project_name(project).casefold()].add(remote)
    named: dict[str, str] = {}
    for project, remote in remotes.items():
        others = same[project_name(project).casefold()]
        shorts = [other.split("/")[-2:] for other in others]
        named[project] = project_name(project)
        if remote and len(others) > 1:
            short = remote.split("/")[-2:]
            named[project] = "/".join(short) if shorts.count(short) == 1 else remote
    return named


def _known(checkouts: pl.DataFrame) -> tuple[dict[str, _Folder], dict[str, set[tuple[str, str]]]]:
    known: defaultdict[str, _Folder] = defaultdict(_Folder)
    links: dict[str, set[tuple[str, str]]] = {WORKTREE: set(), LAYOUT: set()}
    for row in checkouts.sort("conversation_id", "folder", "evidence", "value").iter_rows(
        named=True
    ):
        own, evidence = known[row["folder"]], row["evidence"]
        if row["occurred_at"] is not None:
            own.seen.append(row["occurred_at"])
        if evidence == PROJECT:
            own.conversations.add(row["conversation_id"])
        elif evidence == FILE:
            own.files.add(row["value"])
        elif evidence == REMOTE:
            own.remotes.add(row["value"])
        elif evidence == TOP:
            own.top = True
        elif evidence in links:
            links[evidence].add((row["folder"], row["value"]))
            own.linked = own.top = True
            main = known[row["value"]]
            main.top = True
            if row["occurred_at"] is not None:
                main.seen.append(row["occurred_at"])
    return dict(known), links


def _by_remote(known: Mapping[str, _Folder]) -> Iterator[tuple[str, str]]:
    """Folders of one remote, where a checkout of it surely begins there, and those within one."""
    by_remote: defaultdict[str, list[str]] = defaultdict(list)
    for folder, own in sorted(known.items()):
        # One that had several was used for several, or the remote was moved: nothing is sure.
        if len(own.remotes) == 1:
            by_remote[next(iter(own.remotes))].append(folder)
    for remote, folders in by_remote.items():
        begin = {
            folder
            for folder in folders
            if known[folder].top or _called_as(folder, remote) or _WORKTREES.search(folder)
        }
        for pair in combinations(folders, 2):
            if begin.issuperset(pair) or _nested(*pair):
                yield pair


def _inside(folders: Sequence[str], known: Mapping[str, _Folder]) -> dict[str, str]:
    """Where each folder of a project is in the checkout that it is a part of; else empty."""
    found: dict[str, str] = {}
    for folder in sorted(folders, key=len):
        around = max((one for one in found if under(folder, one)), key=len, default=None)
        own = known[folder]
        begins = own.top or own.linked or is_kept_by_tool(folder)
        if (
            around is None
            or begins
            or (_WORKTREES.search(folder) and not _WORKTREES.search(around))
        ):
            found[folder] = ""
        else:
            found[folder] = f"{found[around]}/{folder[len(around) :].strip('/')}".strip("/")
    return found


def _called_as(folder: str, remote: str) -> bool:
    """Whether a folder is called as its repository, with something behind it at most.

    `~/src/shop-2` is a checkout of `shop`, while `~/src/shop/shop-web` and `~/src/shop/web` may be
    folders of one.
    """
    *above, name = folder.casefold().split("/")
    repository = remote.rsplit("/", 1)[-1]
    same = re.match(rf"{re.escape(repository)}(?:$|[-._]|\d+$)", name) is not None
    return same and repository not in above


def _nested(one: str, other: str) -> bool:
    return under(one, other) or under(other, one)


def _kept_by_tools(joined: _Joined) -> Iterator[tuple[str, str]]:
    """Worktrees that agents keep in the home folder, with the only other project of their name."""
    groups = joined.groups()
    kept: defaultdict[str, list[str]] = defaultdict(list)
    others: defaultdict[str, set[str]] = defaultdict(set)
    for group, folders in groups.items():
        for folder in folders:
            if is_kept_by_tool(folder):
                kept[project_name(folder)].append(folder)
            elif not all(map(is_kept_by_tool, folders)):
                others[project_name(folder)].add(group)
    for name, folders in kept.items():
        homes = others[name]
        if len(homes) <= 1:
            all_of = [*folders, *homes]
            yield from pairwise(all_of)


def _in_worktrees(joined: _Joined) -> Iterator[tuple[str, str]]:
    """Worktrees in a folder of them, with the project that they are called as.

    Of several that is the one beside that folder: `src/wt/shop-tax` is of `src/shop`.
    """
    groups = joined.groups()
    homes: defaultdict[str, dict[str, str]] = defaultdict(dict)
    places: dict[str, tuple[re.Match[str], str]] = {}
    for group, folders in groups.items():
        for folder in folders:
            if is_kept_by_tool(folder):
                continue
            if place := _WORKTREES.search(folder):
                places[folder] = place, group
            else:
                homes[project_name(folder).casefold()][folder] = group
    for folder, (place, group) in places.items():
        called = place["name"].casefold()
        alike = [name for name in homes if re.match(rf"{re.escape(name)}(?:$|[-._])", called)]
        those = homes[max(alike, key=len)] if alike else {}
        around = folder[: place.start()]
        near = {home for other, home in those.items() if other.rpartition("/")[0] == around}
        meant = near or set(those.values())
        if len(meant) == 1 and group not in meant:
            home = next(iter(meant))
            if len(joined.remotes([*groups[group], *groups[home]])) <= 1:
                yield folder, home


def _by_files(known: Mapping[str, _Folder]) -> Iterator[tuple[str, str]]:
    """Folders of one name, with the same files deep in them."""
    by_name: defaultdict[str, list[str]] = defaultdict(list)
    for folder, own in sorted(known.items()):
        if len(own.files) >= FEWEST_SHARED:
            by_name[project_name(folder).casefold()].append(folder)
    for folders in by_name.values():
        for one, other in combinations(folders, 2):
            a, b = known[one].files, known[other].files
            if len(a & b) >= max(FEWEST_SHARED, SHARE * min(len(a), len(b))) and not _nested(
                one, other
            ):
                yield one, other


def _rank(folder: str, own: _Folder, remote: str | None) -> tuple[object, ...]:
    """Which folder stands for a project: no worktree, called as the repository, the oldest."""
    repository = remote.rsplit("/", 1)[-1] if remote else None
    return (
        is_kept_by_tool(folder) or _WORKTREES.search(folder) is not None,
        repository is not None and project_name(folder).casefold() != repository,
        not own.conversations,
        min(own.seen, default=_NEVER),
        len(folder),
        folder,
    )
