"""What an edit of a configuration takes away from the checks that it sets."""

import re
from collections.abc import Iterable, Sequence

from cairn.knowledge.dialogue.shortcuts.commands import (
    LINTERS,
    TESTERS,
    Weakening,
    checks_of,
    of_setting,
)
from cairn.knowledge.dialogue.shortcuts.files import is_check_config
from cairn.knowledge.dialogue.shortcuts.tests import LONGEST_LINE, lines_of
from cairn.knowledge.nlp.patterns import lazy_pattern

_LEVEL_OFF = lazy_pattern(
    r"(?i)[\"'](?:off|warn|warning|none|silent|allow)[\"']|:\s*\[?\s*0\s*[,\]]|[:=]\s*[\"']?(?:off|warn|warning|allow|none|silent|never|manual)[\"']?\s*,?\s*$"
    r"|Enabled:\s*false"
)
_LEAVES_OUT = lazy_pattern(
    r"(?i)(?:^|[<\"'\s_.-])(?!transform|watchPath|modulePath)(?:\w*[-_])?(?:ignor\w*|exclu(?!sion)\w*|skip\w*|disable\w*|omit|suppress\w*|deselect\w*|norecursedirs|collect_ignore\w*|filterwarnings"
    r"|per-file-\w*|allow(?:list|_[\w-]+)?|invert\w*|baseline\w*|except|nowarn|noWarn|(?!transform|watch|module)\w+Ignore(?:Patterns|s|Files)?|grepInvert"
    r"|retr(?:y|ies)|reruns|default-filter|passWithNoTests|allowFailures?)\b[\"']?\s*(?:[:=>]|\((?!group)|$)|^\W*-?\s*if:\s*(?:\$\{\{\s*)?false|\bwhen:\s*(?:manual|never)"
)
_SWITCHED_OFF = lazy_pattern(
    r"(?i)\b(?:no\w*|strict\w*|check\w*|warn_\w+|disallow_\w+|fail\w*|enabled?|required|recommended|verify\w*|report\w*|xfail_strict|allWarningsAsErrors|warningsAsErrors"
    r"|TreatWarningsAsErrors)[\"']?\s*[:=>]\s*[\"']?(?:false|off|no|none|0)\b"
)
_LIMIT = lazy_pattern(
    r"(?i)(?:max|min|limit|threshold|line[-_]length|complexity|lines|branches|functions|statements|fail|warnings|coverage|diff|tolerance|target|budget|mutation|size|score)"
    r"[\w-]*[\"']?\s*[:=]\s*\[?[^\d\n]{0,12}\d"
)
_OWN_LIMIT = lazy_pattern(
    r"(?i)\b(?:line[-_]length|[\w-]*complexity|branches|functions|statements|max-[\w-]+|fail_under|[\w-]*threshold)[\"']?\s*[:=]\s*\d"
)
"""A limit of a check by its own name, where a file sets other things, too."""

_ITEM = lazy_pattern(r"^(?:-\s|[\"'])")
_STRENGTH = lazy_pattern(
    r"(?i)-W(?:error|all|extra)\b|warnings[-_]as[-_]errors|\bstrict|\b(?:extend-)?select\b|[\"']?error\b|\bdeny\b|\bforbid\b|\brequired?\b|\bfail|\bwarn_\w|\bdisallow_|\bplugins?\b|\brecommended\b|\bextends\b|\benable\w*"
    r"|^\W*(?:id|hook|linters?|rules?|uses|os|needs)\b\s*[:=]|^\W*[\"']?no-[\w/-]+[\"']?\s*:|\btestpaths\b|\binclude\b|\btestMatch\b|\btest_\w+\b"
)
_DEPENDENCY = lazy_pattern(
    r"^\W*[\w@/.\[\]-]+[\"']?\s*(?:[:=]\s*|\s*)(?:\{\s*version\s*=\s*)?[\"']?\s*(?:[~^<>=!]=?|==|workspace:|v)?\s*\d+(?:\.[\w*x+-]+)+[\"'\s},]*$"
    r"|^\W*[\w.-]+(?:\[[\w,-]+\])?\s*(?:[~<>=!]=|[<>])\s*\d|^\W*(?:rev|version|tag|node-version|python-version|uses|-?\s*image|name|description|require[sd]?(?:-python)?|target-version)[\"']?\s*[:=]"
)
_CHECK_KEY = lazy_pattern(
    r"(?i)[\"']?(?:[\w-]+[:_-])*(?:tests?|lint|checks?|typecheck|type-check|types|e2e|verify|audit|validate|coverage|spec|ci|pre-commit|pre-push|pretest|posttest)(?:[:_-][\w-]+)*[\"']?\s*[:=]\s*(.*)"
)
_NOTHING = lazy_pattern(
    r"^[\"'\s]*(?:exit\s+0|true|:|echo\b[^&|;]*|node\s+-e\s+\W*\W*|)\s*[\"',\s]*$"
)
_CALLED = lazy_pattern(r"[\w.-]+")
_NAMED = (LINTERS | TESTERS) - {"test"}
_COMMENT = lazy_pattern(r"^(?:#|//|/\*|\*|<!--|;)")


def weakened(path: str, old: str, new: str) -> str | None:
    """The kind of shortcut that a change of a configuration is; None if it takes nothing away.

    `old` is empty where it is not known.
    """
    before, after = lines_of(old), lines_of(new)
    gone, added = (_settings(lines) for lines in (before - after, after - before))
    plain = [line for line in added if not _COMMENT.match(line)]
    if options := _options(added) - _options(gone):
        return min(one.kind for one in options)
    if any(_stands_for_nothing(line) for line in added):
        return "tests_disabled"
    if any(line.startswith("-") and line[1:].strip() in gone for line in added):
        return "failure_ignored"
    if dropped := _checks(gone) - _checks(added):
        return "tests_disabled" if dropped & TESTERS else "check_silenced"
    listed = is_check_config(path) and any(map(_LEAVES_OUT.search, before & after))
    if any(_leaves_out(line, gone) or (listed and _ITEM.match(line)) for line in plain):
        return "tests_disabled" if _of_tests(path) else "check_silenced"
    if any(_SWITCHED_OFF.search(line) or _is_off(path, line, gone) for line in plain):
        return "check_silenced"
    limit = _LIMIT if is_check_config(path) else _OWN_LIMIT
    if any(map(limit.search, gone)):
        return "expectation_edited"
    kept = set(_CALLED.findall(" ".join(plain)))
    strong = [line for line in gone if _STRENGTH.search(line) and not _weak(line)]
    lost = [line for line in strong if set(_CALLED.findall(line)) - kept]
    return "check_silenced" if lost and (is_check_config(path) or _of_checks(lost)) else None


def _settings(lines: Iterable[str]) -> list[str]:
    cut = (line[:LONGEST_LINE] for line in lines)
    return [line for line in cut if not _DEPENDENCY.search(line)]


def _leaves_out(line: str, gone: Sequence[str]) -> bool:
    return _LEAVES_OUT.search(line) is not None and _more(line, gone)


def _options(lines: Iterable[str]) -> set[Weakening]:
    return {one for line in lines for one in of_setting(line)}


def _stands_for_nothing(line: str) -> bool:
    key = _CHECK_KEY.fullmatch(line)
    return bool(key and key[1].strip() not in ("", "{", "[", "|", ">") and _NOTHING.match(key[1]))


def _checks(lines: Iterable[str]) -> set[str]:
    """Checks that some lines run; comments run none."""
    told = [line for line in lines if not _COMMENT.match(line)]
    named = {word for line in told for word in _CALLED.findall(line) if word in _NAMED}
    return named.union(*map(checks_of, told))


def _more(line: str, gone: Sequence[str]) -> bool:
    """Whether a line that leaves something out says more than those that it replaces."""
    before = set(_CALLED.findall(" ".join(gone)))
    return bool(set(_CALLED.findall(line)) - before)


def _is_off(path: str, line: str, gone: Sequence[str]) -> bool:
    return bool(_LEVEL_OFF.search(line)) and is_check_config(path) and _more(line, gone)


def _weak(line: str) -> bool:
    return bool(_LEVEL_OFF.search(line) or _SWITCHED_OFF.search(line) or _LEAVES_OUT.search(line))


def _of_tests(path: str) -> bool:
    name = path.rsplit("/", 1)[-1].lower()
    return bool(re.search("test|jest|playwright|cypress|rspec|mocha|karma|tox|nox", name))


def _of_checks(lines: Iterable[str]) -> bool:
    return any(
        re.search(
            r"(?i)-W(?:error|all|extra)\b|warnings[-_]as[-_]errors|\bstrict|\bselect\b|\bwarn_|\bdisallow_|\bdeny\b|\bforbid\b|\bfail_under",
            line,
        )
        for line in lines
    )
