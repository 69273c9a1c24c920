"""How first lines of commits and names of branches are formed, where most of them are alike."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

MIN_COMMITS, MIN_BRANCHES = 5, 4
"""Different commits, or branches, that it takes to tell a form."""
SHARE = 0.75
"""Of all commits, or branches, those that have the form."""
MOST_TYPES = 5
"""Types that are named beside a form."""

_TYPE_LIST = (
    "feat fix docs doc style refactor perf test tests build ci chore revert release deps security "
    "wip hotfix bugfix feature"
)
TYPES = frozenset(_TYPE_LIST.split())
"""Words that say of what kind a change is, before its first line or its branch."""

_CONVENTIONAL = re.compile(rf"({'|'.join(sorted(TYPES))})(\([^()]{{1,40}}\))?!?: \S")
_SCOPED = re.compile(r"[a-z0-9][\w.*-]*(?:/[\w.*-]+)*(?:, ?[\w./*-]+){0,3}: \S")
_AREA = re.compile(r"\[(?![A-Z][A-Z0-9]+-\d+\])[\w ./&-]{1,30}\] \S")
_TICKET = re.compile(r"\[?([A-Z][A-Z0-9]{1,9})-\d+\]?:? \S")
_TICKET_COLON = re.compile(r"\[?(?:[A-Z][A-Z0-9]{1,9}-|#)\d+\]?: ")
_ISSUE = re.compile(r"\[?#\d+\]?:? \S")
_GITMOJI = re.compile(
    r":[a-z0-9_+-]{2,40}: ?\S|[\u2600-\u27bf\u2b50\U0001f300-\U0001faff]\ufe0f? ?\S"
)
_AT_END = re.compile(r" [(\[]([A-Za-z][A-Za-z0-9]{1,15})-[A-Za-z0-9.]{1,12}[)\]]$")
"""A ticket behind the first line; `(#12)` is put there by the site that merges."""

_BRANCH_TICKET = re.compile(r"(?:[\w.-]+/)?([A-Z][A-Z0-9]{1,9})-\d+(?:$|[-_/])")
_FIRST_WORD = re.compile(r"([A-Za-z][A-Za-z0-9]*)([-_])[\w.#+-]+$")


class Form(NamedTuple):
    """How they are formed, with the types that are used, and how many have it."""

    text: str
    types: str | None
    members: frozenset[str]
    among: int


def message_form(first_lines: Sequence[str]) -> Form | None:
    """How the first lines of commits are formed; None if most of them are not alike.

    >>> message_form([f"feat: add {n}" for n in range(5)]).text
    'type: …'
    """
    every = sorted(set(first_lines))
    if len(every) < MIN_COMMITS:
        return None
    form = _most(every, _form_of_line)
    if form is None:
        return None
    members = form.members
    text, types = form.text, None
    if text == _TYPED:
        found = [match for line in members if (match := _CONVENTIONAL.match(line))]
        scoped = sum(1 for match in found if match[2])
        text = "type(scope): …" if scoped * 2 >= len(found) else "type: …"
        types = _named(match[1] for match in found)
    elif 2 * sum(1 for line in members if _TICKET_COLON.match(line)) > len(members):
        text = text.replace(" …", ": …")
    ends = Counter(match[1] for line in members if (match := _AT_END.search(line)))
    if ends and (most := max(ends.values())) >= SHARE * len(members):
        key = min(name for name, count in ends.items() if count == most)
        text = f"{text} ({key}-…)"
    return Form(text, types, members, len(every))


def branch_form(names: Sequence[str]) -> Form | None:
    """How branches are named; None if most of them are not alike.

    >>> branch_form(["feat/a", "feat/b", "fix/c", "fix/d"]).text
    'type/…'
    """
    every = sorted(set(names))
    if len(every) < MIN_BRANCHES:
        return None
    for form_of in (_ticket_of_branch, _prefix_of_branch, _type_of_branch, _word_of_branch):
        form = _most(every, form_of)
        if form is None:
            continue
        if form.text == _TYPE_OF_BRANCH:
            used = _named(name.partition("/")[0] for name in form.members)
            return form._replace(types=used)
        return form
    return None


_TYPED, _TYPE_OF_BRANCH = "type", "type/…"
_LINE_FORMS: Mapping[str, re.Pattern[str]] = {
    _TYPED: _CONVENTIONAL,
    "#123 …": _ISSUE,
    "[area] …": _AREA,
    "emoji …": _GITMOJI,
    "scope: …": _SCOPED,
}


def _form_of_line(line: str) -> str | None:
    if found := _TICKET.match(line):
        return f"[{found[1]}-123] …" if line.startswith("[") else f"{found[1]}-123 …"
    return next((name for name, form in _LINE_FORMS.items() if form.match(line)), None)


def _ticket_of_branch(name: str) -> str | None:
    found = _BRANCH_TICKET.match(name)
    return f"{'…/' if '/' in name else ''}{found[1]}-123-…" if found else None


def _prefix_of_branch(name: str) -> str | None:
    prefix, slash, _ = name.partition("/")
    return f"{prefix}/…" if slash else None


def _type_of_branch(name: str) -> str | None:
    prefix, slash, _ = name.partition("/")
    return _TYPE_OF_BRANCH if slash and prefix in TYPES else None


def _word_of_branch(name: str) -> str | None:
    found = _FIRST_WORD.match(name)
    return f"{found[1]}{found[2]}…" if found else None


def _most(every: Sequence[str], form_of: Callable[[str], str | None]) -> Form | None:
    """The form of the most of them, if that is a large share."""
    forms = {each: form_of(each) for each in every}
    counts = Counter(form for form in forms.values() if form is not None)
    text = min(counts, key=lambda form: (-counts[form], form), default=None)
    if text is None or counts[text] < SHARE * len(every):
        return None
    return Form(text, None, frozenset(e for e in every if forms[e] == text), len(every))


def _named(words: Iterable[str]) -> str:
    """The words that are used, the most used first."""
    counts = Counter(words)
    ordered = sorted(counts, key=lambda word: (-counts[word], word))
    return ", ".join(ordered[:MOST_TYPES])
