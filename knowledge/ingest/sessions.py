"""Conversations and episodes: what raw logs amount to, seen from a distance."""

import polars as pl

from cairn.knowledge.ingest.titles import MAKES_HISTORY, subject, title
from cairn.knowledge.llm.prompt_injection import quiet, quiet_names, unmarked
from cairn.knowledge.nlp.text import CHARACTERS_PER_TOKEN, ERROR_LINE
from cairn.knowledge.schema.identity import SEPARATOR, digest_column, digests_of_beginnings
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables import CONVERSATIONS, EPISODES, RAW_LOGS

INBOX = "inbox"
"""The source of what people and agents hand to Cairn."""

PASSAGE, LONGEST_PART = 600, 15_000
"""Characters of a passage, and of a request and of an answer that are found by passages: of what is
longer (a pasted log) the beginning."""

_TOLD = sorted(RAW_LOGS.columns.keys() - {"text", "tool_input", *RAW_LOGS.processing})
"""All that later stages read of a record; its content_hash stands for text and input."""


_BY_PERSON = (pl.col("origin") == "human") & pl.col("kind").is_in(["message", "search", "note"])
_BY_AGENT = (
    (pl.col("origin") == "agent")
    & (pl.col("kind") == "message")
    & ~pl.col("sidechain")
    & (pl.col("text").str.strip_chars() != "")
)
_FAILED = (pl.col("kind") == "tool_result") & pl.col("is_error")


def in_episodes() -> pl.Expr:
    """Whether an episode has words of a row of raw_logs: a request, an answer, an error."""
    return _BY_PERSON | _BY_AGENT | _FAILED


def conversations(raw_logs: pl.DataFrame) -> pl.DataFrame:
    """One row per conversation, from its raw logs (rows of whole conversations)."""
    human = pl.col("origin") == "human"
    said = pl.col("kind") == "message"
    noted = pl.col("kind").is_in(["document", "knowledge", "imported", "decision", "effect"])
    # Of the inbox, messages and notes alone are what logs are: all else is said to Cairn, or what
    # Cairn found.
    beside = (pl.col("source") == INBOX) & (
        ~pl.col("kind").is_in(["message", "note"]) | (pl.col("origin") == "recalled")
    )
    characters = pl.col("text").str.len_chars() + pl.col("tool_input").str.len_chars().fill_null(0)
    failed = pl.col("call_id").filter(_FAILED).drop_nulls().implode()
    made = (
        raw_logs.sort("namespace", "conversation_id", "seq")
        .group_by("namespace", "conversation_id", "day")
        .agg(
            source=pl.col("source").first(),
            project=pl.col("project").drop_nulls().first(),
            speaker=pl.col("name").filter(_BY_PERSON).drop_nulls().first(),
            requests=pl.col("text").filter(human & said).head(3),
            makes=pl.col("tool_input").filter(
                (pl.col("kind") == "tool_call")
                & pl.col("tool_input").str.contains(MAKES_HISTORY)
                & ~pl.col("call_id").is_in(failed).fill_null(value=False)
            ),
            started_at=pl.col("occurred_at").filter(~noted).min(),
            ended_at=pl.col("occurred_at").filter(~noted).max(),
            # What is known does not age by what is told or asked about it.
            logged_at=pl.col("occurred_at").filter(~beside).max(),
            last_input_at=pl.col("occurred_at").filter(beside & (pl.col("kind") != "effect")).max(),
            records=pl.len(),
            messages=(said & pl.col("origin").is_in(["human", "agent"])).sum(),
            human_messages=(said & human).sum(),
            tool_calls=(pl.col("kind") == "tool_call").sum(),
            errors=pl.col("is_error").sum(),
            tokens=(characters.sum() / CHARACTERS_PER_TOKEN).ceil(),
            hashes=_told().str.join("\n"),
        )
    )
    told = {
        "title": ("human", [title(each) for each in made["requests"].to_list()]),
        "subject": ("agent", [subject(each) for each in made["makes"].to_list()]),
    }
    return CONVERSATIONS.frame(
        made.with_columns(
            *(
                quiet(
                    pl.Series(name, texts, pl.String), pl.repeat(origin, made.height, eager=True)
                ).str.strip_chars()
                for name, (origin, texts) in told.items()
            ),
            quiet_names(made["project"]),
        ).with_columns(content_hash=digest_column("hashes"))
    )


def grown(raw_logs: pl.DataFrame, before: pl.DataFrame) -> pl.DataFrame:
    """Those of `before` whose conversation begins, record for record, with what it was then.

    Args:
        raw_logs: Rows of whole conversations.
        before: namespace, conversation_id, content_hash as in CONVERSATIONS, and more columns.
    """
    key = ["namespace", "conversation_id"]
    told = raw_logs.sort(*key, "seq").group_by(key, maintain_order=True).agg(told=_told())
    same = [
        before_hash in digests_of_beginnings(lines, "\n")
        for before_hash, lines in before.join(told, on=key, how="left", maintain_order="left")
        .select("content_hash", pl.col("told").fill_null([]))
        .iter_rows()
    ]
    return before.filter(pl.Series(same, dtype=pl.Boolean))


def _told() -> pl.Expr:
    """What stands for a record in the content_hash of its conversation."""
    told = [pl.col(name).cast(pl.String).fill_null("") for name in _TOLD]
    return pl.concat_str(told, separator=SEPARATOR)


def episodes(raw_logs: pl.DataFrame, policy: Policy) -> pl.DataFrame:
    """One row per request with the work up to the next.

    `text` is what is embedded: the request, the agent's last answer, then error lines, cut at
    `policy.episode_text_characters` at the end of a sentence. Lines that give orders to a model are
    in none of it, and `quarantined` counts the records that have some: in request and answer
    a mark stands in their place, as long as they were, since places are counted in requests.
    """
    logs = raw_logs.filter(pl.col("episode_id").is_not_null()).sort(
        "namespace", "conversation_id", "seq"
    )
    said = logs.select("origin", text=pl.when(in_episodes()).then("text"))
    kept = quiet(said["text"], said["origin"])
    line_of_error = (
        pl.when(_FAILED).then(pl.col("kept")).str.extract(r"(?m)^(.*" + ERROR_LINE + r".*)$", 1)
    )
    grouped = (
        logs.with_columns(kept=kept, quarantined=(kept != said["text"]).fill_null(value=False))
        .with_columns(line_of_error=line_of_error.str.slice(0, 300))
        .group_by("namespace", "day", "conversation_id", "episode_id")
        .agg(
            first_seq=pl.col("seq").min(),
            project=pl.col("project").drop_nulls().first(),
            speaker=pl.col("name").filter(_BY_PERSON).drop_nulls().first(),
            request=pl.col("kept").filter(_BY_PERSON).str.join("\n"),
            answer=pl.col("kept").filter(_BY_AGENT).last(),
            error_lines=pl.col("line_of_error").drop_nulls().str.join("\n"),
            started_at=pl.col("occurred_at").min(),
            ended_at=pl.col("occurred_at").max(),
            records=pl.len(),
            quarantined=pl.col("quarantined").sum(),
            tool_calls=(pl.col("kind") == "tool_call").sum(),
            errors=pl.col("is_error").sum(),
        )
    )
    told = [pl.col(name).fill_null("") for name in ("request", "answer", "error_lines")]
    text = cut_at_sentence(
        unmarked(pl.concat_str(told, separator="\n")).str.strip_chars(),
        policy.episode_text_characters,
    )
    return EPISODES.frame(
        with_passages(grouped.with_columns(text=text)).with_columns(
            quiet_names(grouped["project"]),
            seq=pl.col("first_seq").rank("ordinal").over("namespace", "conversation_id") - 1,
            answer=pl.col("answer").fill_null(""),
            quarantined=pl.when(pl.col("quarantined") > 0).then("quarantined"),
        )
    )


def with_passages(episodes: pl.DataFrame) -> pl.DataFrame:
    """Episodes with `passages`: what their request and answer say behind their text.

    Args:
        episodes: request, answer and text, the beginning of both together.

    Returns:
        The same, and passages of at most PASSAGE characters, cut at ends of sentences; null where
        the text says all.
    """
    parts = [
        unmarked(pl.col(name).fill_null("")).str.slice(0, LONGEST_PART)
        for name in ("request", "answer")
    ]
    whole = pl.concat_str(parts, separator="\n").str.strip_chars()
    behind = whole.str.slice(pl.col("text").str.len_chars()).str.strip_chars_start()
    placed = episodes.with_row_index("_row")
    asked, answered = (pl.col(name).str.len_chars().fill_null(0) for name in ("request", "answer"))
    # Most texts say all: of those no mark is looked for once more.
    longer = asked + answered + (answered > 0) > pl.col("text").str.len_chars()
    rest = placed.filter(longer).select("_row", rest=behind)
    cut: list[pl.DataFrame] = []
    while (rest := rest.filter(pl.col("rest") != "")).height:
        rest = rest.with_columns(passage=cut_at_sentence(pl.col("rest"), PASSAGE))
        cut.append(rest.select("_row", "passage"))
        behind = pl.col("rest").str.slice(pl.col("passage").str.len_chars())
        rest = rest.select("_row", rest=behind.str.strip_chars_start())
    passages = pl.concat([*cut, pl.DataFrame(schema={"_row": pl.UInt32, "passage": pl.String})])
    own = passages.group_by("_row", maintain_order=True).agg(passages="passage")
    return placed.join(own, on="_row", how="left").drop("_row")


def cut_at_sentence(text: pl.Expr, characters: int) -> pl.Expr:
    """`text` cut to at most `characters`, at the last end of a sentence or line if there is one."""
    head = text.str.slice(0, characters)
    whole = head.str.extract(r"(?s)^(.*[.!?…。！？](?:\s|$)|.*\n)")
    return (
        pl.when(text.str.len_chars() <= characters)
        .then(text)
        .otherwise(pl.coalesce(whole, head))
        .str.strip_chars()
    )
