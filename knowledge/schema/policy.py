"""Every threshold, weight and list that decides something, with its default, in one table."""

import re
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

_LEARNED = re.compile(r"\S+(?: \S+)?=[a-z][a-z0-9_]*|\S+(?: \S+)?=")


class Policy(BaseModel):
    """The values that decide. Each is part of the fingerprint of what it decides."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    channel_silence_hours: float = Field(
        6.0, ge=0, le=1e6, description="Silence that cuts an endless channel."
    )
    leap_days: float = Field(
        365.0,
        gt=1,
        le=1e5,
        description="Least leap of a session that is doubted, beyond all other times.",
    )
    pause_years: float = Field(
        8.0, gt=0, le=1e3, description="Longest pause in a namespace that is believed at once …"
    )
    late_days: int = Field(7, description="… and most days after a longer one that are doubted.")
    episode_text_characters: int = Field(1200, description="Longest text embedded for an episode.")
    redact_personal: bool = Field(False, description="Also redact e-mail, phone, card and IBAN.")

    target_systems: tuple[str, ...] = Field(
        ("unraid", "server", "nas", "docker", "kubernetes", "proxmox", "raspberry pi", "postgres",
         "redis", "nginx", "router", "cluster"),
        description="Words that targets_system looks for in a person's request.",
    )  # fmt: skip
    learned_operations: tuple[str, ...] = Field(
        (),
        description="Operation types of commands that no rule names, each as `program=type` or "
        "`program operand=type`; with nothing after `=` a proposal is dismissed.",
    )
    operation_min_commands: int = Field(
        5, description="Fewest different commands of a proposed operation type."
    )
    operation_min_conversations: int = Field(2, description="… and fewest conversations.")
    name_words: int = Field(8, description="Most words in a free-text name.")
    min_name_similarity: float = Field(
        0.35, description="Least similarity of a name to its context."
    )
    min_asked_similarity: float = Field(
        0.075,
        description="Least similarity of what a search brought about a name to what was asked.",
    )

    chunk_tokens: int = Field(
        1500, ge=50, description="Most tokens of a conversation in one question to a model."
    )
    model_confidence: float = Field(
        0.6, description="Confidence of what a model found, or grammar in looked-up prose."
    )
    own_statement_confidence: float = Field(
        0.8, description="… where a person says it of what they do, have or decided."
    )

    check_ins: bool = Field(
        True, description="Keep what was given, answered and loaded of each ingested text."
    )

    embedder: str = Field(
        "wordllama",
        description="Embedding model: `wordllama`, `onnx:FOLDER`, `sentence-transformers:NAME` or"
        " `litellm:NAME`; `cairn embedder` changes it without a gap.",
    )
    evidence_similarity: float = Field(
        0.75, description="Least similarity of a supporting episode."
    )
    support_gain: float = Field(0.05, description="c + gain (1 - c) at each support.")
    contradiction_factor: float = Field(0.5, description="c · factor at a clear contradiction.")
    confirm_weight: float = Field(
        0.5, ge=0, le=1, description="c + weight (1 - c) where a person confirms a fact."
    )
    decay_per_day: float = Field(0.01, description="Confidence fades by exp(-rate · days).")
    lasting_decay_per_day: float = Field(
        0.001, description="… of identities, preferences, directives and decisions."
    )
    deprecated_below: float = Field(0.3, description="Deprecated at a reader's as_of below this.")
    passive_above: float = Field(0.5, description="Streamed unasked only above this.")

    holdout_share: float = Field(
        0.1, ge=0, le=1, description="Share of offers that is held out, to measure."
    )

    max_agent_confidence: float = Field(
        0.5,
        ge=0,
        le=1,
        description="Most confidence of what only an agent said, until a person assents or an "
        "outcome bears it out.",
    )
    max_outside_confidence: float = Field(
        0.4,
        ge=0,
        le=1,
        description="… of what stood in a page or a tool's output before the agent said it.",
    )
    max_vague_confidence: float = Field(
        0.4,
        ge=0,
        le=1,
        description="… of what only an agent said, as a guess or without a name of anything that "
        "its conversation showed.",
    )
    max_pasted_confidence: float = Field(
        0.7, ge=0, le=1, description="… of what stood in a person's message too long to be typed."
    )

    merge_similarity: float = Field(
        0.85, description="Least similarity of facts in other words that may be one."
    )
    contradiction_similarity: float = Field(
        0.75, description="Least similarity of facts that are compared if they differ in words."
    )
    single_valued: tuple[str, ...] = Field(
        (), description="Slots that hold one value at a time beside those known: `ci runs on *`."
    )
    many_valued: tuple[str, ...] = Field(
        (), description="Slots known to hold one value that hold many here: `cat be called *`."
    )
    max_retraction_ratio: float = Field(
        0.05,
        ge=0,
        le=1,
        description="Largest share of published statements that one publication may strike out.",
    )
    max_retraction_count: int = Field(
        20, ge=0, description="… where these are more than so many statements."
    )

    merge_confidence_gap: float = Field(0.3, description="Widest gap of confidence in a merge.")
    min_merge_confidence: float = Field(0.6, description="One member at least above this.")
    pairs_per_call: int = Field(
        40,
        ge=1,
        description="Most pairs of facts, or of entities, in the one question of a night to a"
        " model.",
    )
    alike_name_similarity: float = Field(
        0.7,
        ge=0,
        le=1,
        description="Least similarity of two names by which a model, or a person, is asked whether"
        " they are of one thing.",
    )
    min_same_confidence: float = Field(
        0.8,
        ge=0,
        le=1,
        description="How sure a model must be that two entities are one, for them to be.",
    )
    candidate_margin: float = Field(1e-4, description="Margin by which products find candidates.")
    template_size: int = Field(
        20,
        ge=1,
        description="Most facts about one entity that are the same but for numbers of which all "
        "pairs are compared.",
    )

    theme_min_size: int = Field(3, description="Fewest episodes of a theme.")
    cluster_neighbours: int = Field(1, description="Neighbours that make a core of a cluster.")
    cluster_min_size: int = Field(3, description="Fewest facts of a topic.")

    min_conversation_value: float = Field(
        0.3, description="Least value of a conversation worth reading."
    )
    min_category_score: float = Field(0.5, description="Least score of a category.")
    min_learning_confidence: float = Field(0.6, description="Least confidence of a learning.")
    min_advice_confidence: float = Field(0.65, description="… of a best_practice or anti_pattern.")
    learning_similarity: float = Field(0.85, description="Similarity that makes a duplicate.")
    learning_hamming: int = Field(3, description="SimHash distance below which it is a duplicate.")

    interest_half_life: float = Field(
        30.0, gt=0, description="Days in which what an engagement adds to interest halves."
    )
    interest_repeat: float = Field(
        0.2,
        ge=0,
        le=1,
        description="Share of the touch before that the next of its kind adds on one day.",
    )
    preference_similarity: float = Field(
        0.65, ge=0, le=1, description="Least similarity of an entity to what is liked or disliked."
    )
    learn_searches: int = Field(
        4, ge=3, le=5, description="Searches of a learn prompt, where no model words them."
    )
    research_types: tuple[str, ...] = Field(
        ("topic", "system", "package", "tool"),
        description="Types of entities whose names may be searched for unasked.",
    )
    min_research_interest: float = Field(
        0.1, gt=0, description="Least interest in what is searched for unasked."
    )
    research_top: int = Field(
        3, ge=0,
        description="Of what was cared about before searches were switched on, so many of the most"
        " are searched for at once, and all that was said to be liked; not what was just named.",
    )  # fmt: skip
    research_wait_days: float = Field(
        7.0, gt=0, description="Days until an entity is searched for unasked again."
    )
    research_empty_days: float = Field(
        30.0, gt=0, description="… where the last search for it brought nothing."
    )
    notify_triggers: tuple[Literal["enrichment", "learn_command", "user_message"], ...] = Field(
        ("enrichment",),
        description="What searches find that was set off so is told; user_message is a schedule.",
    )
    notify_days: float = Field(
        7.0, gt=0, le=1e5, description="Days after which what was found is not told any more."
    )
    notify_words: int = Field(
        2,
        ge=1,
        description="Fewest words of a fact, beside the name and function words, to be told.",
    )
    notify_similarity: float = Field(
        0.75,
        ge=0,
        le=1,
        description="Similarity at which a fact is no news about what is well known.",
    )

    search_limit: int = Field(5, ge=1, le=100_000, description="Results of a search.")
    search_min_confidence: float = Field(0.3, description="Least confidence of a result.")
    search_per_arm: int = Field(20, description="Candidates taken from each arm.")
    search_diversity: float = Field(0.8, description="Similarity at which results are one group.")
    known_entities: int = Field(
        3, ge=1, description="Entities that a message is taken to be about."
    )
    known_facts: int = Field(5, ge=1, description="Facts that are told of each of them.")
    known_similarity: float = Field(
        0.35, ge=0, le=1, description="Least similarity to the message of a fact that is told."
    )
    sufficient_similarity: float = Field(
        0.5,
        ge=0,
        le=1,
        description="Similarity of one fact to a message from which memory is enough to answer it.",
    )
    streamed: int = Field(5, ge=1, description="Most facts, and most episodes, streamed unasked.")
    weight_dense: float = Field(
        0.4, ge=0, le=1, description="Share of the vector in similarity; the rest is the words'."
    )
    min_search_relevance: float = Field(
        0.55,
        ge=0,
        le=2,
        description="Similarity by vector, and share of the query's words, that one result must "
        "reach together; the others half of it.",
    )
    reranker: str = Field(
        "none",
        description="What orders the best results once more: `none`, `onnx:FOLDER` (a"
        " cross-encoder) or `litellm:NAME`; it changes no table.",
    )
    reranked: int = Field(50, ge=1, description="Best results that a reranker reads.")
    weight_reranker: float = Field(
        0.5,
        ge=0,
        le=1,
        description="Share of a reranker in the similarity by which results are ordered.",
    )
    weight_similarity: float = Field(0.6, description="Weight of similarity in a result's score.")
    weight_confidence: float = Field(0.3, description="Weight of confidence.")
    weight_recency: float = Field(0.1, description="Weight of recency.")

    @field_validator("learned_operations")
    @classmethod
    def _sorted(cls, lines: tuple[str, ...]) -> tuple[str, ...]:
        """In one order, so that the order in which a person wrote them redoes nothing."""
        for line in lines:
            if not _LEARNED.fullmatch(line):
                raise ValueError(
                    f"{line!r} is not like `terraform plan=infrastructure` (lower case and _), or "
                    "`terraform plan=` to dismiss it"
                )
        return tuple(sorted(set(lines)))
