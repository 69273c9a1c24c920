"""What many calls and requests together tell of a project: forms, versions, ports, wishes."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import polars as pl

from cairn.knowledge.practices.counted import Bearer, CountedFact
from cairn.knowledge.practices.message_forms import Form, branch_form, message_form
from cairn.knowledge.practices.observed import (
    branches,
    commits,
    ports,
    requests,
    systems,
    versions,
)

MIN_CONVERSATIONS = 2
"""Conversations that bear out a form, a port, a service, a main branch or a system."""
SHARE_OF_ONE = 0.8
"""Of the conversations that tell a system, or a main branch, those that tell this one."""
MIN_SIGNED, SHARE_SIGNED = 5, 0.9
"""Commits that carry a trailer, and of all whose message is known, for it to be asked of them."""

FEWEST_ASKED, FEWEST_DAYS = 2, 2
"""Conversations in which something is asked for, and their days, for it to be how somebody works.
"""

COMMIT_FORM, COMMIT_TRAILER, BRANCH_FORM = "commit_form", "commit_trailer", "branch_form"


class _Told(NamedTuple):
    """One row of OBSERVATIONS."""

    name: str
    value: str | None
    rule: str
    bearer: Bearer


def conventions(observations: pl.DataFrame) -> list[CountedFact]:
    """Facts of one project, from its rows of OBSERVATIONS in any order."""
    columns = ["kind", "name", "value", "rule", "conversation_id", "occurred_at", "record_id"]
    ordered = observations.sort(
        "occurred_at", "conversation_id", "seq", "record_id", "place", nulls_last=False
    )
    of_kind: defaultdict[str, list[_Told]] = defaultdict(list)
    for kind, name, value, rule, *bearer in ordered.select(columns).iter_rows():
        of_kind[kind].append(_Told(name, value, rule, Bearer(*bearer)))
    return [
        *_versions(of_kind[versions.KIND]),
        *_of_form(COMMIT_FORM, of_kind[commits.KIND], message_form),
        *_trailers(of_kind[commits.KIND]),
        *_of_form(BRANCH_FORM, _own(of_kind[branches.KIND]), branch_form),
        *_only(branches.MAIN_KIND, of_kind[branches.MAIN_KIND]),
        *_remote(of_kind[branches.REMOTE_KIND]),
        *_repeated(ports.KIND, of_kind[ports.KIND]),
        *_repeated(ports.SERVICE_KIND, of_kind[ports.SERVICE_KIND]),
        *_requests(of_kind[requests.KIND]),
        *_only(systems.KIND, _one_linux(of_kind[systems.KIND])),
    ]


def _versions(told: Sequence[_Told]) -> Iterator[CountedFact]:
    """Of each language and tool the latest version; an older one is replaced."""
    for name, own in _by(told, "name").items():
        current = versions.latest([(each.rule, each.value or "") for each in own])
        seen = _bearers(each for each in own if each.value == current)
        yield CountedFact(versions.KIND, name, current, seen, _conversations(own))


def _of_form(
    kind: str, told: Sequence[_Told], form_of: Callable[[Sequence[str]], Form | None]
) -> Iterator[CountedFact]:
    """The form of the most first lines, or branches. One that comes again counts once."""
    form = form_of([each.name for each in told])
    if form is None:
        return
    seen = _bearers(each for each in told if each.name in form.members)
    if len(seen) >= MIN_CONVERSATIONS:
        every = _conversations(told)
        having = len(form.members)
        yield CountedFact(kind, form.text, form.types, seen, every, having, form.among)


def _own(told: Sequence[_Told]) -> list[_Told]:
    """Branches that were worked on here; those that a log shows as merged may be of others."""
    return [each for each in told if each.rule != commits.LOGGED]


def _trailers(told: Sequence[_Told]) -> Iterator[CountedFact]:
    """Trailers that nearly all commits have whose messages are known."""
    known = {each.name: each for each in told if each.value is not None}
    carried: defaultdict[str, list[_Told]] = defaultdict(list)
    for each in known.values():
        for trailer in filter(None, (each.value or "").split(", ")):
            carried[trailer].append(each)
    for trailer, own in sorted(carried.items()):
        seen = _bearers(own)
        enough = len(own) >= max(MIN_SIGNED, SHARE_SIGNED * len(known))
        if enough and len(seen) >= MIN_CONVERSATIONS:
            every = _conversations(known.values())
            yield CountedFact(COMMIT_TRAILER, trailer, None, seen, every, len(own), len(known))


def _only(kind: str, told: Sequence[_Told]) -> Iterator[CountedFact]:
    """What nearly all conversations tell that tell any."""
    every = _conversations(told)
    for name, own in _by(told, "name").items():
        seen = _bearers(own)
        if len(seen) >= max(MIN_CONVERSATIONS, SHARE_OF_ONE * every):
            yield CountedFact(kind, name, None, seen, every)


def _one_linux(told: Sequence[_Told]) -> list[_Told]:
    """Systems, where Linux is WSL if a conversation told so."""
    names = {each.name for each in told}
    if not {systems.LINUX, systems.WSL} <= names:
        return list(told)
    return [
        each._replace(name=systems.WSL) if each.name == systems.LINUX else each for each in told
    ]


def _remote(told: Sequence[_Told]) -> Iterator[CountedFact]:
    """Where the repository is kept: of each name that git calls it by, the latest."""
    for called, own in _by(told, "value").items():
        current = own[-1].name
        seen = _bearers(each for each in own if each.name == current)
        yield CountedFact(branches.REMOTE_KIND, current, called, seen, _conversations(own))


def _repeated(kind: str, told: Sequence[_Told]) -> Iterator[CountedFact]:
    """Ports and services that several conversations use, with the latest word on what they are."""
    every = _conversations(told)
    for name, own in _by(told, "name").items():
        seen = _bearers(own)
        if len(seen) >= MIN_CONVERSATIONS:
            values = [each.value for each in own if each.value]
            yield CountedFact(kind, name, values[-1] if values else None, seen, every)


def _requests(told: Sequence[_Told]) -> Iterator[CountedFact]:
    """What is asked for in session after session, by its most common wording.

    A long message that comes again word for word is pasted, and asks for it once.
    """
    every = _conversations(told)
    of_key: defaultdict[tuple[str, str], list[_Told]] = defaultdict(list)
    for each in told:
        of_key[requests.request_key(each.name)].append(each)
    for _, own in sorted(of_key.items()):
        seen = _bearers({each.value or each.bearer.conversation: each for each in own}.values())
        days = {each.at.date() for each in seen if each.at is not None}
        if len(seen) >= FEWEST_ASKED and len(days) >= FEWEST_DAYS:
            often = Counter(each.name for each in own)
            name = min(often, key=lambda phrase: (-often[phrase], len(phrase), phrase))
            yield CountedFact(requests.KIND, name, None, seen, every)


def _by(told: Sequence[_Told], field: str) -> dict[str, list[_Told]]:
    """Rows by a field of theirs, in the order of its values."""
    found: defaultdict[str, list[_Told]] = defaultdict(list)
    for each in told:
        found[getattr(each, field) or ""].append(each)
    return dict(sorted(found.items()))


def _bearers(told: Iterable[_Told]) -> list[Bearer]:
    """The conversations that tell it, each with the last time; rows are in the order of time."""
    return list({each.bearer.conversation: each.bearer for each in told}.values())


def _conversations(told: Iterable[_Told]) -> int:
    return len({each.bearer.conversation for each in told})
