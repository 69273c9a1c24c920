"""What confidence means: does it tell what is useful from what is wrong, and how often is it right.

    python -m benchmarks.confidence SHARED_DATA_FOLDER [--json]

`confidence_labels.tsv` has what a reader said of statements and learnings of the development sets:
useful, little (right, but of little use) or wrong (not said, not so, misleading or junk). It holds
digests, kinds and labels, and no text. Each was read twice, in different orders, and settled where
the two readings differ. The sets are built in memory; a statement that is made no more has no
confidence, and is counted apart. Half of the labels, by their digest, was for fitting.
"""

import argparse
import csv
import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from math import sqrt
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from cairn.knowledge.assembly.build import build
from cairn.knowledge.engine.stage import StageContext
from cairn.knowledge.ingest.records import read_records
from cairn.knowledge.redaction import redactor
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables import RECORDS
from cairn.resources.embedders.choice import load_embedder

LABELS = Path(__file__).with_name("confidence_labels.tsv")
STATEMENT, LEARNING = "statement", "learning"
USEFUL, LITTLE, WRONG = "useful", "little", "wrong"
HALVES = ("all", "for fitting", "held out")
BANDS = (0.0, 0.3, 0.45, 0.55, 0.75, 0.82, 1.01)
"""Edges of the bands of confidence: what is passed on unasked lies above 0.5."""

_FILES = {".jsonl", ".json", ".traj"}
_SEEN_AT = datetime(2026, 11, 1, tzinfo=UTC)


class Label(NamedTuple):
    """What a reader said of one statement or learning, in two readings."""

    what: str
    set: str
    id: str
    kind: str
    """Predicate of a statement, category of a learning."""
    first: str
    second: str
    settled: str

    @property
    def half(self) -> str:
        """Half of the labels that it belongs to."""
        return HALVES[1 + int(self.id[0], 16) % 2]


def read_labels(path: Path = LABELS) -> list[Label]:
    """The labels of a file.

    Raises:
        OSError: there is no such file.
    """
    with path.open(newline="", encoding="utf-8") as lines:
        return [Label(*row) for row in csv.reader(lines, delimiter="\t")][1:]


def label_id(*parts: str) -> str:
    """Digest of a set and of what a statement or learning says; ids change with extraction."""
    return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:12]


def built(folder: Path, name: str) -> dict[str, pl.DataFrame]:
    """The tables of one set, built in memory.

    Raises:
        FileNotFoundError: the folder has no log files of the set.
    """
    root = folder / name
    paths = sorted(path for path in root.rglob("*") if path.suffix in _FILES)
    if not paths:
        raise FileNotFoundError(f"{root}: no log files of the set {name}; give the shared folder")
    found = redactor()
    read = [
        read_records(
            path.read_bytes(), namespace="n", source_file=str(path.relative_to(root)),
            timezone="UTC", seen_at=_SEEN_AT, redactor=found,
        ).records
        for path in paths
    ]  # fmt: skip
    records = pl.concat([RECORDS.empty(), *read]).unique("record_key", keep="first")
    return build(records, StageContext(Policy(), load_embedder("wordllama")))


def confidences(name: str, tables: Mapping[str, pl.DataFrame]) -> dict[str, float]:
    """Confidence of each statement and learning of a set after its last event, by `label_id`."""
    subjects = tables["entities"].select("namespace", "entity_id", subject="name")
    facts = tables["memory"].join(subjects, on=["namespace", "entity_id"], how="left")
    said = facts.select("subject", "predicate", "object", "confidence").iter_rows()
    found = {label_id(name, who or "", does, what): sure for who, does, what, sure in said}
    taught = tables["learnings"].select("category", "title", "confidence").iter_rows()
    return found | {label_id(name, category, title): sure for category, title, sure in taught}


def auc(useful: Sequence[float], wrong: Sequence[float]) -> tuple[float, float] | None:
    """Chance that something useful has more confidence than something wrong; its standard error.

    Ties count half. The error is that of Hanley and McNeil ("The meaning and use of the area under
    a receiver operating characteristic curve", 1982). None where either is missing.
    """
    if not useful or not wrong:
        return None
    more = sum((a > b) + (a == b) / 2 for a in useful for b in wrong)
    area = more / (len(useful) * len(wrong))
    one, two = area / (2 - area), 2 * area**2 / (1 + area)
    spread = area * (1 - area)
    spread += (len(useful) - 1) * (one - area**2) + (len(wrong) - 1) * (two - area**2)
    return area, sqrt(max(spread, 0.0) / (len(useful) * len(wrong)))


def agreement(labels: Sequence[Label]) -> tuple[float, float]:
    """Share of equal labels in both readings, and Cohen's kappa."""
    count = len(labels)
    same = sum(one.first == one.second for one in labels) / count
    first, second = (Counter(one[at] for one in labels) for at in (4, 5))
    chance = sum(first[name] * second[name] for name in first) / count**2
    return same, (same - chance) / (1 - chance) if chance < 1 else 1.0


def calibration(labelled: Iterable[tuple[Label, float]]) -> list[dict[str, Any]]:
    """For each band of confidence how many there are of each label, and the share not wrong."""
    rows: list[dict[str, Any]] = []
    known = list(labelled)
    for low, high in pairwise(BANDS):
        counts = Counter(one.settled for one, sure in known if low <= sure < high)
        total = counts.total()
        rows.append({"from": low, "below": high, "count": total}
                    | {name: counts[name] for name in (USEFUL, LITTLE, WRONG)}
                    | {"right": (total - counts[WRONG]) / total if total else None})  # fmt: skip
    return rows


def measured(labels: Sequence[Label], sure: Mapping[str, float]) -> dict[str, Any]:
    """What the confidences of labelled things tell, of all labels and of either half.

    Args:
        labels: Labels of statements, or of learnings.
        sure: Confidence by id, of what is still made.

    Returns:
        agreement, kappa; by half: useful and wrong counted, made_no_more by label, auc of what is
        made with its error, and auc_of_all, in which what is made no more has confidence 0;
        calibration of all that is made.
    """
    same, kappa = agreement(labels)
    halves: dict[str, Any] = {}
    for half in HALVES:
        own = [one for one in labels if half in (HALVES[0], one.half)]
        told = {
            name: [one.id for one in own if one.settled == name] for name in (USEFUL, LITTLE, WRONG)
        }
        made = {name: [sure[key] for key in ids if key in sure] for name, ids in told.items()}
        every = {name: [sure.get(key, 0.0) for key in ids] for name, ids in told.items()}
        halves[half] = {
            "labels": {name: len(ids) for name, ids in told.items()},
            "made_no_more": {name: len(told[name]) - len(made[name]) for name in told},
            "auc": auc(made[USEFUL], made[WRONG]),
            "auc_of_all": auc(every[USEFUL], every[WRONG]),
        }
    return {
        "agreement": same,
        "kappa": kappa,
        "halves": halves,
        "calibration": calibration((one, sure[one.id]) for one in labels if one.id in sure),
    }


def report(name: str, found: Mapping[str, Any]) -> Iterable[str]:
    """Lines of Markdown of what `measured` gives."""
    yield f"{name}s: both readings agree on {found['agreement']:.1%}, kappa {found['kappa']:.2f}\n"
    yield "| half | useful | little | wrong | no longer made | AUC of what is made | AUC of all |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"
    for half, one in found["halves"].items():
        areas = (_area(one[kind]) for kind in ("auc", "auc_of_all"))
        gone = sum(one["made_no_more"].values())
        yield f"| {half} | {' | '.join(map(str, [*one['labels'].values(), gone, *areas]))} |"
    yield ""
    yield "| confidence | count | useful | little | wrong | share right |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: |"
    for row in found["calibration"]:
        right = "" if row["right"] is None else f"{row['right']:.2f}"
        counts = " | ".join(str(row[kind]) for kind in ("count", USEFUL, LITTLE, WRONG))
        yield f"| {row['from']:.2f} to {min(row['below'], 1):.2f} | {counts} | {right} |"
    yield ""


def _area(found: tuple[float, float] | None) -> str:
    return "" if found is None else f"{found[0]:.2f} ± {found[1]:.2f}"


def main() -> None:
    """Builds the sets and prints what their labels say."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.confidence", description=__doc__)
    parser.add_argument("folder", type=Path, help="SHARED_DATA_FOLDER")
    parser.add_argument("--json", action="store_true", help="print the measurements as JSON")
    arguments = parser.parse_args()
    labels = read_labels()
    sure: dict[str, float] = {}
    for name in sorted({one.set for one in labels}):
        sure |= confidences(name, built(arguments.folder, name))
    found = {
        what: measured(own, sure)
        for what in (STATEMENT, LEARNING)
        if (own := [one for one in labels if one.what == what])
    }
    if arguments.json:
        print(json.dumps(found, indent=1))
    else:
        print("\n".join(line for what, one in found.items() for line in report(what, one)))


if __name__ == "__main__":
    main()
