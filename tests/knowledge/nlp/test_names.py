import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.knowledge.nlp import names
from cairn.knowledge.nlp.names import canonical, canonical_column, name_rejections, structural
from cairn.knowledge.schema.predicates import OBSERVED_TYPES

TYPES = sorted(OBSERVED_TYPES | {"topic"})


@pytest.mark.parametrize(
    ("type_", "written", "expected"),
    [
        ("topic", "  “Login\u00a0 Bug”, ", "login bug"),
        ("topic", "C++", "c++"),
        ("topic", ".NET", ".net"),
        ("topic", "ＧＰＴ－４", "gpt-4"),
        ("topic", "Straße.", "strasse"),
        ("host", "NAS.Local.", "nas.local"),
        ("host", "[::1]", "::1"),
        ("tool", "`Bash`", "bash"),
        ("package", "Foo_Bar.baz", "foo-bar-baz"),
        ("package", "@Scope/name", "@scope/name"),
        ("path", "/home/anna/Notes.md", "~/Notes.md"),
        ("path", "/Users/anna/src/", "~/src"),
        ("path", "./app/[id]", "./app/[id]"),
        ("path", "/", "/"),
        ("project", "/root/Work/Cairn", "~/work/cairn"),
    ],
)
def test_canonical_names(type_: str, written: str, expected: str) -> None:
    assert canonical(written, type_) == expected


@given(st.text(max_size=12) | st.text("a/.'~ \"rootRB_-[]`*:,#@éſ…"), st.sampled_from(TYPES))
def test_a_canonical_name_is_its_own_canonical_name(written: str, type_: str) -> None:
    once = canonical(written, type_)
    assert canonical(once, type_) == once


def test_names_that_differ_in_digits_stay_apart() -> None:
    assert len({canonical(name, "topic") for name in ("Python 2", "Python 3", "Python")}) == 3


def test_the_column_form_says_the_same() -> None:
    names = ["Foo_Bar", "/home/a/B", "Foo_Bar", "", "[::1]"]
    frame = pl.DataFrame([{"name": n, "type": t} for n in names for t in TYPES])
    column = frame.select(canonical_column("name", "type")).to_series().to_list()
    assert column == [canonical(n, t) for n, t in frame.iter_rows()]


REFUSED = {
    "over_8_words": ["one two three four five six seven eight nine"],
    "template_slot": ["{topic} guide", "the {{ name }}"],
    "model_artefact": ["Confidence score: high", "release-brief: notes"],
    "digit_period": ["1. Install the client"],
    "url": ["https://example.org/a", "see www.example.org", "git+ssh://host/x"],
    "markdown": ["**Important**"],
    "newline": ["two\nlines"],
    "number": ["42", "3.14", "1,000", "50%", "24/7", "0xff"],
    "date": ["2024-03-01", "12 March 2024", "March 12, 2024", "1.2.2024", "Monday", "March 2024"],
    "year": ["2024", "1990s", "2019-2020"],
    "clock_time": ["12:30", "5pm", "10:15 am UTC"],
    "stop_words": ["it is what it", "the"],
    "blank": ["", "  ", "...", "—"],
    "redacted": ["[redacted:aws]", "key [redacted:x]", "REDACTED"],
}
KEPT = [
    "login bug", "one two three four five six seven eight", "Python 3", "GPT-4", "3D printing",
    "v1.2.3", "IPv6", "marching band", "s3", "k8s", "2pm meeting", "monorepo", "redacted logs",
    "1.5 GB limit", "May release", "C++", "sat nav", "decision log",
]  # fmt: skip


def test_the_structural_filter_names_its_rule() -> None:
    names = [name for group in REFUSED.values() for name in group]
    rules = [rule for rule, group in REFUSED.items() for _ in group]
    assert dict(zip(names, structural(pl.Series(names)).to_list(), strict=True)) == dict(
        zip(names, rules, strict=True)
    )


def test_the_structural_filter_keeps_real_names() -> None:
    assert {n: r for n, r in zip(KEPT, structural(pl.Series(KEPT)), strict=True) if r} == {}


@pytest.mark.parametrize(
    ("type_", "good", "bad"),
    [
        ("host", ["192.168.20.4", "nas", "web-1.example.org", "fe80::1"],
         ["999.1.1.1", "1.2.3", "a b", "{host}", "42"]),
        ("package", ["requests", "@types/node", "socket.io"], ["foo bar", "-e", "{pkg}"]),
        ("path", ["/etc/hosts", "a.py", "~", "./x y.txt"], ["-", "..", "a\nb"]),
        ("tool", ["Bash", "mcp__files__read", "./run.sh"], ["a\nb", "{tool}"]),
        ("system", ["docker", "raspberry pi"], ["42"]),
        ("project", ["~/work/cairn", "2048"], ["-"]),
        ("person", ["Anna B.", "李"], ["{user}", "42"]),
    ],
)  # fmt: skip
def test_each_observed_type_has_its_own_grammar(
    type_: str, good: list[str], bad: list[str]
) -> None:
    names = pl.Series([*good, *bad])
    rules = name_rejections(names, pl.Series([type_] * len(names))).to_list()
    assert rules == [None] * len(good) + [f"not_a_{type_}"] * len(bad)


def test_free_text_rules_do_not_touch_typed_names() -> None:
    assert name_rejections(pl.Series(["/srv/{slot}/2024"]), pl.Series(["path"])).to_list() == [None]
    assert name_rejections(pl.Series(["[redacted:x]"]), pl.Series(["host"])).to_list() == [
        "redacted"
    ]


def test_a_name_is_judged_the_same_whatever_was_asked_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = pl.Series(["pnpm", "one two three", "www.nas.local", "pnpm"])
    types = pl.Series(["tool", "topic", "host", "topic"])
    expected = {8: [None, None, None, None], 2: [None, "over_8_words", None, None]}
    for most_kept in (100, 0):
        monkeypatch.setattr(names, "_MOST_KEPT", most_kept)
        for most_words in (8, 2, 8):
            assert name_rejections(asked, types, most_words).to_list() == expected[most_words]
            alone = [
                name_rejections(asked[at : at + 1], types[at : at + 1], most_words).item()
                for at in range(len(asked))
            ]
            assert alone == expected[most_words]
