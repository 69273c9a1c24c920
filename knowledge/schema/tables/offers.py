"""The table of what came of offers."""

from cairn.knowledge.schema.tables.table import COUNT, NAMESPACE, REAL, TEXT, TIME, Column, Table

UTILITY = Table(
    "utility",
    "One row per piece that was offered to agents, and per kind of pieces: what came of it where "
    "it was shown, against where it was held out.",
    {
        **NAMESPACE,
        "kind": Column(TEXT, "practice, fix, fact, learning, episode or place."),
        "piece_id": Column(TEXT, "What was offered; empty for all of its kind together."),
        "outcome": Column(
            TEXT,
            "used: its command was run where its task was done; not_again: the error did not come "
            "back; ended_soon: the check passed within a few runs; not_repeated: the person did "
            "not have to say it again. Empty where nothing tells.",
        ),
        "shown": Column(COUNT, "Sessions in which it was shown, and the outcome was to be seen."),
        "shown_good": Column(COUNT, "… and was good."),
        "held": Column(COUNT, "Sessions in which it was held out, likewise."),
        "held_good": Column(COUNT, "… and was good."),
        "offered": Column(COUNT, "Sessions in which it was shown or held out at all."),
        "difference": Column(REAL, "Share of good ones, shown less held out.", null=True),
        "low": Column(REAL, "Lower bound of its 95 % interval (Newcombe).", null=True),
        "high": Column(REAL, "Upper bound.", null=True),
        "verdict": Column(TEXT, "helps, harms, nothing, too_few or not_measured."),
        "last_offered": Column(TIME, "When it was offered last.", null=True),
    },
    key=("namespace", "kind", "piece_id", "outcome"),
)
