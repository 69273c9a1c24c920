"""Secrets are redacted, and nothing else is."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.redaction import labelled, score
from cairn.knowledge.redaction import redactor
from cairn.knowledge.redaction.detectors import RULES
from cairn.knowledge.redaction.patterns import SecretRule
from tests.places import ROOT

PIECES = [
    *(rule.example for rule in RULES if not rule.personal),
    *("password", "DB_PASS", "token", "api_key", "secret", "Authorization", "Bearer ", "name"),
    *(
        "=",
        ": ",
        ":",
        ", ",
        " = ",
        '"',
        "'",
        '": "',
        '\\"',
        "\\",
        "`",
        "(",
        ")",
        "[",
        "]",
        "<",
        ">",
    ),
    *(
        "\n",
        "\t",
        " ",
        "\r\n",
        "|",
        ";",
        "&",
        "/",
        "-p",
        " -p ",
        "--",
        "mysql ",
        "curl -u ",
        "echo ",
    ),
    *("kiwi77", "a1B2c3D4e5F6g7H8", "x", "is ", "value", "$TOKEN", "hunter", "é", "\u2028", "日本"),
    *("[redacted:password]", "[redacted:", "https://", "@host", "bob:", "ssh root@nas", "{", "}"),
]
texts = st.lists(st.sampled_from(PIECES) | st.text(max_size=4), max_size=14).map("".join)
values = st.recursive(
    texts | st.integers() | st.booleans() | st.none(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["text", "password", "token", "name", "value"]), inner)
    ),
    max_leaves=6,
)


def html_safe(value: Any) -> bytes:
    """JSON as encoders write it that also serve web pages."""
    text = json.dumps(value)
    for character in "<>&'+":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text.replace("/", "\\/").replace('\\"', "\\u0022").encode()


ENCODERS = [
    lambda value: json.dumps(value).encode(),
    lambda value: json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass"),
    lambda value: json.dumps(value, indent=2).encode(),
    html_safe,
]


def test_a_password_on_the_command_line_goes_and_the_command_stays() -> None:
    text, rules = redactor().redact_text("sshpass -p 'pwd' ssh root@192.168.20.4 'ls -la'")
    assert text == "sshpass -p '[redacted:sshpass]' ssh root@192.168.20.4 'ls -la'"
    assert rules == ["sshpass"]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_each_rule_finds_its_example(rule: SecretRule) -> None:
    found = redactor(rule.personal)
    text, rules = found.redact_text(f"first\n{rule.example}\nlast")
    assert rule.name in rules
    assert text.startswith("first\n")
    assert text.endswith("\nlast")
    assert not found.redact_text(text)[1]
    for encode in ENCODERS:
        assert found.suspects(encode({"text": rule.example}))


def test_recall_and_false_alarms_on_the_labelled_set() -> None:
    missed, alarms, lines = score()
    secret = sum(count for (_, kind), count in lines.items() if kind)
    clean = sum(count for (_, kind), count in lines.items() if not kind)
    assert secret >= 1_400
    assert clean >= 1_000
    assert sum(map(len, missed.values())) <= 0.045 * secret
    assert sum(map(len, alarms.values())) <= 0.002 * clean


def test_the_prefilter_sees_every_labelled_secret_that_the_rules_find() -> None:
    found = redactor()
    for line in labelled():
        if line.kind == "json":
            assert (
                found.suspects(line.text.encode()) or not found.redact_json(line.text.encode())[1]
            )
        elif found.redact_text(line.text)[1]:
            assert all(found.suspects(encode([line.text])) for encode in ENCODERS), line.text


@settings(deadline=None)  # the first example also compiles patterns
@given(texts)
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    once, _ = redactor().redact_text(text)
    assert redactor().redact_text(once) == (once, [])


@settings(deadline=None)
@given(values, st.sampled_from(ENCODERS))
def test_the_prefilter_never_misses_what_the_rules_find(value: Any, encode: Any) -> None:
    payload = encode(value)
    left, count = redactor().redact_json(payload)
    if count:
        assert redactor().suspects(payload)
    else:
        assert left is payload


def test_the_prefilter_changes_no_labelled_line() -> None:
    for line in labelled():
        data = line.text.encode()
        assert redactor().secrets(data) == redactor().secrets(data, all_rules=True), line.text


@settings(deadline=None)
@given(texts)
def test_the_prefilter_changes_nothing(text: str) -> None:
    data = text.encode("utf-8", "surrogatepass")
    assert redactor().secrets(data) == redactor().secrets(data, all_rules=True)


@settings(deadline=None)
@given(st.lists(values, min_size=1, max_size=8))
def test_no_line_that_holds_a_secret_is_hidden_among_others(lines: list[Any]) -> None:
    payloads = [json.dumps(line).encode() for line in lines]
    suspect = redactor().suspects(b"\n".join(payloads))
    at = 0
    for payload in payloads:
        if redactor().redact_json(payload)[1]:
            assert any(start < at + len(payload) and end > at for start, end in suspect)
        at += len(payload) + 1


@pytest.mark.parametrize(
    "unit", ["password=", "xoxb-", "PRIVATE KEY----- ", "token ", "\\", '\\"', "://a:b@", "\0", "é"]
)
@pytest.mark.timeout(120)  # what costs the square of its length takes minutes
def test_a_long_hostile_line_costs_its_length_only(unit: str) -> None:
    text = unit * (150_000 // len(unit))
    assert "kiwi-77b" not in redactor().redact_text(f"{text} password=kiwi-77b {text}")[0]


def test_a_value_longer_than_a_stretch_goes_whole() -> None:
    assert redactor().redact_text("DB_PASSWORD=kiwi7" + "x9" * 50_000 + " ls")[0] == (
        "DB_PASSWORD=[redacted:password] ls"
    )


@settings(deadline=None)
@given(values)
def test_json_stays_json_of_the_same_shape(value: Any) -> None:
    def shape(item: Any) -> Any:
        if isinstance(item, dict):
            return [shape(inner) for inner in item.values()]
        return [shape(inner) for inner in item] if isinstance(item, list) else None

    left, _ = redactor().redact_json(json.dumps(value).encode())
    assert shape(json.loads(left)) == shape(value)
    assert redactor().redact_json(left) == (left, 0)


@settings(deadline=None)
@given(st.binary(max_size=60) | texts.map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_what_is_no_json_is_redacted_as_text_and_never_raises(payload: bytes) -> None:
    left, count = redactor().redact_json(payload)
    assert (left == payload) == (count == 0)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("use blip_live_Q7zKa1B2c3D4e5F6g7H8", "use [redacted:service_token]"),
        ("fleet_pat_" + "a1b2c3d4e5" * 4, "[redacted:service_token]"),
        ("shop-prod-" + "a1b2c3d4e5" * 4, None),  # a build, by its commit
        ("cache_key_" + "a1b2c3d4" * 8, None),
        ("pk_live_Q7zKa1B2c3D4e5F6g7H8", None),  # is published
        ("test_token_refresh_returns_a_new_token_2024", None),
        ("PVEAuthCookie=PVE:b@pam:65A1::" + "a1B2" * 8, "PVEAuthCookie=[redacted:cookie]"),
        (
            'PlainAuth("", "bob@a.example", "kiwi9Fjord", "b2.example")',
            'PlainAuth("", "bob@a.example", "[redacted:argument]", "b2.example")',
        ),
        ('assert login("bob", "incorrect") is False', None),
        ('login("bob", "kiwi77")', 'login("bob", "[redacted:password]")'),
        ("ansible-vault encrypt_string --stdin-name db_password", None),
        (
            "ansible-vault encrypt_string --name db_password 'kiwi-77b'",
            "ansible-vault encrypt_string --name db_password '[redacted:store]'",
        ),
        (
            "mysql --defaults-extra-file=<(printf 'password=%s' kiwi-77b)",
            "mysql --defaults-extra-file=<(printf 'password=%s' [redacted:stdin])",
        ),
        ("kubectl create configmap a --from-file=a.conf=<(echo 'workers=4')", None),
    ],
)
def test_a_shape_or_a_place_tells_secrets_from_what_looks_alike(
    text: str, left: str | None
) -> None:
    assert redactor().redact_text(text)[0] == (left or text)


def test_secrets_in_fields_lists_and_json_within_json() -> None:
    def left(value: Any) -> Any:
        return json.loads(redactor().redact_json(json.dumps(value).encode())[0])

    assert left({"input": {"user": "app", "password": "kiwi77"}}) == {
        "input": {"user": "app", "password": "[redacted:password]"}
    }
    assert left({"Authorization": "Basic YWRtaW46cGFzcw=="}) == {
        "Authorization": "Basic [redacted:authorization]"
    }
    assert left(["mysql", "-u", "root", "-pkiwi77"]) == [
        "mysql",
        "-u",
        "root",
        "-p[redacted:mysql]",
    ]
    assert left({"name": "DB_PASSWORD", "value": "kiwi77"})["value"] == "[redacted:password]"
    assert left({"password": {"value": "kiwi77"}}) == {"password": {"value": "[redacted:password]"}}
    sid = "a1b2c3d4" * 4
    assert left({"cookies": {"session": sid}, "session": sid}) == {
        "cookies": {"session": "[redacted:cookie]"},
        "session": sid,  # an agent's session, for all that is known
    }
    assert left(
        [{"name": "li_at", "value": sid, "httpOnly": True}, {"name": "a", "value": sid}]
    ) == [
        {"name": "li_at", "value": "[redacted:cookie]", "httpOnly": True},
        {"name": "a", "value": sid},
    ]
    assert left({"text": json.dumps({"text": json.dumps({"password": "kiwi77"})})}) == {
        "text": json.dumps({"text": json.dumps({"password": "[redacted:password]"})})
    }
    assert redactor().redact_json(rb'{"a":"\u0070assword=\u0022kiwi77\u0022"}')[1] == 1


def test_a_series_says_which_texts_hold_secrets() -> None:
    series = pl.Series(
        "text", ["curl -u bob:kiwi77 https://a.example", "ls", None, "[redacted:url]"]
    )
    assert redactor().secrets_in(series).to_list() == [True, False, False, False]


def test_of_json_each_value_is_looked_at_by_itself() -> None:
    said = json.dumps({"text": "upload with codecov", "id": "req_011CYBC32vo1Ke47sBL1qDSV"})
    told = json.dumps({"command": "vault kv put app pin=kiwi77", "id": "req_011CYBC32vo1Ke47sBL1"})
    for line in (said, told):
        kept, _ = redactor().redact_json(line.encode())
        assert not redactor().secrets_in(pl.Series([kept.decode()]), as_json=True).any()
    assert redactor().secrets_in(pl.Series([said])).all()
    assert redactor().secrets_in(pl.Series([told]), as_json=True).all()


def test_personal_data_only_when_asked_for() -> None:
    text = "bob@mail.example, +49 30 1234567, 4111 1111 1111 1111, DE89 3704 0044 0532 0130 00"
    assert redactor().redact_text(text) == (text, [])
    assert redactor(personal=True).redact_text(text)[0] == (
        "[redacted:email], [redacted:phone], [redacted:card], [redacted:iban]"
    )
    other = "4111 1111 1111 1112 and DE88 3704 0044 0532 0130 00"
    assert redactor(personal=True).redact_text(other)[0] == other


def test_the_docs_name_every_rule() -> None:
    page = (ROOT / "docs" / "redaction.md").read_text(encoding="utf-8")
    assert not [rule.name for rule in RULES if f"`{rule.name}`" not in page]


def test_real_sessions_without_secrets_pass_unchanged(shared_data: Path) -> None:
    for file in sorted(shared_data.glob("cc_*/**/*.jsonl")):
        data = file.read_bytes()
        for start, end in redactor().suspects(data):
            begin = data.rfind(b"\n", 0, start) + 1
            stop = data.find(b"\n", end)
            line = data[begin : stop if stop >= 0 else len(data)]
            assert redactor().redact_json(line) == (line, 0)
