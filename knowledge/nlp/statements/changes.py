"""Sentences of change, read as what holds after them, or as what has ended.

"I moved to Oslo" says "I live in Oslo"; "The port was changed from 8080 to 9090" says "The port is
9090"; "We switched from Jenkins to Buildkite" ends "We use Jenkins". What is planned, asked or
denied changes nothing. English only.
"""

# ruff: noqa: E501  (a pattern is easier to read where it is not broken)

import re
from functools import lru_cache
from typing import NamedTuple

from cairn.knowledge.nlp.patterns import lazy_pattern

ENDED = "ended="
"""How the value of a slot begins that says no more than that another, behind it, has ended."""

STILL = "still"
"""The value of a slot that asks only whether something is so."""


class ToldChange(NamedTuple):
    """What a sentence of change says: a sentence that now holds, or one that no longer does."""

    now: str | None = None
    over: str | None = None


_WHO = r"(?P<who>i|we|the team|our team)"
_HAVE = (
    r"(?:(?:'ve|'s|have|has|had) )?(?:(?:just|now|recently|finally|already|also|all|completely|fully"
    r"|officially|since|lately|actually|eventually) )*"
)
_WHEN = (
    r"(?:,? (?:now|today|recently|finally|already|again|completely|entirely|altogether|for good|too|though"
    r"|a (?:while|week|month|year|few \w+) ago|\w+ (?:weeks?|months?|years?|days?) ago"
    r"|(?:last|this) (?:week|month|year|spring|summer|autumn|fall|winter|quarter|sprint|\w+day)"
    r"|in (?:january|february|march|april|may|june|july|august|september|october|november|december)"
    r"(?: \d{4})?|in \d{4}|yesterday|everywhere|across the board|at work|as of \w+|back in \w+)\b)*"
)
_THING = r"(?:(?:using|our|the|my|a|an) )?(?P<{}>[^\s,;:()]+(?: [^\s,;:()]+){{0,3}}?)"
_WHY = (
    r"(?:(?:,| -| —| –)? (?:because|since|as|so|due to|to (?:save|get|avoid|reduce|be|cut)|after|when"
    r"|but|and|which|where|for (?:its|the|their|my|a)|with my|last|over)\b.*)?"
)
_A, _B = _THING.format("old"), _THING.format("new")
_END = rf"{_WHEN}{_WHY}\W*$"

_UNREAL = lazy_pattern(
    r"\b(?:if|unless|whether|would|could|should|might|(?<!in )(?<!since )may (?!\d)|maybe|perhaps|probably|wish|hope|want"
    r"|wants|plan|plans|planning|going to|will|shall|consider|considering|think|thinking|thought|about to|try"
    r"|trying|tried|never|almost|nearly|didn't|did not|haven't|have not|hasn't|not yet|says?|said|told|suppose"
    r"|imagine)\b|\?|'ll\b|'d\b",
    re.IGNORECASE,
)

_TOOL_LIST = """
    vim neovim nvim emacs vscode code linux mac macos windows ubuntu debian fedora arch python rust go
    golang java kotlin typescript javascript ruby elixir postgres postgresql mysql sqlite redis docker podman
    kubernetes github gitlab git npm yarn pnpm bun deno uv poetry pip conda aws azure gcp react vue svelte
    angular django flask fastapi rails next nextjs firefox chrome safari android iphone ios notion obsidian
    slack discord teams zoom jira linear trello fish zsh bash tmux homebrew nix nixos claude chatgpt gemini
    copilot cursor zed helix pycharm intellij sublime terraform ansible jenkins vite webpack cloudflare vercel
    netlify heroku bitbucket mercurial cmake bazel ninja make graphql rest grpc kafka
"""
_TOOLS = frozenset(_TOOL_LIST.split())
"""What one moves to and does not live in."""

_PLACE = r"(?P<place>[A-Z][\w.'-]+(?:,? (?:de|la|of|upon|am|an der|the|[A-Z][\w.'-]+)){0,3})"
_MOVED = lazy_pattern(
    rf"^(?:(?P<who>I|[A-Z]\w+) )?{_HAVE}(?:moved|relocated|emigrated)(?: back| over| out| here| house)?"
    rf"(?: from [^,;]{{2,40}}?)? to (?:live in )?{_PLACE}{_END}"
)
_JOB = lazy_pattern(
    rf"^(?:(?P<who>I|[A-Z]\w+) )?{_HAVE}(?:(?:got|accepted|took|landed|have|has|started|began)(?: on)? "
    r"(?:a|the|my|an?other|his|her)(?: new| first| full-time| part-time| great)*(?: \w+)? (?:job|position|role|work)"
    r" (?:at|with)|(?:started|began)(?: working| work)? at|was hired (?:by|at)|am working at|now works? at"
    rf"|joined) {_PLACE}(?: as (?:an? )?[\w -]{{2,40}}?)?{_END}"
)
_NO_JOB = lazy_pattern(
    rf"^(?:(?:I|[A-Z]\w+) )?{_HAVE}(?:(?:quit|left|lost|resigned from) (?:my|the|his|her)(?: old)? job"
    rf"|(?:resigned|quit|was laid off|got laid off|was fired|got fired|retired))(?: (?:at|from|with) {_PLACE})?{_END}"
)
_GONE = lazy_pattern(
    rf"^(?:(?P<who>I|We|[A-Z]\w+) )?(?:no longer (?P<verb>live|work|study|lives|works|studies)"
    rf"|(?:do not|don't|does not|doesn't) (?P<verb2>live|work|study)(?= .*\b(?:any ?more|any longer)\b)) "
    rf"(?P<prep>in|at|for) {_PLACE}(?:,? any ?more| any longer)?{_END}"
)

_SET = (
    r"(?:changed|moved|switched|raised|lowered|increased|decreased|reduced|bumped|renamed|updated|upgraded"
    r"|downgraded|set|postponed|pushed(?: back)?|shifted|rescheduled|brought forward)"
)
_NOUN = r"(?P<noun>(?:the|our|my) (?:[\w'-]+ ){0,4}?[\w'-]+)"
_VALUE = r"(?P<new>[^\s,;()]+(?: [^\s,;()]+){0,3}?)"
_IS_NOW = lazy_pattern(
    rf"^{_NOUN} (?:(?:has|have|was|were|is|got|just) )?{_HAVE}(?:been )?{_SET}"
    rf"(?: from [^\s,;]+(?: [^\s,;]+){{0,3}}?)? to {_VALUE}{_END}",
    re.IGNORECASE,
)
_WE_SET = lazy_pattern(
    rf"^{_WHO} {_HAVE}{_SET} {_NOUN}(?: from [^\s,;]+(?: [^\s,;]+){{0,3}}?)? to {_VALUE}{_END}",
    re.IGNORECASE,
)
_UPGRADED = lazy_pattern(
    rf"^(?:{_WHO} )?{_HAVE}(?:upgraded|downgraded|updated|bumped|moved|switched)(?: (?P<what>[A-Za-z][\w.+-]*))?"
    rf"(?: from (?:[A-Za-z][\w.+-]* )?v?\d[\w.]*)? to (?P<same>[A-Za-z][\w.+-]* )?(?P<version>v?\d[\w.]*\w){_END}",
    re.IGNORECASE,
)
_TURNED = lazy_pattern(rf"^(?:I )?{_HAVE}turned (?P<age>\d{{1,3}}){_END}", re.IGNORECASE)

_OVER = tuple(
    lazy_pattern(pattern, re.IGNORECASE)
    for pattern in (
        rf"^(?:{_WHO} )?{_HAVE}(?:switched|moved|migrated|changed|converted|gone|went|transitioned|ported)"
        rf"(?: over| away| everything| all \w+| our \w+)?,? from {_A} (?:over )?to {_B}{_END}",
        rf"^(?:{_WHO} )?{_HAVE}(?:switched|moved|migrated|changed|gone|went) to {_B},? (?:away )?from {_A}{_END}",
        rf"^(?:{_WHO} )?{_HAVE}(?:moved|migrated|switched|got|come) (?:away from|off|off of|rid of) {_A}{_END}",
        rf"^(?:{_WHO} )?{_HAVE}(?:dropped|ditched|abandoned|retired|sunset|deprecated|phased out|scrapped|gave up"
        rf"|given up)(?: on)? {_A}(?:,? (?:in favou?r of|for|and (?:now )?use|and (?:switched|moved) to) {_B})?{_END}",
        rf"^(?:{_WHO} )?{_HAVE}(?:replaced|swapped(?: out)?) {_A} (?:with|by|for) {_B}{_END}",
        rf"^{_A} (?:(?:is|are|was|were|has been|have been|got) )?(?:now )?(?:replaced by|superseded by) {_B}{_END}",
        rf"^(?:{_WHO} )?{_HAVE}(?:stopped|quit) using {_A}{_END}",
        rf"^(?:{_WHO} )?(?:no longer uses?|(?:do not|don't|does not|doesn't) use) {_A}(?:,? any ?more| any longer)"
        rf"?{_END}",
        rf"^{_A} (?:is|are) (?:now )?(?:deprecated|obsolete|history|dead|gone|retired|no longer used|off the table)"
        rf" (?:for us|here|at our \w+|in our \w+|in this \w+|on our \w+){_END}",
        rf"^(?:{_WHO} )?(?:please )?(?:now )?use {_B} (?:now )?(?:instead of|rather than) {_A}{_END}",
    )
)
_DENIED_NOW = lazy_pattern(r"\b(?:don't|do not|doesn't|does not) use\b", re.IGNORECASE)
_ANY_MORE = lazy_pattern(r"\bany ?more\b|\bany longer\b|\bno longer\b", re.IGNORECASE)
_TRAILING = lazy_pattern(
    r" (?:(?:any ?more|any longer|now|instead|at all)|(?:for|in|on|at|with|across|as|to|when|of) .*)$",
    re.IGNORECASE,
)
_USES = lazy_pattern(
    r"^(?:(?:i|we|the team|our team) )?(?:(?:now|still|always|mostly|mainly|currently|generally|also|only|usually"
    r"|normally|have|'ve|all) )*(?:uses?|using|rely on|relies on|adopted|standardi[sz]ed on) "
    r"(?P<thing>[^,;:()]{2,60})$",
    re.IGNORECASE,
)
_DETERMINERS = lazy_pattern(r"^(?:(?:the|our|my|a|an|plain|good old) )+", re.IGNORECASE)
_NOT_A_THING = lazy_pattern(
    r"\b(?:it|this|that|them|these|those|one|ones|both|all|something|anything|everything|nothing|same|and|or|not"
    r"|too|\w+ing)\b",
    re.IGNORECASE,
)
MOST_CHARACTERS = 200


@lru_cache(maxsize=65_536)
def told_change(plain: str) -> ToldChange | None:
    """What a sentence of change says; None if it is none.

    Args:
        plain: The sentence, without what leads up to it and the mark at its end.
    """
    plain = _spelled_out(plain)
    if len(plain) > MOST_CHARACTERS or "\n" in plain:
        return None
    if _UNREAL.search(plain):
        return None
    who = "I"
    if (moved := _MOVED.match(plain)) and not _is_tool(moved["place"]):
        return ToldChange(now=f"{who} live in {moved['place']}")
    if job := _JOB.match(plain):
        return ToldChange(now=f"{who} work at {job['place']}")
    if lost := _NO_JOB.match(plain):
        return ToldChange(over=f"{who} work at {lost['place'] or ''}")
    if gone := _GONE.match(plain):
        verb = (gone["verb"] or gone["verb2"]).removesuffix("s")
        return ToldChange(over=f"{who} {verb} {gone['prep']} {gone['place']}")
    if turned := _TURNED.match(plain):
        return ToldChange(now=f"I am {turned['age']} years old")
    if upgraded := _UPGRADED.match(plain):
        what = (upgraded["what"] or upgraded["same"] or "").strip()
        if what and what.lower() not in _NO_TOOL:
            return ToldChange(now=f"We use {what} {upgraded['version']}")
    for pattern in _OVER:
        if found := pattern.match(plain):
            denied = _DENIED_NOW.search(plain) and not _ANY_MORE.search(plain)
            thing = _thing(found["old"])
            return None if denied or thing is None else ToldChange(over=f"We use {thing}")
    for pattern in (_IS_NOW, _WE_SET):
        if found := pattern.match(plain):
            return ToldChange(now=f"{found['noun']} is {found['new']}")
    return None


def _spelled_out(plain: str) -> str:
    return plain.replace("’", "'").replace("'ve ", " have ")


_NO_TOOL = frozenset({"it", "them", "everything", "the", "us", "me", "over", "back", "up", "down"})


def _is_tool(place: str) -> bool:
    return place.split(maxsplit=1)[0].rstrip(".,").casefold() in _TOOLS or bool(
        re.search(r"\d|[a-z][A-Z]", place)
    )


def _thing(written: str) -> str | None:
    """What is used, by its name alone; None if it only points to something."""
    named = _DETERMINERS.sub("", _TRAILING.sub("", written.strip()))
    return None if not named or named[0].isdigit() or _NOT_A_THING.search(named) else named


@lru_cache(maxsize=65_536)
def thing_in_use(plain: str) -> str | None:
    """What a sentence says somebody uses ("We use Jenkins for releases"); None if nothing."""
    plain = _spelled_out(plain)
    if len(plain) > MOST_CHARACTERS or _UNREAL.search(plain):
        return None
    found = _USES.match(_TRAILING.sub("", plain))
    return _thing(found["thing"]) if found else None
