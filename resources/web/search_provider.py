"""Where searches go: an engine on the web, by litellm, or a folder of documents."""

import logging
import math
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, Protocol

from cairn.knowledge.ingest.inbox_events.searches import FoundPage
from cairn.knowledge.nlp.text import STOP_WORDS, words
from cairn.resources.home.settings import ConfigError, Settings

logger = logging.getLogger(__name__)

FOLDER = "folder:"
SUFFIXES = (".md", ".markdown", ".txt")
LONGEST_TEXT = 4_000
"""Characters of a result that are kept."""
LONGEST_FILE = 5_000_000
"""Bytes; a larger file is no document."""
PASSAGE = 1_500
"""Characters of a passage of a document, which is what a folder finds."""
FIRST_DELAY = 0.5
"""Seconds before the second try; each further one waits twice as long."""
LONGEST_DELAY = 60.0


_ASKING = frozenset({
    "overview", "explained", "work", "best", "practice", "common", "problem", "alternative",
    "compared", "case", "latest", "release", "cost", "licence", "news", "since",
})  # fmt: skip
"""Words by which something is asked about, and which do not tell what."""


class SearchOutcome(NamedTuple):
    """What a search brought; none is an answer too."""

    results: Sequence[FoundPage]
    seconds: float


class Failed(NamedTuple):
    """Why a search brought no answer. Holds no text of the provider's."""

    reason: str
    at_once: bool
    """Whether no other search can fare better now: a key or an address is wrong."""


class SearchProvider(Protocol):
    """Finds text for a query."""

    @property
    def name(self) -> str:
        """What it is called in receipts."""
        ...

    def search(self, query: str) -> SearchOutcome | Failed:
        """At most as many results as the settings say, the best first."""
        ...


def search_provider(settings: Settings) -> SearchProvider | None:
    """The provider that is set; None if there is none.

    Raises:
        ConfigError: the folder is none, or litellm knows no such provider.
    """
    named = settings.search_provider
    if named is None:
        return None
    if named.startswith(FOLDER):
        return Folder(Path(named.removeprefix(FOLDER)).expanduser(), settings.search_results)
    return SearchEngine(named, settings)


class SearchEngine:
    """A search engine, asked through litellm."""

    def __init__(
        self, name: str, settings: Settings, pause: Callable[[float], None] = time.sleep
    ) -> None:
        from cairn.resources.llm import provider

        if name not in (known := provider.search_providers()):
            raise ConfigError(
                f"search_provider: {name}: no such provider; there is {', '.join(known)}, "
                "and folder:PATH"
            )
        self.name = name
        self._settings = settings
        self._pause = pause

    def search(self, query: str) -> SearchOutcome | Failed:
        """Asks the engine, again where that may help."""
        from cairn.resources.llm import provider

        settings, start = self._settings, time.perf_counter()
        tries = settings.search_max_retries + 1
        for number in range(1, tries + 1):
            came = provider.search(
                self.name,
                query,
                most=settings.search_results,
                base=settings.search_base,
                timeout=settings.search_timeout,
            )
            if not isinstance(came, provider.Trouble):
                results = [_kept(one) for one in came[: settings.search_results]]
                return SearchOutcome(results, time.perf_counter() - start)
            logger.info("%s: %s, try %d of %d", self.name, came.name, number, tries)
            delay = FIRST_DELAY * 2 ** (number - 1) if came.delay is None else came.delay
            if not came.again or delay > LONGEST_DELAY or number == tries:
                return Failed(came.name, came.at_once or delay > LONGEST_DELAY)
            self._pause(delay)
        return Failed("not asked", at_once=False)


def _kept(result: object) -> FoundPage:
    """A result of litellm's, as what it is: text from outside."""

    def text(*names: str) -> str:
        found = (getattr(result, name, None) for name in names)
        return next((one for one in found if isinstance(one, str) and one), "")

    return FoundPage(
        title=text("title")[:300],
        url=text("url") or None,
        text=text("snippet")[:LONGEST_TEXT],
        image_url=text("image_url", "img_src", "thumbnail") or None,
        date=text("date", "last_updated") or None,
    )


class Passage(NamedTuple):
    """A part of a document."""

    file: str
    number: int
    title: str
    text: str


class Folder:
    """A folder of documents, in plain text or Markdown. The same files find the same.

    Passages are ranked by BM25 (Robertson and Zaragoza, The Probabilistic Relevance Framework,
    2009) with k1 = 1.2 and b = 0.75. What has less than half of the weight of the query's words is
    not found.
    """

    K1, B = 1.2, 0.75

    def __init__(self, folder: Path, most: int) -> None:
        if not folder.is_dir():
            raise ConfigError(f"search_provider: {FOLDER}{folder}: no such folder")
        self.name = "folder"
        self._folder = folder
        self._most = most

    @cached_property
    def _passages(self) -> list[tuple[Passage, Counter[str]]]:
        root = self._folder.resolve()
        files = sorted(
            path
            for path in root.rglob("*")
            if path.suffix.lower() in SUFFIXES
            and path.is_file()
            and path.resolve().is_relative_to(root)
            and path.stat().st_size <= LONGEST_FILE
        )
        return [
            (passage, Counter(_terms(f"{passage.title} {passage.text}")))
            for path in files
            for passage in _passages(path, path.relative_to(root).as_posix())
        ]

    def search(self, query: str) -> SearchOutcome | Failed:
        """Passages with the words of a query."""
        start = time.perf_counter()
        terms = set(_terms(query))
        asked = sorted(terms - _ASKING or terms)
        every = self._passages
        mean = sum(terms.total() for _, terms in every) / max(len(every), 1)
        weights = {
            word: math.log(1 + (len(every) - there + 0.5) / (there + 0.5))
            for word in asked
            for there in [sum(word in terms for _, terms in every)]
        }
        whole = sum(weights.values())
        scored: list[tuple[float, Passage]] = []
        for passage, counts in every:
            if sum(weights[word] for word in asked if word in counts) * 2 < whole or not whole:
                continue
            norm = self.K1 * (1 - self.B + self.B * counts.total() / mean)
            score = sum(
                weights[word] * counts[word] * (self.K1 + 1) / (counts[word] + norm)
                for word in asked
            )
            scored.append((score, passage))
        scored.sort(key=lambda one: (-one[0], one[1].file, one[1].number))
        results = [
            FoundPage(one.title, f"{FOLDER}{one.file}", one.text, _picture(one.text))
            for _, one in scored[: self._most]
        ]
        return SearchOutcome(results, time.perf_counter() - start)


def _picture(text: str) -> str | None:
    """Address of the first picture in Markdown."""
    found = re.search(r"!\[[^\]]*\]\((https?://[^\s)]+)", text)
    return found[1] if found else None


def _terms(text: str) -> list[str]:
    """Words that name something, with no s of the plural."""
    return [
        word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
        for word in words(text)
        if word not in STOP_WORDS
    ]


def _passages(path: Path, file: str) -> Iterator[Passage]:
    """A document in parts of whole paragraphs."""
    text = path.read_text(encoding="utf-8", errors="replace")
    lines = [line.strip("# \t") for line in text.splitlines() if line.startswith("#")]
    title = lines[0] if lines else path.stem
    part, number = "", 0
    for paragraph in filter(None, (each.strip() for each in text.split("\n\n"))):
        if part and len(part) + len(paragraph) > PASSAGE:
            yield Passage(file, number, title, part[:LONGEST_TEXT])
            part, number = "", number + 1
        part = f"{part}\n\n{paragraph}" if part else paragraph
    if part:
        yield Passage(file, number, title, part[:LONGEST_TEXT])
