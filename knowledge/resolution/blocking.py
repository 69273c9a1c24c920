"""Pairs of entities that a rule holds for one: candidates by equal keys, never all pairs."""

import re

import polars as pl

from cairn.knowledge.nlp.names import canonical_column
from cairn.knowledge.resolution.attribute_match import compared, context_similarity, sharing
from cairn.knowledge.resolution.comparison_keys import (
    JOINING,
    STRICT,
    ComparedName,
    forms,
    initial_keys,
    kind_key,
    mistyped,
    person_key,
    plural_key,
    read_name,
    same_key,
    short_key,
    spelled_out,
    surely_mistyped,
    typo_keys,
)
from cairn.knowledge.resolution.weighted_names import like_records
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.vectors.model import Embedder

PAIR = ["namespace", "left", "right"]
SAME_NAME, SAME_PART = 0.8, 0.9
"""Least weight in common of both names and of the shorter one, where an attribute agrees."""

LIKE_NAME, LIKE_PART, LIKE_RECORD = 0.5, 0.8, 0.75
"""The same, and of all that is told of one, where most of it is."""

LONG_NAME, LONG_PART, LONG = 0.4, 0.6, 8
"""The same where much is told, and how many rare words that are in common are much."""

RARE, OFTEN = 2, 3
"""Mentions of a mistyped name at most, and how many times those of the right one at least."""

SEVERAL = 2
"""Statements about a name and about its initials, at least: one may be like another by chance."""

_NONE = pl.DataFrame(schema=dict.fromkeys([*PAIR, "rule"], pl.String()))
"""No pair: to work out that a rule finds none takes longer than to see it."""

_TEXTS = pl.List(pl.String())
_KEYS = pl.Schema(
    {
        "display_name": pl.String(), "type": pl.String(), "words": _TEXTS, "literals": _TEXTS,
        "same": pl.String(), "spelled": pl.String(), "plain": pl.String(), "plural": pl.String(),
        "bare": pl.String(), "head": pl.String(), "is_one": pl.Boolean(), "short": pl.String(),
        "initials": _TEXTS, "typos": _TEXTS,
    }
)  # fmt: skip


def named(entities: pl.DataFrame) -> pl.DataFrame:
    """Entities with what is compared of their names: words, literals, and a key per rule."""
    names = entities.select("display_name", "type").unique().sort("display_name", "type")
    rows = [_keys(*row) for row in names.iter_rows()]
    columns = {name: [row.get(name) for row in rows] for name in list(_KEYS)}
    keys = pl.DataFrame(columns, schema=_KEYS)
    return entities.join(keys, on=["display_name", "type"])


def _keys(display: str, type_: str) -> dict[str, object]:
    name = read_name(display, type_)
    row: dict[str, object] = {
        "display_name": display, "type": type_, "words": name.words, "literals": name.literals
    }  # fmt: skip
    if type_ in STRICT:
        return {**row, "same": name.literals[0], "plain": name.literals[0]}
    spelled = spelled_out(display)
    if type_ == "person" or not name.words:
        key = person_key(name) or None
        row |= {"same": key, "plain": key}
        return row | ({"spelled": person_key(read_name(spelled, type_))} if spelled else {})
    bare, head, is_one = kind_key(name) or (None, None, None)
    return {
        **row,
        "same": same_key(name),
        "spelled": same_key(read_name(spelled, type_)) if spelled else None,
        "plain": same_key(read_name(display, type_, known=False)),
        "plural": plural_key(name, display),
        "bare": bare,
        "head": head,
        "is_one": is_one,
        "short": short_key(name),
        "initials": initial_keys(name),
        "typos": typo_keys(name, display),
    }


def equal_names(names: pl.DataFrame) -> pl.DataFrame:
    """The same words, in any spelling; known names; names of persons; plurals."""
    person = pl.when(type="person").then(pl.lit("person"))
    plain = person.when(pl.col("plain") == pl.col("plain_right")).then(pl.lit("same_words"))
    return pl.concat(
        [
            _pairs(_joined(names, names, "same", "same"), plain.otherwise(pl.lit("alias"))),
            _pairs(
                _joined(names, names, "spelled", "same", once=False),
                person.otherwise(pl.lit("same_words")),
            ),
            _pairs(_joined(names, names, "plural", "plural"), pl.lit("plural")),
        ]
    )


def same_names(names: pl.DataFrame) -> pl.DataFrame:
    """A topic and an observed thing of one name, where the name can mean no other.

    A system under any of its names; a project or package only under its own, and if that has
    several words, since a folder or a package may be called `docs` or `requests`.
    """
    topics = names.filter(type="topic")
    systems = topics.join(names.filter(type="system"), on=["namespace", "same"])
    several = pl.col("name").str.contains(r"[\p{L}\p{N}][-_ .][\p{L}\p{N}]")
    observed = names.filter(pl.col("type").is_in(["project", "package"]) & several)
    observed = observed.with_columns(canonical=canonical_column("name", pl.lit("topic")))
    named_so = topics.with_columns(canonical="name").join(observed, on=["namespace", "canonical"])
    return pl.concat(
        [
            _pairs(
                systems,
                pl.when(pl.col("name") == pl.col("name_right"))
                .then(pl.lit("same_name"))
                .when(pl.col("plain") == pl.col("plain_right"))
                .then(pl.lit("same_words"))
                .otherwise(pl.lit("alias")),
            ),
            _pairs(named_so, pl.lit("same_name")),
        ]
    )


def stated(names: pl.DataFrame, said: pl.DataFrame) -> pl.DataFrame:
    """Names that a statement surely says are one, if no number or letter differs in them."""
    if said.is_empty():
        return _NONE
    sure = _of_both(
        _identified(names, said.filter("surely")), names, "literals", "short", "initials"
    )
    agree = pl.col("literals").list.sort() == pl.col("literals_right").list.sort()
    return _pairs(sure.filter(agree | _shortened()), pl.lit("stated"))


def containing(names: pl.DataFrame, facts: pl.DataFrame) -> pl.DataFrame:
    """A name and the same with the kind of thing behind it, where the thing is known to be one.

    It is known everywhere (knowledge/resolution/gazetteer.py), or a statement about it says so:
    "Moneybox is our ledger service".
    """
    headed = names.drop_nulls("bare")
    if headed.is_empty():
        return _NONE
    both = _joined(names, headed, "same", "bare")
    certain = both.filter("is_one_right")
    rest = both.filter(~pl.col("is_one_right"))
    told = (
        facts.join(
            rest.select("namespace", "entity_id", "name", "entity_id_right", "head_right").unique(),
            on=["namespace", "entity_id"],
        )
        .filter(_says_what_it_is("content", "name", "head_right"))
        .select("namespace", "entity_id", "entity_id_right")
        .unique()
    )
    known = rest.join(told, on=told.columns, how="semi")
    twice = _joined(headed, headed, "bare", "bare").filter("is_one", "is_one_right")
    return pl.concat([_pairs(f, pl.lit("containment")) for f in (certain, known, twice)])


def _says_what_it_is(content: str, name: str, head: str) -> pl.Expr:
    """Whether a statement says that a thing is of a kind, with two words before that at most."""

    def says(rows: pl.Series) -> pl.Series:
        told = [
            re.search(
                rf"(?i)(?<!\w){re.escape(row['name'])},?\s+(?:is\s+)?(?:an?|our|the|my)\s+"
                rf"(?:[\w-]+\s+){{0,2}}(?:{'|'.join(map(re.escape, forms(row['head'])))})(?!\w)",
                row["content"],
            )
            is not None
            for row in rows
        ]
        return pl.Series(told, dtype=pl.Boolean)

    row = pl.struct(content=pl.col(content), name=pl.col(name), head=pl.col(head))
    return row.map_batches(says, return_dtype=pl.Boolean)


def acronyms(
    names: pl.DataFrame, facts: pl.DataFrame, said: pl.DataFrame, embedder: Embedder, policy: Policy
) -> pl.DataFrame:
    """A name and its initials, where a statement puts them side by side, or statements agree.

    Initials that are those of several names, as in "GTM", are of none unless a statement says so.
    """
    long = names.explode("initials").drop_nulls("initials")
    found = _joined(long, names.drop_nulls("short"), "initials", "short", once=False)
    if found.is_empty():
        return _NONE
    pairs = found.select(
        "namespace", left="entity_id", right="entity_id_right", key="initials"
    ).unique()
    beside = _identified(names, said).select(PAIR)
    either = pl.concat([beside, beside.select("namespace", left="right", right="left")]).unique()
    sure = pairs.join(either, on=PAIR, how="semi")
    open_ = pairs.filter(pl.len().over("namespace", "right") == 1).join(
        sure, on=["namespace", "right"], how="anti"
    )
    like = _in_like_company(open_, names, facts, embedder, policy, least=SEVERAL)
    return _pairs(pl.concat([sure, like]), pl.lit("acronym"))


def mistyped_names(
    names: pl.DataFrame, facts: pl.DataFrame, embedder: Embedder, policy: Policy
) -> pl.DataFrame:
    """A rare name that is another but for one letter of a long word, where statements agree."""
    near = _differing_by_a_letter(names)
    if near.is_empty():
        return _NONE
    fewest = pl.min_horizontal("mentions", "mentions_right")
    most = pl.max_horizontal("mentions", "mentions_right")
    near = near.filter(fewest <= RARE, most >= OFTEN * fewest)
    pairs = near.select("namespace", "surely", left="entity_id", right="entity_id_right")
    like = _in_like_company(pairs.filter(~pl.col("surely")), names, facts, embedder, policy, 1)
    found = pl.concat([pairs.filter("surely"), like])
    return _pairs(found, pl.lit("spelling"))


def _differing_by_a_letter(names: pl.DataFrame) -> pl.DataFrame:
    """Pairs of names with a wrong letter, and whether that is `surely` no other word."""
    keyed = names.explode("typos").drop_nulls("typos")
    near = _joined(keyed, keyed, "typos", "typos").unique(
        ["namespace", "entity_id", "entity_id_right"]
    )
    columns = ["words", "literals", "words_right", "literals_right"]
    both = [
        (ComparedName(tuple(a), tuple(b)), ComparedName(tuple(c), tuple(d)))
        for a, b, c, d in near.select(columns).iter_rows()
    ]
    wrong = [mistyped(*pair) for pair in both]
    surely = [one and surely_mistyped(*pair) for one, pair in zip(wrong, both, strict=True)]
    return near.with_columns(surely=pl.Series(surely, dtype=pl.Boolean)).filter(
        pl.Series(wrong, dtype=pl.Boolean)
    )


def nearly_one(names: pl.DataFrame) -> pl.DataFrame:
    """Pairs that a rule would hold for one if more were said of them: namespace, left, right, rule.

    A kind of thing behind a name, initials, and a wrong letter.
    """
    headed = names.drop_nulls("bare")
    long = names.explode("initials").drop_nulls("initials")
    found = {
        "containment": _joined(names, headed, "same", "bare"),
        "acronym": _joined(long, names.drop_nulls("short"), "initials", "short", once=False),
        "spelling": _differing_by_a_letter(names),
    }
    return pl.concat([_pairs(both, pl.lit(rule)) for rule, both in found.items()])


def same_facts(names: pl.DataFrame, values: pl.DataFrame) -> pl.DataFrame:
    """Names that have words in common, where attributes tell that they are of one thing.

    Either a value of many digits agrees and one name holds all words of the other; or some value
    with digits agrees, and every word that only one name has stands in an attribute of either
    ("Sanibel Red", "Point Ybel Sanibel Red" of the brewery Point Ybel).
    """
    sharing_one = sharing(values)
    if sharing_one.is_empty():
        return _NONE
    shared = _of_both(sharing_one, names, "words", "literals", "type")
    shared = shared.filter(
        pl.col("type") == pl.col("type_right"), ~pl.col("type").is_in(list(STRICT))
    )
    told = values.group_by("namespace", "entity_id").agg(
        pl.col("words").list.explode(keep_nulls=False, empty_as_null=False).unique()
    )
    for side in ("left", "right"):
        shared = shared.join(
            told.rename({"entity_id": side, "words": f"{side}_told"}), on=["namespace", side]
        )
    joining = list(JOINING)
    ours, theirs = (pl.col(f"words{side}").list.set_difference(joining) for side in ("", "_right"))
    common = ours.list.set_intersection(theirs).list.len()
    told_words = pl.col("left_told").list.set_union("right_told")
    surplus = ours.list.set_symmetric_difference(theirs)
    explained = surplus.list.set_difference(told_words).list.len() == 0
    contained = common == pl.min_horizontal(ours.list.n_unique(), theirs.list.n_unique())
    literals = pl.col("literals").list.set_symmetric_difference("literals_right")
    alike = shared.with_columns(
        common=common, explained=explained & (common > 1), contained=contained & (common > 0)
    ).filter(literals.list.set_difference(told_words).list.len() == 0)
    judged = alike.join(compared(alike, values), on=PAIR).filter(
        ((pl.col("unique") > 0) & pl.col("contained"))
        | ((pl.col("counts") > 0) & pl.col("explained"))
    )
    return _pairs(judged, pl.lit("same_facts"))


def records(names: pl.DataFrame, facts: pl.DataFrame, values: pl.DataFrame) -> pl.DataFrame:
    """Names of which the rare words agree, where attributes do, or most of all that is told."""
    if values.is_empty():
        return _NONE
    of_attributes = facts.join(values, on=["namespace", "entity_id", "predicate"], how="semi")
    like = like_records(names, of_attributes)
    judged = like.join(compared(like, values), on=PAIR)
    judged = judged.filter(~pl.col("apart") & (_named_alike() | _told_alike()))
    return _pairs(judged, pl.lit("like_record"))


def _named_alike() -> pl.Expr:
    alike = (pl.col("whole") >= SAME_NAME) & (pl.col("part") >= SAME_PART)
    return alike & (pl.col("agreeing") > 0)


def _told_alike() -> pl.Expr:
    alike = (pl.col("whole") >= LIKE_NAME) & (pl.col("part") >= LIKE_PART)
    long = (pl.col("whole") >= LONG_NAME) & (pl.col("part") >= LONG_PART)
    long &= pl.col("amount") >= LONG
    return (alike | long) & (pl.col("shared") >= LIKE_RECORD)


def unclashing(pairs: pl.DataFrame, values: pl.DataFrame) -> pl.DataFrame:
    """Pairs whose attributes let them be one.

    None clashes, or one among three that agree, or beside one of many digits that does; and no more
    differ than agree.
    """
    if pairs.is_empty():
        return pairs
    judged = pairs.join(compared(pairs, values), on=PAIR)
    outweighed = (pl.col("agreeing") >= 3) | (pl.col("unique") > 0)
    same = (pl.col("clashing") == 0) | ((pl.col("clashing") == 1) & outweighed)
    differ = (pl.col("differing") > 1) & (pl.col("differing") > pl.col("agreeing"))
    return judged.filter(same & ~differ).select(pairs.columns)


def _in_like_company(
    pairs: pl.DataFrame,
    names: pl.DataFrame,
    facts: pl.DataFrame,
    embedder: Embedder,
    policy: Policy,
    least: int,
) -> pl.DataFrame:
    """Pairs of entities of which like things are stated, `least` of each."""
    alike = context_similarity(pairs, names, facts, embedder, least)
    return pairs.filter(alike >= policy.merge_similarity)


def _joined(
    left: pl.DataFrame, right: pl.DataFrame, on: str, other: str, *, once: bool | None = None
) -> pl.DataFrame:
    """Rows of two frames of names whose keys are equal, of one type; among one frame, once."""
    at = ["namespace", "type"]
    both = left.drop_nulls(on).join(
        right.drop_nulls(other).with_columns(_key=other),
        left_on=[*at, on], right_on=[*at, "_key"], suffix="_right",
    )  # fmt: skip
    if once is None:
        once = left is right
    differ = (
        pl.col("entity_id") < pl.col("entity_id_right")
        if once
        else (pl.col("entity_id") != pl.col("entity_id_right"))
    )
    return both.filter(differ)


def _identified(names: pl.DataFrame, said: pl.DataFrame) -> pl.DataFrame:
    """Pairs of entities of one type for pairs of names, by canonical name."""
    ids = names.select("namespace", "type", "name", "entity_id")
    return (
        said.join(ids.rename({"name": "one", "entity_id": "left"}), on=["namespace", "one"])
        .join(
            ids.rename({"name": "other", "entity_id": "right"}), on=["namespace", "type", "other"]
        )
        .select(PAIR)
        .unique()
    )


def _of_both(pairs: pl.DataFrame, names: pl.DataFrame, *columns: str) -> pl.DataFrame:
    """Pairs with columns of both entities, those of the second with `_right` behind."""
    own = names.select("namespace", "entity_id", *columns)
    return pairs.join(own.rename({"entity_id": "left"}), on=["namespace", "left"]).join(
        own.rename({"entity_id": "right"}), on=["namespace", "right"]
    )


def _shortened() -> pl.Expr:
    """Whether either name of a pair may be the short form of the other."""
    return (
        pl.col("initials_right").list.contains(pl.col("short"))
        | pl.col("initials").list.contains(pl.col("short_right"))
    ).fill_null(value=False)


def _pairs(found: pl.DataFrame, rule: pl.Expr) -> pl.DataFrame:
    """Each pair once, left before right: namespace, left, right, rule."""
    if found.is_empty():
        return _NONE
    one, other = ("left", "right") if "left" in found.columns else ("entity_id", "entity_id_right")
    return found.select(
        "namespace",
        left=pl.min_horizontal(one, other),
        right=pl.max_horizontal(one, other),
        rule=rule,
    ).unique()
