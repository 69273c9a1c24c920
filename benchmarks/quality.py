"""How well statements are merged, contradictions found and memories searched, with what ships.

    python -m benchmarks.quality SHARED_DATA_FOLDER [--json]

SHARED_DATA_FOLDER holds `mnli_contradictions/` (contradictions and neutral pairs of many common
words) and `sts_b_dev/` (pairs graded 0 to 5). Embedder, calibration and thresholds are those that
ship. STS-B pairs graded 4.5 or more count as paraphrases, and apart from them those graded 5; all
below are wrong merges. Pairs graded 4 or more, and the neutral ones, are no contradictions. The
pairs that the project's tests are judged by (tests/knowledge/labelled/wording_pairs.jsonl) are
reported apart: rules were written with them in view. Both sets of the folder are development sets:
rules were not written for single pairs of them, but have been measured on them.

Merges are compared in three ways: plain cosine above 0.85, the calibrated similarity above
`merge_similarity`, and what ships: the stages themselves, each pair as two facts of a namespace.
Wrong merges among contradictions are compared with plain cosine at its 0.85, and at equal recall of
paraphrases: its threshold is raised to the highest at which it finds at least as many paraphrases
as what ships does.

Entities are measured by `er_ditto_dev/` (benchmarks.entity_pairs), search by `memorybank/` and
`trec_cast_2019_2020/` (benchmarks.recall), where these are there.
"""

import argparse
import csv
import json
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks import entity_pairs, recall
from cairn.knowledge.consolidation.evidence import evidence
from cairn.knowledge.consolidation.merges import merges as fact_merges
from cairn.knowledge.consolidation.similar_facts import similar_facts
from cairn.knowledge.nlp.statements.compare import Verdict, compare
from cairn.knowledge.nlp.statements.statement import read_statement
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables import EPISODES, FACT_SOURCES, FACTS
from cairn.knowledge.vectors.model import Embedder
from cairn.knowledge.vectors.similarity import pair_similarity
from cairn.resources.embedders.choice import load_embedder

PLAIN = 0.85
PARAPHRASE = (4.5, 5.0)
"""Grades from which a pair counts as a paraphrase."""
NO_CONTRADICTION = 4.0
"""Grade from which a pair is surely no contradiction."""
OWN = Path(__file__).parents[1] / "tests" / "knowledge" / "labelled" / "wording_pairs.jsonl"

Bools = NDArray[np.bool_]


class Pairs(NamedTuple):
    """Labelled pairs with what is known of each: arrays of one entry per pair."""

    labels: NDArray[Any]
    """A grade from 0 to 5, or the name of a class."""
    cosine: NDArray[np.float64]
    similarity: NDArray[np.float64]
    """Calibrated."""
    verdict: NDArray[np.str_]
    merged: Bools
    """What the stages make one."""
    denied: Bools
    """What the stages take for a clear contradiction: both lose half of their confidence."""
    equal: Bools
    """Of equal texts but for space and the last mark: no way can tell these apart."""

    def alike(self, policy: Policy) -> Bools:
        """More alike than the threshold of merges."""
        return self.similarity > policy.merge_similarity


def read_mnli(folder: Path) -> list[tuple[str, str, str]]:
    """Left, right, `contradiction` or `neutral`."""
    text = (folder / "mnli_contradictions" / "mnli_contradicting_examples").read_text("utf-8")
    rows = (line.split("\t") for line in text.splitlines() if line.count("\t") == 2)
    return [(left, right, label) for left, right, label in rows]


def read_sts(folder: Path) -> list[tuple[str, str, float]]:
    """Left, right, grade."""
    with (folder / "sts_b_dev" / "stsb-en-dev.csv").open(newline="", encoding="utf-8") as lines:
        return [(left, right, float(grade)) for left, right, grade in csv.reader(lines)]


def read_own() -> list[tuple[str, str, str]]:
    """Left, right, verdict: the pairs of the tests."""
    rows = [json.loads(line) for line in OWN.read_text("utf-8").splitlines()]
    return [(row["left"], row["right"], row["verdict"]) for row in rows]


def judged(rows: Sequence[tuple[str, str, Any]], embedder: Embedder) -> Pairs:
    """Similarities and verdicts of labelled pairs."""
    left, right, labels = zip(*rows, strict=True)
    vectors, others = embedder.embed(left), embedder.embed(right)
    index = np.arange(len(rows))
    return Pairs(
        np.array(labels),
        (vectors.astype(np.float64) * others).sum(axis=1),
        pair_similarity(vectors, others, index, index, embedder),
        np.array([str(compare(one, two).verdict) for one, two in zip(left, right, strict=True)]),
        *decided(left, right, embedder),
        np.array([_bare(one) == _bare(two) for one, two in zip(left, right, strict=True)]),
    )


def decided(left: Sequence[str], right: Sequence[str], embedder: Embedder) -> tuple[Bools, Bools]:
    """What the stages merge, and what they take for denied; each pair in a namespace of its own."""
    policy = Policy()
    known = FACTS.frame(
        {
            "fact_id": f"f{place}_{side}", "namespace": f"n{place}", "entity_id": "e",
            "predicate": "states", "object": text, "content": text, "event": False,
            "base_confidence": 0.8, "source_count": 1, "conversation_count": 1,
            "source_record_ids": [], "derived_from": [], "extractor": "own@1", "trust": "person",
        }
        for side, texts in enumerate((left, right))
        for place, text in enumerate(texts)
    )  # fmt: skip
    similar = similar_facts(known, embedder, policy)
    against = evidence(
        known, FACT_SOURCES.empty(), EPISODES.empty(), similar, embedder, policy
    ).filter(kind="contradiction")
    one = fact_merges(known, against, similar, policy)
    namespaces = [f"n{place}" for place in range(len(left))]
    return np.isin(namespaces, one["namespace"]), np.isin(namespaces, against["namespace"])


def _bare(text: str) -> str:
    return " ".join(text.split()).rstrip(" .!?")


def found(chosen: Bools, good: Bools) -> dict[str, float]:
    """How many are chosen, and precision and recall."""
    right = int((chosen & good).sum())
    return {
        "chosen": int(chosen.sum()),
        "right": right,
        "precision": right / max(int(chosen.sum()), 1),
        "recall": right / max(int(good.sum()), 1),
    }


def merges(sts: Pairs, policy: Policy) -> dict[str, Any]:
    """Pair precision and recall of each way to merge, by the grade that makes a paraphrase."""
    ways = {
        "plain cosine > 0.85": sts.cosine > PLAIN,
        "calibrated > 0.85": sts.alike(policy),
        "ships": sts.merged,
    }
    return {
        f"grade >= {grade}": {
            way: found(chosen, sts.labels >= grade) for way, chosen in ways.items()
        }
        for grade in PARAPHRASE
    }


def wrong_merges(sts: Pairs, wrong: Bools, against: Pairs) -> dict[str, Any]:
    """Contradictions that each way would merge; `wrong` says which of `against` they are.

    Plain cosine at equal recall of paraphrases: the highest threshold at which it finds as many.
    `of other texts` leaves out the pairs of equal texts, which no way can tell apart.
    """
    other = wrong & ~against.equal

    def counted(chosen: Bools) -> dict[str, int]:
        return {"all": int((chosen & wrong).sum()), "of other texts": int((chosen & other).sum())}

    ours = counted(against.merged)
    made: dict[str, Any] = {
        "pairs": int(wrong.sum()),
        "pairs of other texts": int(other.sum()),
        "ships": ours,
        "plain cosine > 0.85": counted(against.cosine > PLAIN),
    }
    for grade in PARAPHRASE:
        good = sts.labels >= grade
        recalled = int((sts.merged & good).sum())
        threshold = float(np.sort(sts.cosine[good])[::-1][max(recalled, 1) - 1])
        plain = counted(against.cosine >= threshold)
        made[f"at equal recall, grade >= {grade}"] = {
            "paraphrases found": recalled,
            "cosine": round(threshold, 4),
            "plain": plain,
            "ratio": {kind: ours[kind] / plain[kind] if plain[kind] else None for kind in plain},
        }
    return made


def contradictions(mnli: Pairs, sts: Pairs, policy: Policy) -> dict[str, Any]:
    """Precision and recall of verdicts as contradictions: MNLI's, against neutral and STS-B."""
    kept = sts.labels >= NO_CONTRADICTION
    good = np.concatenate([mnli.labels == "contradiction", np.zeros(int(kept.sum()), dtype=bool)])
    verdict = np.concatenate([mnli.verdict, sts.verdict[kept]])
    alike = np.concatenate([mnli.alike(policy), sts.alike(policy)[kept]])
    acts = np.concatenate([mnli.denied, sts.denied[kept]])
    opposite = verdict == Verdict.OPPOSITE
    either = opposite | (verdict == Verdict.VALUE)
    return {
        "acts: what ships": found(acts, good),
        "opposite": found(opposite, good),
        "opposite or another value": found(either, good),
        "opposite, alike > 0.85": found(opposite & alike, good),
        "opposite or another value, alike > 0.85": found(either & alike, good),
        "the same of pairs alike > 0.85": found(opposite & alike, good & alike),
    }


def unsure(pairs: Pairs, policy: Policy) -> dict[str, int]:
    """Verdicts of the pairs above the threshold; `unsure` would go to a model."""
    counts = Counter(pairs.verdict[pairs.alike(policy)].tolist())
    return {verdict.value: counts[verdict.value] for verdict in Verdict}


def speed(rows: Sequence[tuple[str, str, Any]]) -> dict[str, float]:
    """Microseconds of a pair, read anew and once read."""
    taken: dict[str, float] = {}
    read_statement.cache_clear()
    for name in ("read anew", "read before"):
        start = time.process_time()
        for left, right, _ in rows:
            compare(left, right)
        taken[name] = (time.process_time() - start) / len(rows) * 1e6
    return taken


def measured(folder: Path) -> dict[str, Any]:
    """All figures."""
    policy = Policy()
    embedder = load_embedder(policy.embedder)
    graded = read_sts(folder)
    mnli, sts = judged(read_mnli(folder), embedder), judged(graded, embedder)
    own = judged(read_own(), embedder)
    against = mnli.labels == "contradiction"
    return {
        "threshold": policy.merge_similarity,
        "merges": merges(sts, policy),
        "wrong merges, MNLI contradictions": wrong_merges(sts, against, mnli),
        "wrong merges, own pairs that are not the same": wrong_merges(
            sts, own.labels != "same", own
        ),
        "contradictions": contradictions(mnli, sts, policy),
        "own pairs": {
            verdict.value: found(own.verdict == verdict, own.labels == verdict)
            for verdict in Verdict
        },
        "alike > 0.85": {"MNLI": unsure(mnli, policy), "STS-B": unsure(sts, policy)},
        "microseconds of a pair": speed(graded),
    }


def lines(result: dict[str, Any]) -> list[str]:
    """The figures as text."""
    told = ["Merges of STS-B pairs            chosen  right  precision  recall"]
    for grade, ways in result["merges"].items():
        told.append(f"  paraphrase: {grade}")
        told += [f"    {way:28} {_found(each)}" for way, each in ways.items()]
    for name in ("MNLI contradictions", "own pairs that are not the same"):
        wrong = result[f"wrong merges, {name}"]
        told.append(
            f"Wrong merges among {wrong['pairs']} {name} "
            f"(in brackets: the {wrong['pairs of other texts']} of other texts)"
        )
        told += [f"    {way:28} {_both(wrong[way])}" for way in ("ships", "plain cosine > 0.85")]
        for at, each in wrong.items():
            if at.startswith("at equal recall"):
                told.append(
                    f"    {at} ({each['paraphrases found']} found, cosine >= {each['cosine']}): "
                    f"plain {_both(each['plain'])}; ships / plain {_both(each['ratio'])}, goal 0.2"
                )
    told.append("Contradictions: MNLI, against neutral and STS-B graded >= 4")
    told += [f"    {way:40} {_found(each)}" for way, each in result["contradictions"].items()]
    told.append("Own pairs")
    told += [f"    {verdict:28} {_found(each)}" for verdict, each in result["own pairs"].items()]
    told.append("Verdicts above the threshold (unsure: would go to a model)")
    told += [f"    {name:10} {counts}" for name, counts in result["alike > 0.85"].items()]
    taken = result["microseconds of a pair"]
    told.append("Microseconds of a pair: " + ", ".join(f"{k} {v:.1f}" for k, v in taken.items()))
    return told


def _both(each: dict[str, float | None]) -> str:
    every, other = ("-" if value is None else f"{value:.3g}" for value in each.values())
    return f"{every} ({other})"


def _found(each: dict[str, float]) -> str:
    return f"{each['chosen']:6} {each['right']:6} {each['precision']:10.3f} {each['recall']:7.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="SHARED_DATA_FOLDER")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    folder = arguments.folder.expanduser()
    result, records = measured(folder), folder / "er_ditto_dev"
    entities = entity_pairs.measured(records if records.is_dir() else None)
    there = (folder / "memorybank").is_dir() and (folder / "trec_cast_2019_2020").is_dir()
    found = recall.measured(folder) if there else None
    if arguments.json:
        print(json.dumps({**result, "entities": entities, "search": found}, indent=1))
    else:
        told = [*lines(result), "", "Entities", *entity_pairs.lines(entities)]
        print("\n".join([*told, "", "Search", *recall.lines(found)] if found else told))


if __name__ == "__main__":
    main()
