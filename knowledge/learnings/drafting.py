"""What all drafts share: names made neutral, commands as people write them, tags, quotes."""

import re
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from cairn.knowledge.dialogue.hearsay import Hearsay
from cairn.knowledge.dialogue.retries import file_names
from cairn.knowledge.dialogue.sentences import Sentence
from cairn.knowledge.dialogue.shortcuts.shortcuts import shortcut
from cairn.knowledge.dialogue.tool_calls import ToolStep
from cairn.knowledge.dialogue.trust import AGENT, OUTCOME, PERSON
from cairn.knowledge.dialogue.turns import Turn
from cairn.knowledge.learnings.categories import Signal
from cairn.knowledge.learnings.draft import Draft, Factors
from cairn.knowledge.learnings.quotes import QuoteSpan, quotes, shorten
from cairn.knowledge.nlp.text import STOP_WORDS, words

LANGUAGES = {
    "py": "python", "ex": "elixir", "exs": "elixir", "heex": "elixir", "js": "javascript",
    "ts": "typescript", "tsx": "typescript", "rs": "rust", "go": "go", "rb": "ruby", "java": "java",
    "sh": "shell", "css": "css", "sql": "sql", "toml": "toml", "yml": "yaml", "yaml": "yaml",
    "c": "c", "cpp": "c++", "swift": "swift", "kt": "kotlin", "php": "php", "cs": "c#",
}  # fmt: skip
FEWEST_TAGS, MOST_TAGS = 3, 10
COMMAND_SHOWN = 120
PLACEHOLDER = "<name>"

_REDIRECT = re.compile(r"\s*(?:\d?>&?\d?\s*(?:/dev/null|\d)|\|\s*(?:head|tail)\b[^|;&]*)\s*$")
_MESSAGE = re.compile(r"""(\s(?:-\w*m|--message))[ =]("\$\(cat .*?\)"|"[^"]*"|'[^']*')""")
_FOLDER = re.compile(r"^cd\s+\S+\s*&&\s*")
_LONG_PATH = re.compile(r"(?<![\w:.])/[\w.@+-]+(?:/[\w.@+-]+){2,}")


class Scene:
    """What the drafts of one conversation share: its project's names and the requests in it."""

    def __init__(self, turns: Sequence[Turn], hearsay: Hearsay) -> None:
        self.hearsay = hearsay
        project = next((turn.project for turn in turns if turn.project), None) or ""
        self.folder = PurePosixPath(project).name
        parts = re.split(r"[-_.]", self.folder)
        self.names = {part for part in [self.folder, *parts] if len(part) > 3}
        self.requests = [t for t in turns if t.kind == "message" and t.origin == "human"]

    def neutral(self, text: str) -> str:
        """Text in which a folder's name that is no word of its own stands as a placeholder."""
        if not re.search(r"[-_\d]", self.folder):
            return text
        return re.sub(rf"(?<![\w/-]){re.escape(self.folder)}(?![\w/-])", PLACEHOLDER, text)

    def trust(self, said: Sentence, beside: Sentence | None, *, seen: bool = False) -> str:
        """Whose word a statement is.

        Args:
            said: The statement.
            beside: What else it says: its reason, or its way out.
            seen: Whether what was done about it was seen to work.
        """
        if said.turn.origin == "human":
            return PERSON
        texts = [said.plain, *([beside.plain] if beside else [])]
        known = self.hearsay.trust(said.turn, *texts)
        return OUTCOME if seen and known is None else known or AGENT

    def request(self, seq: int) -> Sentence | None:
        """The first sentence of the last request before a place in the conversation."""
        before = [turn for turn in self.requests if turn.seq < seq and turn.text.strip()]
        if not before:
            return None
        turn = before[-1]
        start = len(turn.text) - len(turn.text.lstrip())
        line = turn.text[start:].split("\n", 1)[0][:200].rstrip()
        return Sentence(turn, start, start + len(line))


def shown(step: ToolStep, limit: int = COMMAND_SHOWN) -> str:
    """A command as people would write it: no folder change, no redirection, short paths."""
    command = " ".join(step.command[:4000].split())
    command = _FOLDER.sub("", command)
    command = _MESSAGE.sub(r"\1 '…'", command).replace(" 2>&1", "")
    while (cut := _REDIRECT.sub("", command)) != command:
        command = cut
    command = _LONG_PATH.sub(lambda path: PurePosixPath(path[0]).name, command)
    return shorten(command.replace("`", "'"), limit)


def draft(
    signal: Signal,
    title: str,
    content: str,
    tags: Iterable[str],
    *,
    factors: Factors,
    evidence: Sequence[Turn],
    spans: Sequence[QuoteSpan],
    extractor: str,
    trust: str,
    steps: Iterable[ToolStep] = (),
) -> Draft:
    """A draft with tags, quotes, summary and time; still without a confidence.

    Args:
        signal: What spoke for it; gives the category.
        title: At most 100 characters.
        content: Labelled parts.
        tags: Known tags; more come from category and title.
        factors: Grades.
        evidence: Records that it rests on, in any order.
        spans: What is best quoted, the most telling first.
        extractor: Rule with version.
        trust: Whose word it is.
        steps: All that was done between the beginning and the end of what it tells.
    """
    linked = sorted({turn.record_id: turn for turn in evidence}.values(), key=lambda t: t.seq)
    times = [turn.occurred_at for turn in linked if turn.occurred_at]
    gist = content.split("Solution: ", 1)[-1].split("\n", 1)[0]
    return Draft(
        category=signal.category,
        title=title,
        content=content,
        tags=tags_of(signal.category, tags, title),
        factors=factors,
        evidence=[turn.record_id for turn in linked],
        quotes=quotes(spans, linked),
        summary=shorten(f"{title.rstrip('.')}. {gist}"),
        signals=[signal.name],
        extractor=extractor,
        occurred_at=max(times, default=None),
        trust=trust,
        shortcut=shortcut(steps, title, content),
    )


def last_line(text: str) -> tuple[int, int]:
    """Place of the last line that has words; of nothing where there is none."""
    end = len(text.rstrip())
    start = text.rfind("\n", 0, end) + 1
    readable = sum(letter.isascii() for letter in text[start:end])
    return (start, end) if readable * 2 > end - start else (end, end)


def labelled(*parts: tuple[str, str]) -> str:
    """Parts with their names, one a line; empty ones are left out."""
    return "\n".join(f"{name}: {text}" for name, text in parts if text)


def code_shown(code: str) -> str:
    """Lines of code within a sentence, which they end."""
    return "; ".join(f"`{line}`" for line in code.replace("`", "'").splitlines()) + "."


def listed(names: Sequence[str]) -> str:
    """The first four names, and how many more there are."""
    kept = list(names[:4])
    more = f" and {len(names) - 4} more" if len(names) > 4 else ""
    return ", ".join(kept) + more


def changed(edits: Sequence[ToolStep], about: str) -> tuple[bool, str]:
    """Whether few lines show a change, and what was changed, in words; empty without edits."""
    files = file_names(edits)
    code = [edit.added for edit in edits if edit.added]
    if not files:
        return bool(code), ""
    told = set(words(about))
    nearest = max(code, key=lambda lines: len(told & set(words(lines))), default="")
    return bool(code), f"Changed {listed(files)}{f': {code_shown(nearest)}' if code else '.'}"


def languages(files: Iterable[str]) -> list[str]:
    """Languages of files, by their suffix."""
    suffixes = (PurePosixPath(name).suffix.lstrip(".") for name in files)
    return [LANGUAGES[suffix] for suffix in suffixes if suffix in LANGUAGES]


def tags_of(category: str, given: Iterable[str], title: str) -> list[str]:
    """Three to ten tags: what was given, the category, then telling words of the title."""
    known = [re.sub(r"[^\w.+#-]+", "-", tag).strip("-.").lower() for tag in given]
    telling = [word for word in words(title) if word not in STOP_WORDS and len(word) > 3]
    longest = sorted(dict.fromkeys(telling), key=lambda word: (-len(word), word))
    tags = list(dict.fromkeys(tag for tag in [*known, category.replace("_", "-")] if tag))
    for word in longest:
        if len(tags) >= max(FEWEST_TAGS + 2, len(known) + 2):
            break
        if word not in tags:
            tags.append(word)
    for word in ("learning", "rule"):
        if len(tags) < FEWEST_TAGS:
            tags.append(word)
    return tags[:MOST_TAGS]


def stems(files: Iterable[str]) -> set[str]:
    """Names of files without suffix, where they are long enough to be names of their own."""
    return {stem for name in files if len(stem := PurePosixPath(name).stem) > 5}
