"""What people say for or against something: commands, reactions and statements of their own.

Each is a sign about a topic, as it was said; which entities it touches is found by its name and by
similarity (knowledge/interests/interests.py), since a person may dislike what nothing is known
about yet.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

import polars as pl

from cairn.knowledge.llm.prompt_injection import orders_among
from cairn.knowledge.nlp.names import canonical, canonical_column
from cairn.knowledge.nlp.patterns import lazy_pattern
from cairn.knowledge.nlp.spans import asks, place_of_name, within_quotation
from cairn.knowledge.nlp.text import STOP_WORDS, sentences, words
from cairn.knowledge.schema.predicates import ATTITUDES, BY_PERSON

READ_BY_MODEL = pl.col("predicate").is_in(list(ATTITUDES.values())) & (pl.col("origin") == "human")
"""Rows of CANDIDATES by which a model says what a person likes and dislikes."""

SPOKEN = ("message", "note")
"""Kinds in which a person speaks freely."""

ACTS = ("like", "unlike", "dislike", "undislike", "mute", "unmute")
"""Verbs of commands that say, or take back, what somebody thinks of something."""

STRENGTHS = {
    ("command", 1): 0.8,
    ("command", -1): 0.8,
    ("statement", 1): 0.7,
    ("statement", -1): 0.7,
    ("proactive_reaction", 1): 0.5,
    ("proactive_reaction", -1): 0.8,
    ("reaction", 1): 0.3,
    ("reaction", -1): 0.3,
}
"""By what was said in, and for or against: how strong a sign it is."""

_POSITIVE = """
👍 ❤ 🧡 💛 💚 💙 💜 🖤 🤍 🔥 🎉 😍 🥰 😊 😀 😃 😄 😁 🙂 🤩 😻 👏 🙌 💯 🙏 ⭐ 🌟 ✨ 🚀 👌 💪 🤗
+1 thumbsup thumbs_up up upvote heart love loved like liked tada clap fire star yes great nice
thanks
"""
_NEGATIVE = """
👎 😠 😡 🤬 😒 🙄 😞 😕 🙁 ☹ 😣 😖 😤 🤮 🤢 💩 💔 🚫 ❌ 🛑 🥱 😴 😑 -1 thumbsdown thumbs_down down
downvote dislike disliked no boring stop hate
"""
POSITIVE = frozenset(_POSITIVE.split()) | {"thumbs up", "love it", "thank you"}
NEGATIVE = frozenset(_NEGATIVE.split()) | {"thumbs down"}
"""Emoji and words of reactions, in lower case, without skin tones."""

MOST_NAMED = 3
"""Entities that a message may name for a reaction to it to say what somebody likes."""

SIGNS = pl.Schema(
    {
        "namespace": pl.String(),
        "record_id": pl.String(),
        "occurred_at": pl.Datetime("us", "UTC"),
        "conversation_id": pl.String(),
        "seq": pl.Int64(),
        "place": pl.Int64(),
        "person": pl.String(),
        "source": pl.String(),
        "said_in": pl.String(),
        "act": pl.String(),
        "topic": pl.String(),
        "name": pl.String(),
        "entity_id": pl.String(),
        "valence": pl.Int64(),
    }
)

_TONES = "[\\x{1F3FB}-\\x{1F3FF}\\x{FE0F}]"
_HOW = (
    r"(?:\s+(?:really|truly|absolutely|just|also|still|do|quite|very\s+much|especially|always"
    r"|definitely|simply|honestly|totally|actually|genuinely))*"
)
_AM = r"(?:\s+am|['’]?m)"
_NOT = r"(?:\s+(?:don['’]?t|do\s+not|never|no\s+longer))"
_FOR = (
    rf"\bi{_HOW}\s+(?:like|love|enjoy|adore|(?P<prefer>prefer)|care\s+about)"
    rf"|\bi{_AM}{_HOW}\s+(?:interested\s+in|into|keen\s+on|fond\s+of|passionate\s+about"
    r"|curious\s+about|obsessed\s+with|crazy\s+about|a\s+(?:big\s+|huge\s+)?fan\s+of)"
    r"|\bmy\s+favou?rite(?:\s+\w+)?\s+is"
)
_AGAINST = (
    rf"\bi{_HOW}\s+(?:hate|dislike|detest|loathe|can['’]?t\s+stand|cannot\s+stand)"
    rf"|\bi{_HOW}{_NOT}{_HOW}\s+(?:like|enjoy|love|care\s+(?:about|for)"
    r"|want\s+to\s+hear\s+about)"
    rf"|\bi{_AM}{_HOW}\s+(?:not|no\s+longer){_HOW}\s+(?:interested\s+in|into"
    r"|keen\s+on|fond\s+of|a\s+(?:big\s+|huge\s+)?fan\s+of)"
    rf"|\bi{_AM}{_HOW}\s+(?:tired|sick)\s+of"
)
_SAYS = rf"(?:(?P<against>{_AGAINST})|(?P<for>{_FOR}))"
_STATED = lazy_pattern(rf"{_SAYS}\s+(?P<topic>[^,.;:!?()\n\"“”„«»]+)", re.IGNORECASE)
_MAY_STATE = rf"(?i){_AGAINST}|{_FOR}"
"""What a text has that says anything: one pass of polars spares most of them the rest."""

_TOPIC_ENDS = lazy_pattern(
    r"\s+(?:because|but|since|so|and\s+(?:i|it|they|we|you|he|she)|when|while|if|over|rather"
    r"|you(?:['’]\w+)?|more\s+than|than|such\s+as|as|like|which|that|who|where|any\s*more"
    r"|any\s+longer"
    r"|at\s+all|a\s+lot|the\s+most|very\s+much|too|now|right\s+now|these\s+days"
    r"|at\s+the\s+moment)\b.*",
    re.IGNORECASE | re.DOTALL,
)
_TO = lazy_pattern(r"\s+to\s.*", re.IGNORECASE | re.DOTALL)
_OPENS = lazy_pattern(r"^(?:the|a|an|my|our|some|any|all)\s+", re.IGNORECASE)
_DOING = lazy_pattern(
    r"^(?:listening\s+to|(?:learning|reading|hearing|talking)\s+about|learning|using|watching"
    r"|playing|working\s+(?:with|on|in))\s+(?:the\s+|a\s+|an\s+)?(?=\S)",
    re.IGNORECASE,
)
"""What is done with the thing that is liked."""

_NO_TOPIC = lazy_pattern(
    r"^(?:that|how|what|when|where|why|who|if|whether|it|its|this|these|those|them|him|her|you"
    r"|your|to|one|both|neither|either|about|with|in|on|at|for|from|of|and|or|doing|being|having"
    r"|(?:the\s+)?(?:way|idea|fact|look|looks|sound)(?:$|\s)"
    r"|(?:the\s+)?(?:option|choice|answer|suggestion|version)(?:$|\s)"
    r"|(?:the\s+)?(?:first|second|third|last|latter|former|other|new|old)\s+"
    r"(?:one|option|choice|idea|version)(?:$|\s))\b",
    re.IGNORECASE,
)
_SUPPOSED = lazy_pattern(
    r"\b(?:if|whether|when|unless|do|does|did|would|could|as|not\s+that"
    r"|(?:says?|said|saying)(?:\s+that)?)\s+$",
    re.IGNORECASE,
)
_MOST_WORDS = 8


class StatedAttitude(NamedTuple):
    """That a person says to like (1) or dislike (-1) a topic; a span in the text (code points)."""

    topic: str
    valence: int
    start: int
    end: int


def attitudes(
    raw_logs: pl.DataFrame, named: pl.DataFrame, entities: pl.DataFrame, read: pl.DataFrame
) -> pl.DataFrame:
    """What people said for or against something, and what they took back.

    Args:
        raw_logs: RAW_LOGS rows.
        named: namespace, record_id, entity_id: what messages name (`mentions.named_in`).
        entities: ENTITIES rows.
        read: Rows of CANDIDATES that are READ_BY_MODEL; some columns are enough.

    Returns:
        Rows of SIGNS. `act` is one of ACTS, `name` the canonical form of `topic`; `said_in` is
        command, statement, reaction or proactive_reaction; `valence` 0 for what is taken back or
        muted; `entity_id` is set for reactions, whose topic is null where the message answered
        names more than MOST_NAMED entities. `place` is where in its text a statement begins;
        `person` who says it, null where the source does not name them.
    """
    said = raw_logs.filter(BY_PERSON).rename({"name": "person"})
    statements = _better(_statements(said), _read(said, read))
    parts = [_commands(said), statements, _reactions(said, raw_logs, named, entities)]
    signs = pl.concat(part.select(SIGNS.names()) for part in parts)
    signs = signs.filter(~orders_among(signs["topic"])).with_columns(
        person=pl.col("person").str.strip_chars().replace({"": None})
    )
    by_place = ["namespace", "record_id", "name", "entity_id", "place", "topic", "act"]
    # Of what somebody says about a thing in one message, the last word counts.
    return signs.sort(by_place).unique(by_place[:4], keep="last", maintain_order=True)


def _commands(said: pl.DataFrame) -> pl.DataFrame:
    told = pl.col("tool_input").str.json_path_match
    return (
        said.filter(kind="command")
        .with_columns(act=told("$.verb"), topic=told("$.argument").str.strip_chars())
        .filter(pl.col("act").is_in(ACTS))
        .with_columns(
            name=canonical_column("topic", pl.lit("topic")),
            valence=pl.col("act").replace_strict(
                {"like": 1, "dislike": -1}, default=0, return_dtype=pl.Int64
            ),
            source="kind",
            said_in=pl.lit("command"),
            entity_id=pl.lit(None, pl.String),
            place=pl.lit(0, pl.Int64),
        )
        .filter(pl.col("name") != "")
    )


def stated(text: str) -> Iterator[StatedAttitude]:
    """What a person says for or against things in a text; never in a question."""
    for start, end in sentences(text):
        sentence = text[start:end]
        if asks(sentence):
            continue
        for found in _STATED.finditer(sentence):
            said = _TOPIC_ENDS.sub("", found["topic"]).strip()
            if found["prefer"]:
                said = _TO.sub("", said)
            topic = _OPENS.sub("", _DOING.sub("", _OPENS.sub("", said)))
            if (
                _SUPPOSED.search(sentence[: found.start()])
                or within_quotation(sentence, *found.span())
                or _NO_TOPIC.match(said)
                or _NO_TOPIC.match(topic)
                or not 0 < len(topic.split()) <= _MOST_WORDS
                or STOP_WORDS.issuperset(words(topic))
            ):
                continue
            valence = -1 if found["against"] else 1
            yield StatedAttitude(topic, valence, start + found.start(), start + found.end())


def _statements(said: pl.DataFrame) -> pl.DataFrame:
    """What rules find, with `end`: where its words end."""
    free = said.filter(pl.col("kind").is_in(SPOKEN), pl.col("text").str.contains(_MAY_STATE))
    told = [
        (row, one.topic, canonical(one.topic, "topic"), one.valence, one.start, one.end)
        for row, text in enumerate(free["text"].to_list())
        for one in stated(text)
    ]
    schema = {
        "row": pl.UInt32, "topic": pl.String, "name": pl.String, "valence": pl.Int64,
        "place": pl.Int64, "end": pl.Int64,
    }  # fmt: skip
    found = pl.DataFrame(told, schema=schema, orient="row")
    return _as_statements(found.join(free.with_row_index("row"), on="row"))


def _read(said: pl.DataFrame, read: pl.DataFrame) -> pl.DataFrame:
    """What a model found, likewise."""
    valence = {predicate: 1 if act == "like" else -1 for act, predicate in ATTITUDES.items()}
    found = read.select(
        "namespace",
        "record_id",
        topic="entity_name",
        name=canonical_column("entity_name", pl.lit("topic")),
        valence=pl.col("predicate").replace_strict(valence, return_dtype=pl.Int64),
        place="quote_start",
        end="quote_end",
    )
    free = said.filter(pl.col("kind").is_in(SPOKEN))
    return _as_statements(found.join(free, on=["namespace", "record_id"]))


def _as_statements(found: pl.DataFrame) -> pl.DataFrame:
    return found.with_columns(
        act=_act(), source="kind", said_in=pl.lit("statement"), entity_id=pl.lit(None, pl.String)
    ).select(*SIGNS.names(), "end")


def _better(ruled: pl.DataFrame, read: pl.DataFrame) -> pl.DataFrame:
    """Statements of both, each once: a model knows better what they are about.

    Where it reads in the words of a rule's statement a name that the rule's topic holds, its
    reading stands: "bouldering" for "bouldering with friends".
    """
    record = ["namespace", "record_id"]
    both = ruled.with_row_index("row").join(read, on=record, suffix="_read")
    both = both.filter(pl.col("place") < pl.col("end_read"), pl.col("place_read") < pl.col("end"))
    columns = ["row", "topic", "topic_read"]
    covered = {
        row for row, topic, name in both.select(columns).iter_rows() if place_of_name(name, topic)
    }
    kept = ruled.with_row_index("row").filter(~pl.col("row").is_in(list(covered))).drop("row")
    return pl.concat([kept, read])


def _act() -> pl.Expr:
    return pl.when(pl.col("valence") > 0).then(pl.lit("like")).otherwise(pl.lit("dislike"))


def _reactions(
    said: pl.DataFrame, raw_logs: pl.DataFrame, named: pl.DataFrame, entities: pl.DataFrame
) -> pl.DataFrame:
    word = pl.col("text").str.replace_all(_TONES, "").str.strip_chars(" :!.\t\n").str.to_lowercase()
    valence = pl.when(word.is_in(POSITIVE)).then(1).when(word.is_in(NEGATIVE)).then(-1)
    answered = raw_logs.filter(kind="message").select(
        "namespace", reply_to="native_id", answered="record_id", unasked="proactive"
    )
    names = entities.select("namespace", "entity_id", topic="display_name")
    few = pl.len().over("namespace", "record_id") <= MOST_NAMED
    return (
        said.filter(kind="reaction")
        .with_columns(valence=valence.cast(pl.Int64))
        .drop_nulls(["valence", "reply_to"])
        .join(answered, on=["namespace", "reply_to"])
        .join(
            named.rename({"record_id": "answered"}).select("namespace", "answered", "entity_id"),
            on=["namespace", "answered"],
        )
        .join(names, on=["namespace", "entity_id"])
        .group_by(
            "namespace", "record_id", "entity_id", "topic", "occurred_at", "conversation_id", "seq",
            "person", "kind", "valence",
        )
        .agg(unasked=(pl.col("unasked") | pl.col("proactive")).any())
        .with_columns(
            act=_act(),
            source="kind",
            said_in=pl.when("unasked")
            .then(pl.lit("proactive_reaction"))
            .otherwise(pl.lit("reaction")),
            topic=pl.when(few).then("topic"),
            place=pl.lit(0, pl.Int64),
        )
        .with_columns(name=canonical_column(pl.col("topic").fill_null(""), pl.lit("topic")))
        .with_columns(name=pl.when(pl.col("topic").is_not_null()).then("name"))
    )  # fmt: skip
