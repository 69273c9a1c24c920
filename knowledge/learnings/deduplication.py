"""The same lesson twice: canonical hash, SimHash, calibrated similarity.

Lessons are compared within their category and namespace only. They are taken in the order of
(event time, id), so the first by event time stays, whatever the order of arrival. Each lesson is
compared with those that stayed, not with those that were merged, so that no chain of likenesses
joins two that are unlike.
"""

import hashlib
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import polars as pl
from numpy.typing import NDArray

from cairn.knowledge.nlp.text import STOP_WORDS, WORD
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.vectors.model import Embedder
from cairn.knowledge.vectors.similarity import similar_pairs

SCOPE = ("namespace", "category")
BITS = 64
_WEIGHT_STEPS = 16

Hashes = NDArray[np.uint64]


def dedupe_hash() -> pl.Expr:
    """SHA-256 of the canonical `category:title content`, over columns of these names.

    Canonical: lower case, white space collapsed, ISO dates as DATE, #n as ISSUE, queries,
    fragments and credentials of URLs left out, and what redaction left.
    """
    text = (
        pl.concat_str("category", pl.lit(":"), "title", pl.lit(" "), "content")
        .str.to_lowercase()
        .str.replace_all(r"(https?://)[^\s/@]+@", "$1")
        .str.replace_all(r"(https?://[^\s?#]+)[?#]\S*", "$1")
        .str.replace_all(r"\[redacted:[^\]]*\]", "")
        .str.replace_all(r"\b\d{4}-\d{2}-\d{2}(?:t[\d:.]+(?:z|[+-]\d{2}:?\d{2})?)?\b", "DATE")
        .str.replace_all(r"#\d+", "ISSUE")
        .str.replace_all(r"\s+", " ")
        .str.strip_chars()
    )
    return text.map_elements(
        lambda canonical: hashlib.sha256(canonical.encode()).hexdigest(), return_dtype=pl.String
    )


def simhashes(texts: Sequence[str]) -> Hashes:
    """64-bit SimHash of each text (Charikar 2002), over its words with their weights.

    A word that is no stop word counts 1 + ln(occurrences), in sixteenths, so that the sums are
    whole numbers and no order of terms can change a sign. Its 64 signs are the bits of its BLAKE2b
    digest; a bit of the result is set where the weighted sum of signs is above zero: one product
    of the sparse matrix of weights (texts, words) and the matrix of signs (words, 64).

    Returns:
        Shape (texts,), uint64; 0 for a text without words.
    """
    from scipy.sparse import csr_array

    terms = _terms(texts)
    vocabulary = terms["word"].unique(maintain_order=True)
    if vocabulary.is_empty():
        return np.zeros(len(texts), dtype=np.uint64)
    columns = terms["word"].cast(pl.Enum(vocabulary)).to_physical().to_numpy()
    weights = (_WEIGHT_STEPS * (1 + terms["count"].log())).round(0).cast(pl.Int64).to_numpy()
    digests = b"".join(hashlib.blake2b(w.encode(), digest_size=8).digest() for w in vocabulary)
    bits = np.unpackbits(np.frombuffer(digests, dtype=np.uint8)).reshape(-1, BITS)
    shape = (len(texts), len(vocabulary))
    matrix = csr_array((weights, (terms["row"].to_numpy(), columns)), shape=shape)
    sums = matrix @ (bits.astype(np.int64) * 2 - 1)
    return np.packbits(sums > 0, axis=1).view(">u8").astype(np.uint64).ravel()


def _terms(texts: Sequence[str]) -> pl.DataFrame:
    """row, word, count: the words of each text (see `text.words`) that are no stop words.

    Each form is folded once, however often it occurs.
    """
    found = (
        pl.DataFrame({"form": pl.Series(texts, dtype=pl.String)})
        .with_row_index("row")
        .with_columns(pl.col("form").str.extract_all(WORD))
        .explode("form")
        .drop_nulls("form")
        .group_by("row", "form")
        .len("count")
    )
    forms = found["form"].unique()
    folded = [form.casefold().replace("’", "'") for form in forms.to_list()]
    words = pl.DataFrame({"form": forms, "word": pl.Series(folded, dtype=pl.String)})
    return (
        found.join(words.filter(~pl.col("word").is_in(STOP_WORDS)), on="form")
        .group_by("row", "word")
        .agg(pl.col("count").sum())
    )


def near_hashes(drafts: pl.DataFrame, below: int) -> pl.DataFrame:
    """Pairs of one scope whose SimHashes differ in fewer than `below` bits.

    The 64 bits are cut into `below` bands. Two hashes that differ in at most `below` - 1 bits
    agree in one band at least, so only those that share a band are compared.

    Args:
        drafts: namespace, category, place, simhash.
        below: Hamming distance that is no duplicate any more; at least 1.

    Returns:
        left, right: places, left before right, each pair once.
    """
    edges = [round(BITS * band / below) for band in range(below + 1)]
    bands = [
        drafts.select(
            *SCOPE, "place", "simhash", band=pl.lit(band), value=_bits("simhash", start, end)
        )
        for band, (start, end) in enumerate(pairwise(edges))
    ]
    banded = pl.concat(bands)
    return (
        banded.join(banded, on=[*SCOPE, "band", "value"], suffix="_right")
        .filter(pl.col("place") < pl.col("place_right"))
        .filter((pl.col("simhash") ^ pl.col("simhash_right")).bitwise_count_ones() < below)
        .select(left="place", right="place_right")
        .unique()
        .sort("left", "right")
    )


def _bits(column: str, start: int, end: int) -> pl.Expr:
    """Bits `start` to `end` of a 64-bit column, as a number."""
    low = pl.col(column) // pl.lit(1 << start, dtype=pl.UInt64)
    width = end - start
    return low if width == BITS else low % pl.lit(1 << width, dtype=pl.UInt64)


def alike(drafts: pl.DataFrame, embedder: Embedder, policy: Policy) -> pl.DataFrame:
    """Pairs of one scope whose title and content are more alike than `learning_similarity`.

    Args:
        drafts: namespace, category, place, title, content.
        embedder: Gives vectors and their calibration.
        policy: Gives the threshold.

    Returns:
        left, right: places, left before right, sorted.
    """
    found = [pl.DataFrame(schema={"left": pl.UInt32, "right": pl.UInt32})]
    for _, group in drafts.group_by(SCOPE, maintain_order=True):
        if group.height < 2:
            continue
        texts = (group["title"] + "\n" + group["content"]).to_list()
        pairs = similar_pairs(
            embedder.embed(texts), None, policy.learning_similarity, embedder,
            margin=policy.candidate_margin,
        )  # fmt: skip
        more = pairs.similarity > policy.learning_similarity
        places = group["place"].to_numpy()
        found.append(
            pl.DataFrame(
                {"left": places[pairs.left[more]], "right": places[pairs.right[more]]},
                schema={"left": pl.UInt32, "right": pl.UInt32},
            )
        )
    return pl.concat(found).sort("left", "right")


def keepers(drafts: pl.DataFrame, embedder: Embedder, policy: Policy) -> pl.Series:
    """For each draft the place of the one that stays for it; its own if it stays itself.

    Args:
        drafts: Sorted by event time and id, with namespace, category, place (0 …), title, content,
            dedupe_hash, simhash and recurrent: of two that are, only equal ones are the same, since
            what recurs was told apart when it was counted.
        embedder: Gives vectors and their calibration.
        policy: Gives the thresholds.

    Returns:
        `keeper`, UInt32, one for each row.
    """
    first = pl.col("place").min().over(*SCOPE, "dedupe_hash")
    drafts = drafts.with_columns(first=first)
    # What is word for word the same goes where the first of it goes.
    unlike = drafts.filter(pl.col("first") == pl.col("place"))
    pairs = pl.concat(
        [near_hashes(unlike, policy.learning_hamming), alike(unlike, embedder, policy)]
    )
    counted = drafts["recurrent"]
    both = counted.gather(pairs["left"]) & counted.gather(pairs["right"])
    stays = drafts["first"].to_numpy().copy()
    earlier = pairs.filter(~both).unique().sort("right", "left")
    earlier = earlier.group_by("right", maintain_order=True)
    for right, lefts in earlier.agg("left").iter_rows():
        # One that was merged speaks for itself no more.
        stays[right] = next((left for left in lefts if stays[left] == left), right)
    return pl.Series("keeper", stays[stays], dtype=pl.UInt32)
