"""Which entities the cleaner makes one, on labelled pairs, beside cosine and edit distance.

Run `.venv/bin/python -m benchmarks.entity_pairs [--records FOLDER] [--wrong]`. Our own pairs are
those of tests/knowledge/labelled/entity_pairs.jsonl. FOLDER holds labelled records in the form of
Ditto (`COL name VAL value … <tab> COL … <tab> label` in *.txt): the first column is taken for the
name, the others for facts about it.
"""

import argparse
import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from cairn.knowledge.nlp.names import canonical
from cairn.knowledge.resolution.resolution import entity_merges
from cairn.knowledge.schema.identity import entity_id, fact_id
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables import ENTITIES, FACTS
from cairn.knowledge.vectors.model import Embedder
from cairn.knowledge.vectors.similarity import pair_similarity

LABELLED = Path(__file__).parents[1] / "tests" / "knowledge" / "labelled" / "entity_pairs.jsonl"
COSINE, EDIT = 0.85, 90.0
_COLUMN = re.compile(r"COL (?P<name>\S+) VAL (?P<value>.*?)(?= COL |$)")


class Side(NamedTuple):
    """An entity of a pair: its name, type, statements, and values of predicates."""

    name: str
    type: str = "topic"
    statements: tuple[str, ...] = ()
    values: tuple[tuple[str, str], ...] = ()
    mentions: int = 1

    @property
    def text(self) -> str:
        """All of it as one text."""
        return " ".join([self.name, *self.statements, *(value for _, value in self.values)])


class Pair(NamedTuple):
    """Two entities, and whether they are one."""

    left: Side
    right: Side
    same: bool
    kind: str


def own_pairs() -> list[Pair]:
    """Our labelled pairs of names."""
    return [_own(json.loads(line)) for line in LABELLED.read_text(encoding="utf-8").splitlines()]


def _own(row: dict[str, object]) -> Pair:
    sides = [
        Side(
            str(row[side]),
            str(row.get(f"{side}_type", row["type"])),
            tuple(row.get(f"{side}_facts", ())),  # type: ignore[arg-type]
            mentions=mentions,
        )
        for side, mentions in (("left", 9), ("right", 2))
    ]
    return Pair(*sides, same=bool(row["same"]), kind=str(row["kind"]))


def record_pairs(folder: Path) -> Iterator[tuple[str, list[Pair]]]:
    """Labelled records of each set under a folder, all of its files together."""
    for place in sorted({path.parent for path in folder.rglob("*.txt") if path.parent != folder}):
        lines = [
            line
            for path in sorted(place.glob("*.txt"))
            for line in path.read_text(encoding="utf-8").splitlines()
        ]
        pairs = [_records(*line.split("\t")) for line in lines]
        yield str(place.relative_to(folder)), pairs


def _records(left: str, right: str, label: str) -> Pair:
    return Pair(_record(left), _record(right), same=label.strip() == "1", kind="record")


def _record(text: str) -> Side:
    columns = [(m["name"], _plain(m["value"])) for m in _COLUMN.finditer(text)]
    (_, name), *others = columns
    return Side(name or "?", values=tuple((key, value) for key, value in others if value))


def _plain(value: str) -> str:
    return value.replace("\\ '", "'").replace("&#40;", "(").replace("&#41;", ")").strip(" `'")


def merged(pairs: Sequence[Pair], embedder: Embedder, policy: Policy) -> list[str | None]:
    """The rule by which each pair becomes one, alone in a namespace of its own; None if none does.

    Pairs whose names are one canonical name are one entity before any cleaning: `same_entity`.
    """
    entities: list[dict[str, object]] = []
    facts: list[dict[str, object]] = []
    result: dict[str, str | None] = {}
    for number, pair in enumerate(pairs):
        namespace = f"n{number:06}"
        ids = [
            entity_id(namespace, side.type, canonical(side.name, side.type))
            for side in (pair.left, pair.right)
        ]
        # Records of one name would be one entity; what is told of them may still say otherwise.
        result[namespace] = None
        if ids[0] == ids[1]:
            ids[1] += "_2"
        for id_, side in zip(ids, (pair.left, pair.right), strict=True):
            entities.append(_entity(namespace, id_, side))
            facts += _facts(namespace, id_, side)
    found = entity_merges(ENTITIES.frame(entities), FACTS.frame(facts), embedder, policy)
    result |= dict(found.select("namespace", "rule").iter_rows())
    return list(result.values())


def _entity(namespace: str, id_: str, side: Side) -> dict[str, object]:
    return {
        "entity_id": id_, "namespace": namespace, "name": canonical(side.name, side.type),
        "display_name": side.name, "type": side.type, "aliases": [], "first_seen": None,
        "last_seen": None, "introduced_by": "r", "mentions": side.mentions, "facts": 1,
    }  # fmt: skip


def _facts(namespace: str, entity: str, side: Side) -> Iterator[dict[str, object]]:
    told = [("states", statement) for statement in side.statements]
    for predicate, value in [*told, *side.values]:
        yield {
            "fact_id": fact_id(namespace, entity, predicate, value), "namespace": namespace,
            "entity_id": entity, "predicate": predicate, "object": value, "content": value,
            "base_confidence": 0.8, "source_count": 1, "conversation_count": 1, "first_seen": None,
            "last_seen": None, "source_record_ids": [], "derived_from": [], "extractor": "own@1",
            "trust": "person", "event": False,
        }  # fmt: skip


def figures(pairs: Sequence[Pair], embedder: Embedder, policy: Policy) -> dict[str, list[bool]]:
    """What each way calls one: cosine of the whole text, edit distance of the names, ours."""
    from rapidfuzz import fuzz

    index = np.arange(len(pairs))
    left = embedder.embed([pair.left.text for pair in pairs])
    right = embedder.embed([pair.right.text for pair in pairs])
    cosine = (left.astype(np.float64) * right).sum(axis=1)
    calibrated = pair_similarity(left, right, index, index, embedder)
    ratio = [
        fuzz.token_sort_ratio(pair.left.name.lower(), pair.right.name.lower()) for pair in pairs
    ]
    return {
        f"cosine > {COSINE}": (cosine > COSINE).tolist(),
        f"calibrated > {policy.merge_similarity}": (calibrated > policy.merge_similarity).tolist(),
        f"rapidfuzz ≥ {EDIT:.0f}": [value >= EDIT for value in ratio],
        "ours": [rule is not None for rule in merged(pairs, embedder, policy)],
    }


def scores(said: Sequence[bool], pairs: Sequence[Pair]) -> dict[str, float]:
    """Precision, recall, F1, and how many pairs were called one wrongly."""
    right = sum(one and pair.same for one, pair in zip(said, pairs, strict=True))
    wrong, same = sum(said) - right, sum(pair.same for pair in pairs)
    precision, recall = right / max(right + wrong, 1), right / max(same, 1)
    return {
        "precision": precision if right + wrong else 1.0,
        "recall": recall,
        "f1": 2 * precision * recall / max(precision + recall, 1e-9),
        "wrong": wrong,
    }


def measured(folder: Path | None) -> dict[str, dict[str, Any]]:
    """Scores of each way on each set: our own names, and the labelled records of a folder."""
    from cairn.resources.embedders.choice import load_embedder

    policy = Policy()
    embedder = load_embedder(policy.embedder)
    sets = [("our own names", own_pairs()), *(record_pairs(folder) if folder else ())]
    found: dict[str, dict[str, Any]] = {}
    for name, pairs in sets:
        start = time.process_time()
        ways = {way: scores(said, pairs) for way, said in figures(pairs, embedder, policy).items()}
        found[name] = {
            "pairs": len(pairs),
            "one": sum(pair.same for pair in pairs),
            "ways": ways,
            "seconds": time.process_time() - start,
        }
    return found


def lines(result: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """What a person reads of `measured`."""
    for name, each in result.items():
        yield f"{name}: {each['pairs']:,} pairs, {each['one']:,} of them one"
        for way, told in each["ways"].items():
            yield (
                f"  {way:22} precision {told['precision']:.3f}  recall {told['recall']:.3f}  "
                f"F1 {told['f1']:.3f}  wrong {told['wrong']:,}"
            )
        yield f"  {each['seconds']:.1f} s CPU"


def main() -> None:
    from cairn.resources.embedders.choice import load_embedder

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=Path, help="folder of labelled records")
    parser.add_argument("--wrong", action="store_true", help="print our own pairs that go wrong")
    arguments = parser.parse_args()
    records = arguments.records and arguments.records.expanduser()
    print("\n".join(lines(measured(records))))
    if arguments.wrong:
        own, policy = own_pairs(), Policy()
        embedder = load_embedder(policy.embedder)
        for pair, rule in zip(own, merged(own, embedder, policy), strict=True):
            if (rule is not None) != pair.same:
                print("wrong" if rule else "missed", pair.kind, pair.left.name, "/",
                      pair.right.name, rule or "")  # fmt: skip


if __name__ == "__main__":
    main()
