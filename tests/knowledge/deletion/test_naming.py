"""A name is found in any text as a whole word or token of its type, and nowhere else."""

import json

import polars as pl
import pytest

from cairn.knowledge.deletion.naming import (
    ForgottenName,
    name_of,
    names_of,
    naming,
    pattern,
    rows_naming,
)
from cairn.knowledge.schema.tables import LEARNINGS, MEMORY_ENTITIES, RECORDS


def named(text: str, *names: ForgottenName) -> bool:
    found = pattern(names)
    assert found is not None
    return pl.select(naming(pl.lit(text), found)).item()


FOUND = [
    ("topic", "Project Heron", "About project\n  HERON's budget"),
    ("topic", "Project Heron", json.dumps({"a": json.dumps({"b": "the project\nheron is"})})),
    ("topic", "Project Heron", "https://x.example/?q=project+heron&n=1"),
    ("topic", "heron", "x = heron_db"),
    ("topic", "heron", json.dumps({"text": "one\nheron, two"})),
    ("topic", "heron", "\x1b[1mheron\x1b[0m"),
    ("topic", "heron", json.dumps({"text": "\u2014heron\u2014"})),
    ("topic", "heron", json.dumps({"text": "\x1b[31mheron"})),
    ("topic", "heron", "Ｈｅｒｏｎ"),
    ("topic", "C++", "in C++, and"),
    ("topic", "C++", "C++17"),
    ("topic", "a.b (c)* [d]+ ^$|", "so a.b (c)* [d]+ ^$| is"),
    ("topic", "TCP/IP", json.dumps({"x": "TCP/IP"}).replace("/", r"\/")),
    ("person", "Zoë Straße", json.dumps({"x": "ZOË STRASSE"})),
    ("person", "Zoë Strasse", "zoe\u0308 straße"),
    ("person", 'Ana "Bo" Lu', json.dumps({"x": json.dumps('Ana "Bo" Lu')})),
    ("topic", "東京", "私は東京タワーへ"),
    ("topic", "東京", json.dumps({"x": "私は東京タワーへ"})),
    ("topic", "🦜 parrot", json.dumps("a 🦜 parrot")),
    ("topic", ".env", "cp .env /tmp"),
    ("host", "nas", "ssh root@nas:22"),
    ("host", "nas", "It runs on NAS."),
    ("host", "db.example", "https://db.example:8080/x"),
    ("host", "db.example", json.dumps("\nssh db.example\n")),
    ("tool", "git", "/usr/bin/git status"),
    ("tool", "git commit", "git  commit -m x"),
    ("package", "foo-bar", "pip install Foo_Bar==2"),
    ("package", "highlight.js", "import highlight-js"),
    ("package", "@scope/name", "npm i @scope/name@2"),
    ("path", "~/code/app", "cd /home/ada/code/app && ls"),
    ("path", "/home/ada/code/app", "in ~/code/app."),
    ("path", "~/code/app", "/Users/ada/code/app/src/x.py:12"),
    ("path", "~/code/app", json.dumps("\n/home/ada/code/app\n")),
    ("path", "~/code/app", "file:///home/ada/code/app"),
    ("path", r"C:\Users\ada\app", json.dumps({"cwd": r"C:\Users\bo\app"})),
    ("path", "~/code/app", "/x/projects/-home-ada-code-app/1.jsonl"),
    ("path", "~/code/app/x.go", json.dumps("--\n/home/ada/code/app/x.go-72-\treturn")),
    ("path", "src/main.py", "open ./src/main.py,"),
    ("path", "~/x/[redacted:token]/y.txt", "/root/x/[redacted:token]/y.txt"),
    ("project", "orchard", "/home/ada/Orchard/x.py"),
    ("project", "~/Code/Orchard", "/home/ada/code/orchard/x.py"),
]
NOT_FOUND = [
    ("topic", "art", "start, partly, ART1, Artur"),
    ("topic", "heron", "herons"),
    ("topic", "C", "C++ and C# and Cc"),
    ("topic", "a.b", "axb"),
    ("topic", "Zoë", "Zoe"),
    ("person", "Ana", "Anaïs, Ana\u0308"),
    ("host", "nas", "nas-backup, nas.local, my.nas, nas_2"),
    ("host", "db.example", "db.example.org, mydb.example, dbxexample"),
    ("tool", "git", "github, git-lfs, .git/config, my_git"),
    ("package", "foo", "foo-bar, foo.bar, myfoo"),
    ("path", "~/code/app", "~/code/App, ~/code/app2, ~/code/app-old, ~/code/app.bak"),
    ("path", "~/code/app", "/mnt/home/ada/code/app"),
    ("path", "/srv/app", "/mnt/srv/app"),
    ("path", "src/main.py", "lib/src/main.py"),
    ("project", "orchard", "orchard-api, my_orchard"),
]


@pytest.mark.parametrize(("type_", "name", "text"), FOUND)
def test_it_is_named(type_: str, name: str, text: str) -> None:
    assert named(text, ForgottenName(type_, name))
    assert named(text, ForgottenName("topic", "nothing of it"), ForgottenName(type_, name))


@pytest.mark.parametrize(("type_", "name", "text"), NOT_FOUND)
def test_it_is_not_named(type_: str, name: str, text: str) -> None:
    assert not named(text, ForgottenName(type_, name))


def test_what_says_nothing_names_nothing() -> None:
    assert pattern([]) is None
    assert pattern([ForgottenName("topic", " ... ")]) is None
    assert name_of("~/code") == ForgottenName("path", "~/code")
    assert name_of("and/or") == ForgottenName("topic", "and/or")


def test_an_entity_goes_by_its_names_and_by_those_of_what_is_one_with_it() -> None:
    row = {
        "namespace": "n", "type": "topic", "first_seen": None, "last_seen": None, "mentions": 1,
        "facts": 1, "introduced_by": "r_1",
    }  # fmt: skip
    some = [
        {"entity_id": "e_1", "name": "kubernetes", "display_name": "Kubernetes", "aliases": []},
        {"entity_id": "e_2", "name": "k8s", "display_name": "k8s", "aliases": ["the cluster"]},
        {"entity_id": "e_3", "name": "nas", "display_name": "NAS", "aliases": []},
    ]
    schema = {name: MEMORY_ENTITIES.schema[name] for name in (*row, *some[0], "canonical_id")}
    frame = pl.DataFrame(
        [
            row | one | {"canonical_id": "e_3" if one["entity_id"] == "e_3" else "e_1"}
            for one in some
        ],
        schema=schema,
    )
    for own in ("e_1", "e_2"):
        assert {each.text for each in names_of(frame, [own])} == {
            "kubernetes", "Kubernetes", "k8s", "the cluster",
        }  # fmt: skip


def test_rows_are_looked_at_wherever_they_may_hold_words() -> None:
    found = pattern([ForgottenName("topic", "heron")])
    assert found is not None
    lines = RECORDS.empty().select("record_key", "payload", "thread", "native_id", "source_file")
    said = [("a", '{"x":"heron"}', "t", None, "f"), ("b", "{}", "heron", None, "f"),
            ("c", "{}", "t", "heron", "f"), ("d", "{}", "t", None, "/x/heron/1.jsonl"),
            ("e", '{"x":"herons"}', "t", None, "f")]  # fmt: skip
    frame = pl.DataFrame(said, schema=lines.schema, orient="row")
    assert rows_naming(RECORDS, frame.lazy(), found).collect()["record_key"].to_list() == [*"abcd"]
    learnings = pl.DataFrame(
        {name: [["x", "heron"]] if name == "tags" else [None] for name in LEARNINGS.words},
        schema={name: LEARNINGS.schema[name] for name in LEARNINGS.words},
    )
    assert rows_naming(LEARNINGS, learnings.lazy(), found).collect().height == 1
