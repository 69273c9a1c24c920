"""What came of what was offered to agents: a model of each row."""

from datetime import datetime

from cairn.knowledge.schema.tables import PREFERENCES, UTILITY
from cairn.serving.models.fields import AT, Model, of, tells


class KindUtility(Model):
    """What came of the pieces of one kind: where they were shown, against where held out."""

    kind: str = of(UTILITY, "kind", "fix")
    outcome: str = of(UTILITY, "outcome", "not_again")
    shown: int = of(UTILITY, "shown", 41)
    shown_good: int = of(UTILITY, "shown_good", 36)
    held: int = of(UTILITY, "held", 6)
    held_good: int = of(UTILITY, "held_good", 3)
    offered: int = of(UTILITY, "offered", 47)
    difference: float | None = of(UTILITY, "difference", 0.378)
    low: float | None = of(UTILITY, "low", 0.021)
    high: float | None = of(UTILITY, "high", 0.689)
    verdict: str = of(UTILITY, "verdict", "helps")
    last_offered: datetime | None = of(UTILITY, "last_offered", AT)


class PieceUtility(KindUtility):
    """The same of one piece."""

    piece_id: str = of(UTILITY, "piece_id", "ef_1c0ad2398567ecbb")
    text: str = tells("What it says; empty where it is known no more.", "Ran `pnpm install`.")


class MutedPiece(Model):
    """A piece that a person wants no agent to be told."""

    piece_id: str = of(PREFERENCES, "topic", "w_95f1bee0d0250dfa")
    text: str = tells("What it says; empty where it is known no more.", "uv run pytest")
    since: datetime | None = of(PREFERENCES, "started_at", AT)
