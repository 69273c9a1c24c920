"""How well search finds what answers a question: recall at 5, 10 and 20, by arm and fused.

    python -m benchmarks.recall SHARED_DATA_FOLDER [--json] [--fit] [--home FOLDER]

Memories, questions and labels: `benchmarks.recall_sets`. Tables are made by the stages that ship,
without a language model, and the index by the engine; what ships is `search_memory` itself. A
result stands for the turns that its sources are of. Recall is the share of a question's turns
among the first results, averaged over questions; MRR is the mean of 1 / rank of the first of them.
`won` and `lost` count the questions in which a way ranks it higher, or lower, than what ships
without its floor, so that chance can be told from gain.

The floor is measured by questions without an answer: those of another set, on which a memory has
nothing, and those to another person, who was asked about like things.

--fit tries settings on the halves for fitting, and tells how they do on those held out.
--home keeps the tables in a folder, for the next time. Where a reranker is set
(CAIRN_POLICY__RERANKER), what ships is also measured with it; CAIRN_RERANKER_SECONDS gives it time.
"""

import argparse
import json
import tempfile
from collections.abc import Callable, Sequence
from itertools import accumulate
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from benchmarks.recall_sets import VERBATIM, Half, Question, put_index, read_halves, take_in
from cairn.assets.vector_index import STEP
from cairn.knowledge.retrieval.points import points
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables import RAW_LOGS
from cairn.resources.context import State, open_state
from cairn.resources.rerankers.protocol import NONE
from cairn.resources.vector_index.edge import EdgeIndex
from cairn.resources.vector_index.protocol import BESIDE, Filters, Hit
from cairn.serving.read.reader import Reader
from cairn.serving.retrieval.open_memory import Memory
from cairn.serving.retrieval.search import SearchResult, search_memory

DEPTH = 20
AT = (5, 10, 20)
SHIPS = Policy()
NO_FLOOR = Policy(min_search_relevance=0.0)
RANK_CONSTANT = 60
"""Of reciprocal ranks: 1 / (constant + rank), summed over the arms."""
SATURATION = 5.0
"""BM25 at which the saturating curve s / (s + k) gives one half."""
SCALES = ("best", "saturating", "z-scores")
WEIGHTS = (0.1, 0.2, 0.3, 0.4, 0.6)
BUDGETS, MOST_GIVEN = (250, 500, 1_000), 60
"""Words of results, and most results that are asked for."""
FLOORS = (0.0, 0.4, 0.45, 0.5, 0.55, 0.6)

Turns = list[frozenset[str]]
"""The turns that each result stands for, best result first."""
Way = Callable[[Question], Turns]


class Memories:
    """The memories of all sets, asked in several ways."""

    def __init__(self, state: State, scratch: Path) -> None:
        self.state = state
        self._memories: dict[Policy, Memory] = {}
        logs = state.warehouse.read(RAW_LOGS, columns=["record_id", "native_id"]).collect()
        self._native: dict[str, str] = dict(logs.iter_rows())
        self._bare = EdgeIndex(scratch / "bare")
        self._bare_names: dict[str, str] = {}
        self._hits: dict[Question, list[Hit]] = {}

    def reader(self, question: Question, policy: Policy = SHIPS) -> Reader:
        """The memory that a question is asked of, with other settings."""
        if policy not in self._memories:
            settings = self.state.settings.model_copy(update={"policy": policy})
            self._memories[policy] = Memory(State(self.state.home, settings))
        return self._memories[policy].reader(question.namespace)

    def ships(self, policy: Policy = SHIPS, search_type: str = "episodes") -> Way:
        """What a search gives."""
        return lambda question: [
            self.turns_of(found)
            for found in search_memory(
                self.reader(question, policy), question.text, search_type, DEPTH
            )
        ]

    def turns_of(self, found: SearchResult) -> frozenset[str]:
        """The turns that a result stands for."""
        return frozenset(self._native[source["record_id"]] for source in found.sources)

    def by(self, order: Callable[[Sequence[Hit]], list[Hit]]) -> Way:
        """What both arms find, in some order."""
        return lambda question: self._turns(order(self.hits(question)))

    def hits(self, question: Question) -> list[Hit]:
        """What the index finds in both arms."""
        if question not in self._hits:
            embedder, manifest = self.state.embedder, self.reader(question).manifest
            self._hits[question] = self.state.index.search(
                question.namespace, manifest.generation or "", text=question.text,
                vector=embedder.embed([question.text])[0].tolist(), model=embedder.model,
                filters=_EPISODES, limit=DEPTH,
            )  # fmt: skip
        return self._hits[question]

    def without_context(self, question: Question) -> Turns:
        """BM25 in an index of the same texts, with no text before them."""
        namespace = question.namespace
        if namespace not in self._bare_names:
            self._bare_names[namespace] = self._publish_bare(namespace)
        hits = self._bare.search(
            namespace, self._bare_names[namespace], text=question.text, filters=_EPISODES,
            limit=DEPTH,
        )  # fmt: skip
        return self._turns(by_words(hits))

    def _publish_bare(self, namespace: str) -> str:
        frames = [
            self.state.warehouse.read(each, namespace=namespace).collect() for each in STEP.reads
        ]
        own = points(*frames, policy=self.state.policy).drop(*BESIDE)
        embedder = self.state.embedder
        size = embedder.embed([""]).shape[1]
        return self._bare.publish(namespace, own, model=embedder.model, dimension=size).name

    def _turns(self, hits: Sequence[Hit]) -> Turns:
        return [frozenset([self._native[hit.id]]) for hit in hits]


_EPISODES = Filters(kinds=["episode"])


def by_vector(hits: Sequence[Hit]) -> list[Hit]:
    """What the dense arm found."""
    return sorted((hit for hit in hits if hit.dense_rank), key=lambda hit: hit.dense_rank or 0)


def by_words(hits: Sequence[Hit]) -> list[Hit]:
    """What BM25 found."""
    return sorted((hit for hit in hits if hit.sparse_rank), key=lambda hit: hit.sparse_rank or 0)


def by_ranks(hits: Sequence[Hit]) -> list[Hit]:
    """Fused by reciprocal ranks (Cormack et al., 2009)."""

    def worth(hit: Hit) -> float:
        ranks = (hit.dense_rank, hit.sparse_rank)
        return sum(1 / (RANK_CONSTANT + rank) for rank in ranks if rank)

    return sorted(hits, key=lambda hit: (-worth(hit), hit.id))


def by_sum(state: State, scale: str, weight: float) -> Callable[[Sequence[Hit]], list[Hit]]:
    """Fused by a weighted sum of both scores, those of BM25 on some scale.

    Args:
        state: Whose embedder calibrates cosines.
        scale: `best` divides by the best of the query; `saturating` is s / (s + 5); `z-scores`
            takes distances from the mean of either arm, in standard deviations.
        weight: Share of the vector.
    """

    def order(hits: Sequence[Hit]) -> list[Hit]:
        words = np.array([hit.sparse_score or 0.0 for hit in hits])
        near = state.embedder.calibrated(np.array([hit.dense_score or -1.0 for hit in hits]))
        if scale == "best":
            words = words / (words.max(initial=0.0) or 1.0)
        elif scale == "saturating":
            words = words / (words + SATURATION)
        elif len(hits):
            near, words = ((each - each.mean()) / (each.std() or 1.0) for each in (near, words))
        worth = weight * near + (1 - weight) * words
        best = sorted(zip(-worth, (hit.id for hit in hits), hits, strict=True), key=lambda x: x[:2])
        return [hit for _, _, hit in best]

    return order


def ranks(way: Way, questions: Sequence[Question]) -> list[list[int | None]]:
    """Of each question the ranks of its turns, the best first; None for those not found."""
    found: list[list[int | None]] = []
    for question in questions:
        turns = way(question)
        own = [
            next((rank for rank, some in enumerate(turns, 1) if turn in some), None)
            for turn in sorted(question.relevant)
        ]
        found.append(sorted(own, key=lambda rank: rank or DEPTH + 1))
    return found


def figures(found: Sequence[Sequence[int | None]]) -> dict[str, float]:
    """Recall at each depth, and MRR."""
    shares = {
        f"recall at {at}": fmean(fmean(bool(rank and rank <= at) for rank in own) for own in found)
        for at in AT
    }
    return shares | {"MRR": fmean(_reciprocal(own) for own in found)}


def against(
    found: Sequence[Sequence[int | None]], other: Sequence[Sequence[int | None]]
) -> dict[str, int]:
    """In how many questions one ranks the first of the turns higher than the other, or lower."""
    gains = [_reciprocal(one) - _reciprocal(two) for one, two in zip(found, other, strict=True)]
    return {"won": sum(gain > 0 for gain in gains), "lost": sum(gain < 0 for gain in gains)}


def _reciprocal(own: Sequence[int | None]) -> float:
    return 1 / own[0] if own and own[0] else 0.0


def by_way(memories: Memories, questions: Sequence[Question]) -> dict[str, Any]:
    """Figures of arms, of fusions and of what ships."""
    ways: dict[str, Way] = {
        "dense": memories.by(by_vector),
        "BM25 without context": memories.without_context,
        "BM25": memories.by(by_words),
        "reciprocal ranks": memories.by(by_ranks),
        "ships, no floor": memories.ships(NO_FLOOR),
        "ships": memories.ships(),
        "ships, with facts": memories.ships(search_type="both"),
    }
    if (reranker := memories.state.policy.reranker) != NONE:
        ways["ships, reranked"] = memories.ships(_with(SHIPS, reranker=reranker))
    found = {name: ranks(way, questions) for name, way in ways.items()}
    told = {
        name: figures(own) | against(own, found["ships, no floor"]) for name, own in found.items()
    }
    return {"questions": len(questions), "ways": told}


def within_words(memories: Memories, questions: Sequence[Question]) -> dict[str, float]:
    """Recall of what a search gives until its texts have so many words."""
    shares: dict[int, list[float]] = {budget: [] for budget in BUDGETS}
    for question in questions:
        given = search_memory(memories.reader(question), question.text, "both", MOST_GIVEN)
        words = list(accumulate(len(one.text.split()) for one in given))
        turns = [memories.turns_of(one) for one in given]
        for budget, found in shares.items():
            within = [some for some, so_far in zip(turns, words, strict=True) if so_far <= budget]
            there = question.relevant & frozenset[str]().union(*within)
            found.append(len(there) / len(question.relevant))
    return {f"{budget} words": fmean(found) for budget, found in shares.items()}


def floor(memories: Memories, half: Half, policy: Policy) -> dict[str, Any]:
    """What a floor costs questions with an answer, and keeps from those without."""
    way = memories.ships(policy)
    told: dict[str, Any] = {"answered": figures(ranks(way, _main(half)))["recall at 5"]}
    for name, questions in (("of another set", half.strange), ("of others", half.others)):
        counts = [len(way(question)[: policy.search_limit]) for question in questions]
        if counts:
            told[name] = {"any": fmean(map(bool, counts)), "results": fmean(counts)}
    return told


def _main(half: Half) -> list[Question]:
    """Questions that count: of rewrites, only those that are no copies."""
    return [one for one in half.questions if one.kind != VERBATIM]


def measured(folder: Path, home: Path | None = None, *, fit: bool = False) -> dict[str, Any]:
    """All figures, by set and half.

    Args:
        folder: Shared data.
        home: Where the tables are kept; nowhere if None.
        fit: Also try settings.
    """
    halves = read_halves(folder)
    with tempfile.TemporaryDirectory() as scratch:
        state = open_state(home or Path(scratch, "home"))
        if not state.home.publication.is_dir() or not any(state.home.publication.iterdir()):
            take_in(folder, Path(scratch), state)
        else:
            put_index(state)
        memories = Memories(state, Path(scratch))
        told: dict[str, Any] = {
            "budgets": {
                title(half): within_words(memories, half.questions)
                for half in halves
                if half.name == "LoCoMo"
            },
            "sets": {
                title(half): {
                    kind: by_way(memories, own)
                    for kind in dict.fromkeys(one.kind for one in half.questions)
                    if (own := [one for one in half.questions if one.kind == kind])
                }
                for half in halves
            },
            "floor": {title(half): floor(memories, half, SHIPS) for half in halves},
        }
        return told | {"fit": tried(memories, halves)} if fit else told


def tried(memories: Memories, halves: Sequence[Half]) -> dict[str, Any]:
    """Means over the halves for fitting, and over those held out, of each setting.

    Returns:
        `fusions`: of the arms by themselves; `weights`: what ships without its floor, by the share
        of the vector; `floors`: what ships, by its floor.
    """

    def found(way: Way) -> dict[str, dict[str, float]]:
        return _means(halves, lambda half: figures(ranks(way, _main(half))))

    def kept(policy: Policy) -> dict[str, dict[str, float]]:
        return _means(halves, lambda half: _flat(floor(memories, half, policy)))

    return {
        "fusions": {
            f"{scale}, {weight}": found(memories.by(by_sum(memories.state, scale, weight)))
            for scale in SCALES
            for weight in WEIGHTS
        },
        "weights": {
            str(weight): found(memories.ships(_with(NO_FLOOR, weight_dense=weight)))
            for weight in WEIGHTS
        },
        "floors": {str(bar): kept(_with(SHIPS, min_search_relevance=bar)) for bar in FLOORS},
    }


def _with(policy: Policy, **values: float | str) -> Policy:
    return policy.model_copy(update=values)


def _means(
    halves: Sequence[Half], measure: Callable[[Half], dict[str, float]]
) -> dict[str, dict[str, float]]:
    told: dict[str, dict[str, float]] = {}
    for name, held_out in (("fit", False), ("held out", True)):
        each = [measure(half) for half in halves if half.held_out == held_out]
        keys = dict.fromkeys(key for one in each for key in one)
        told[name] = {key: fmean(one[key] for one in each if key in one) for key in keys}
    return told


def _flat(told: dict[str, Any]) -> dict[str, float]:
    flat = {"answered": told["answered"]}
    for name in told.keys() - flat.keys():
        flat |= {f"{name}, {what}": value for what, value in told[name].items()}
    return dict(sorted(flat.items()))


def title(half: Half) -> str:
    """A half's name, and what it is for."""
    return f"{half.name} ({'held out' if half.held_out else 'fit'})"


def lines(result: dict[str, Any]) -> list[str]:
    """The figures as text."""
    told: list[str] = []
    for name, kinds in result["sets"].items():
        for kind, each in kinds.items():
            told.append(f"{name}: {each['questions']} questions, {kind}")
            told.append(f"  {'':22}  at 5  at 10  at 20    MRR   won  lost")
            told += [
                f"  {way:22} {own['recall at 5']:5.3f}  {own['recall at 10']:5.3f}"
                f"  {own['recall at 20']:5.3f}  {own['MRR']:5.3f}  {own['won']:4}  {own['lost']:4}"
                for way, own in each["ways"].items()
            ]
    for name, each in result["budgets"].items():
        shares = ", ".join(f"{words} {share:.3f}" for words, share in each.items())
        told.append(f"{name}: recall of results, facts too, of so many words: {shares}")
    told.append("Questions without an answer: share with any result, mean results in the first 5")
    for name, each in result["floor"].items():
        parts = [
            f"{kind} {own['any']:.2f}, {own['results']:.1f}"
            for kind, own in each.items()
            if kind != "answered"
        ]
        told.append(f"  {name:32} {'; '.join(parts)}")
    for what, settings in result.get("fit", {}).items():
        told.append(f"{what}: fit, held out")
        for setting, each in settings.items():
            columns = [
                " ".join(f"{key} {value:.3f}" for key, value in own.items())
                for own in each.values()
            ]
            told.append(f"  {setting:16} {' | '.join(columns)}")
    return told


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="SHARED_DATA_FOLDER")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--fit", action="store_true", help="try settings")
    parser.add_argument("--home", type=Path, help="keep the tables here")
    arguments = parser.parse_args()
    result = measured(arguments.folder.expanduser(), arguments.home, fit=arguments.fit)
    print(json.dumps(result, indent=1) if arguments.json else "\n".join(lines(result)))


if __name__ == "__main__":
    main()
