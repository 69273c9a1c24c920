"""Conversations with questions about them, and which turns answer each: what recall is measured by.

TREC CAsT, `trec_cast_2019_2020/`: the turns of all topics of a year are one memory. A question is
the rewrite of a turn by a person, in which nothing refers to what was said before; the turn
answers it. Rewrites that are the turn word for word are a kind of their own.

MemoryBank, `memorybank/`: the history of each person, in English and in Chinese, is a memory. The
questions are those of the set; `memorybank_relevant.json` says which turns answer them, and holds
dates and numbers alone. Questions that name a day are a kind of their own.

One half of each is for fitting: CAsT 2019, and every second person in both languages.

LoCoMo, `locomo_dev/`, where it is: three chats of two people over months, each a memory. The turns
that hold the evidence are those of the set. All is for fitting; questions without an answer are to
another memory, as it were.
"""

import json
import random
import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from cairn.assets.pending.publication import versions
from cairn.assets.records import intake
from cairn.assets.vector_index import run_vector_index
from cairn.knowledge.assembly.build import build
from cairn.knowledge.engine.stage import StageContext
from cairn.knowledge.schema.calendar import watermark
from cairn.knowledge.schema.tables import CONVERSATIONS, MEMORY, RECORDS, TABLES, VECTOR_INDEX
from cairn.resources.context import State
from cairn.resources.home.log_files import log_files
from cairn.resources.warehouse.publication import Manifest, publish

RELEVANT = Path(__file__).parent / "memorybank_relevant.json"
CAST_TOPICS = {
    "2019": "2019/data/evaluation/evaluation_topics_v1.0.json",
    "2020": "2020/2020_manual_evaluation_topics_v1.0.json",
}
CAST_REWRITES = "2019/data/evaluation/evaluation_topics_annotated_resolved_v1.0.tsv"
REWRITTEN, VERBATIM, DAY_NAMED, NO_DAY = "rewritten", "verbatim", "names a day", "names no day"
WITHOUT_ANSWER = 5
"""Category of the questions of LoCoMo that nothing answers."""
STRANGERS = 60
"""Questions without an answer that a memory of CAsT is asked, and all memories of a half of
MemoryBank together."""

_DAY = re.compile(r"(?:April|May) \d|\d+月\d+")


class Question(NamedTuple):
    """What is asked of a memory, and the native ids of the turns that answer it."""

    namespace: str
    text: str
    relevant: frozenset[str]
    kind: str


class Half(NamedTuple):
    """Memories of one set, for fitting or held out, with their questions."""

    name: str
    held_out: bool
    questions: list[Question]
    strange: list[Question]
    """Questions of another set, on which these memories have nothing."""
    others: list[Question]
    """Questions to another person, or of the other year."""


def read_halves(folder: Path) -> list[Half]:
    """The sets that are in a folder of shared data.

    Raises:
        OSError: a file of them is missing.
    """
    cast = {year: list(_cast(folder, year)) for year in CAST_TOPICS}
    spoken = {lang: _by_person(folder, lang) for lang in ("en", "cn")}
    chance = random.Random(0)
    english = [question for person in spoken["en"] for question in person]
    halves: list[Half] = []
    for year, other in (("2019", "2020"), ("2020", "2019")):
        asked = [f"cast-{year}"]
        halves.append(
            Half(
                f"CAsT {year}",
                year == "2020",
                cast[year],
                _moved(chance.sample(english, STRANGERS), asked, chance),
                _moved(chance.sample(cast[other], STRANGERS), asked, chance),
            )
        )
    for lang, name in (("en", "MemoryBank"), ("cn", "MemoryBank, Chinese")):
        for held_out in (False, True):
            people = spoken[lang][held_out::2]
            asked = [person[0].namespace for person in people]
            rest = [question for person in spoken[lang][not held_out :: 2] for question in person]
            strange = chance.sample(cast["2020" if held_out else "2019"], STRANGERS)
            halves.append(
                Half(
                    name,
                    held_out,
                    [question for person in people for question in person],
                    _moved(strange, asked, chance) if lang == "en" else [],
                    _moved(rest, asked, chance),
                )
            )
    if chats := list(_locomo(folder)):
        answered = [question for question in chats if question.relevant]
        halves.append(
            Half("LoCoMo", False, answered, [], [one for one in chats if not one.relevant])
        )
    return halves


def _locomo(folder: Path) -> Iterator[Question]:
    for path in sorted((folder / "locomo_dev").glob("*.queries.jsonl")):
        chat = path.name.partition(".")[0]
        for line in path.read_text("utf-8").splitlines():
            told = json.loads(line)
            turns = [] if told["category"] == WITHOUT_ANSWER else told["lines"]
            if turns or told["category"] == WITHOUT_ANSWER:
                relevant = frozenset(f"{chat}/{turn}" for turn in turns)
                yield Question(f"locomo-{chat}", told["query"], relevant, "asked of two people")


def _moved(
    questions: list[Question], namespaces: list[str], chance: random.Random
) -> list[Question]:
    """The same questions to other memories, which have no answer."""
    return [
        question._replace(namespace=chance.choice(namespaces), relevant=frozenset())
        for question in questions
    ]


def _cast(folder: Path, year: str) -> Iterator[Question]:
    place = folder / "trec_cast_2019_2020"
    rewrites: dict[str, str] = {}
    if year == "2019":
        lines = (place / CAST_REWRITES).read_text("utf-8").splitlines()
        rewrites = dict(line.split("\t", 1) for line in lines if "\t" in line)
    for topic in json.loads((place / CAST_TOPICS[year]).read_text("utf-8")):
        for turn in topic["turn"]:
            number = f"{topic['number']}_{turn['number']}"
            raw = turn["raw_utterance"]
            rewrite = turn.get("manual_rewritten_utterance") or rewrites.get(number) or raw
            kind = VERBATIM if _plain(rewrite) == _plain(raw) else REWRITTEN
            native = f"cast-{topic['number']}/{turn['number']}"
            yield Question(f"cast-{year}", rewrite.strip(), frozenset([native]), kind)


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def _by_person(folder: Path, lang: str) -> list[list[Question]]:
    people = json.loads((folder / f"memorybank/{lang}/memory_bank_{lang}.json").read_text("utf-8"))
    lines = (folder / f"memorybank/{lang}/probing_questions_{lang}.jsonl").read_text("utf-8")
    asked = [next(iter(json.loads(line).values())) for line in lines.splitlines()]
    labels = json.loads(RELEVANT.read_text("utf-8"))["persons"]
    found: list[list[Question]] = []
    for number, (name, texts, turns) in enumerate(zip(people, asked, labels, strict=True)):
        history = people[name]["history"]
        there = {f"{day}/{turn}" for day, said in history.items() for turn in range(len(said))}
        # The two languages differ in a few turns: a question that none of one answers is left out.
        questions = [
            Question(
                f"memorybank-{lang}-{number:02}",
                text.strip('"'),
                frozenset(f"{name}/{turn}" for turn in own if turn in there),
                DAY_NAMED if _DAY.search(text) else NO_DAY,
            )
            for text, own in zip(texts, turns, strict=True)
        ]
        found.append([question for question in questions if question.relevant])
    return found


def take_in(folder: Path, scratch: Path, state: State, only: Collection[str] | None = None) -> None:
    """Makes tables and index of the memories in an empty home, all or some, and publishes them."""
    files = [
        file
        for namespace, path in _sources(folder, scratch)
        if only is None or namespace in only
        for file in log_files(path, namespace, "UTC")
    ]
    intake(state, files)
    records = state.warehouse.read(RECORDS).collect()
    means = StageContext(state.policy, state.embedder)
    for name, frame in build(records, means, until=MEMORY.name).items():
        state.warehouse.write(TABLES[name], frame)
    put_index(state)


def put_index(state: State) -> None:
    """Makes the index of all memories anew from their tables, and publishes them."""
    run_vector_index(state)
    ends = state.warehouse.read(CONVERSATIONS, columns=["namespace", "ended_at"]).collect()
    made = state.warehouse.read(VECTOR_INDEX, columns=["namespace", "generation"]).collect()
    for namespace, generation in made.iter_rows():
        latest = watermark(ends.filter(pl.col("namespace") == namespace), "ended_at")
        there = versions(state.of(namespace))
        manifest = Manifest(namespace, generation, there, latest, datetime.now(UTC))
        publish(state.home, replace(manifest, embedder=state.policy.embedder))


def _sources(folder: Path, scratch: Path) -> Iterator[tuple[str, Path]]:
    """Namespace and file of each memory; of MemoryBank, documents of one person."""
    for year, path in CAST_TOPICS.items():
        yield f"cast-{year}", folder / "trec_cast_2019_2020" / path
    for lang in ("en", "cn"):
        text = (folder / f"memorybank/{lang}/memory_bank_{lang}.json").read_text("utf-8")
        people: dict[str, Any] = json.loads(text)
        for number, (name, person) in enumerate(people.items()):
            path = scratch / f"memorybank-{lang}-{number:02}.json"
            path.write_text(json.dumps({name: {"history": person["history"]}}), encoding="utf-8")
            yield path.stem, path
    for source in sorted((folder / "locomo_dev").glob("conv-*.jsonl")):
        if source.name.count(".") > 1:
            continue  # questions
        turns = map(json.loads, source.read_text("utf-8").splitlines())
        path = scratch / source.name
        path.write_text(
            "".join(
                json.dumps(turn | {"id": f"{source.stem}/{number}"}) + "\n"
                for number, turn in enumerate(turns, 1)
            )
        )
        yield f"locomo-{source.stem}", path
