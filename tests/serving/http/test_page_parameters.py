"""Whatever stands in the address of a page: an answer or a refusal on a page, never a fault."""

import re
from urllib.parse import quote

import pytest
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cairn.serving.http.pages.actions import ACTIONS
from cairn.serving.http.pages.page import PAGES, ShownPage
from cairn.serving.query.review.queue import REVIEWED

IDS = {
    "\x00", "f_\x00", "f_0000000000000000", "x" * 5_000, "%ED%A0%80", "..", "\u202e", "f_*", "'",
    "{id}",
}  # fmt: skip
VALUES = (
    "", "\x00", "x", "-1", "0", "1e400", "NaN", "99999999999999999999", "true", "[]", "{}", "null",
    "W" + "y" * 5_000, "WyJhYmMiLDFd", "0001-01-01", "9999-12-31T23:59:59Z", "2026-02-30", "\ud83e",
    "2026-03-01", "day", "\u202e<script>", "%00", "\r\nset-cookie: a=b", "a" * 3_000,
)  # fmt: skip


SHARE = 6
"""Each field takes one in so many of VALUES: over all pages all of them."""


def address(path: str, id_: str, parts: list[tuple[str, str]]) -> str:
    """A path with an id, and parts behind it as they come over a wire: lone surrogates too."""

    def told(text: str) -> str:
        return quote(text.encode("utf-8", "surrogatepass"), safe="")

    asked = "&".join(f"{told(name)}={told(value)}" for name, value in parts)
    return f"/n/samples{re.sub(r'{.+?}', told(id_), path)}?{asked}"


def refused_or_shown(client: TestClient, path: str) -> int:
    answer = client.get(path)
    assert answer.status_code in {200, 400, 404}, (
        path[:300],
        answer.status_code,
        answer.text[:300],
    )
    assert answer.headers["content-type"].startswith("text/html"), path[:300]
    assert answer.text.count("<h1>") == 1
    assert not re.search('<script(?! src="/)', answer.text)
    return answer.status_code


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.path)
def test_no_parameter_breaks_a_page(page: ShownPage, client: TestClient) -> None:
    names = [*page.asks.asked.model_fields, "unknown", "\x00", "a[]"]

    @settings(max_examples=15, suppress_health_check=list(HealthCheck))
    @given(
        st.sampled_from(sorted(IDS)),
        st.lists(
            st.tuples(st.sampled_from(names), st.sampled_from(VALUES) | st.text()), max_size=4
        ),
    )
    def asked(id_: str, parts: list[tuple[str, str]]) -> None:
        refused_or_shown(client, address(page.path, id_, parts))

    asked()
    for number, name in enumerate(page.asks.asked.model_fields):
        for value in VALUES[(number + PAGES.index(page)) % SHARE :: SHARE]:
            refused_or_shown(client, address(page.path, "f_0000000000000000", [(name, value)]))


def test_the_first_page_and_search_take_whatever_comes(client: TestClient) -> None:
    for path in ("", "/search"):
        for name in (
            "query",
            "type",
            "limit",
            "from_day",
            "as_of",
            "status",
            "namespace",
            "cursor",
        ):
            for value in VALUES[len(name) % SHARE :: SHARE]:
                refused_or_shown(client, address(path, "", [("query", "NAS"), (name, value)]))


def test_a_list_comes_as_one_value_or_as_several(client: TestClient) -> None:
    for query in ("by=day", "by=day&by=model"):
        page = client.get(f"/n/samples/costs?{query}")
        assert page.status_code == 200
        assert f"/n/samples/costs.json?{query}" in page.text.replace("&amp;", "&")
        told = client.get(f"/n/samples/costs.json?{query}")
        assert told.json() == client.get(f"/v1/costs?namespace=samples&{query}").json()
    assert client.get("/n/samples/costs?by=colour").status_code == 400


def test_what_is_no_page_is_told_on_one(client: TestClient) -> None:
    for path in (
        "/n/samples/nothing",
        "/n/samples/facts/a/b",
        "/n/nobody/facts",
        "/n/samples/facts/",
    ):
        assert refused_or_shown(client, path) == 404


OURS = {"origin": "http://127.0.0.1"}


def token_of(client: TestClient) -> str:
    found = re.search(r'name="token" value="(\w+)"', client.get("/n/samples/research").text)
    assert found
    return found[1]


def test_a_rule_about_no_kind_that_waits_is_told_which_there_are(client: TestClient) -> None:
    form = {"token": token_of(client), "kind": "pair", "decision": "merge"}
    answer = client.post("/n/samples/do/decide-by-rule", data=form, headers=OURS)
    assert (answer.status_code, answer.headers["content-type"][:9]) == (400, "text/html")
    assert all(kind in answer.text for kind in REVIEWED)


def test_a_form_of_nonsense_is_refused_on_a_page(client: TestClient) -> None:
    token = b"&token=" + token_of(client).encode()
    bodies = (
        b"", b"\x00", b"ids=%00&decision=confirm", b"decision=confirm&ids=" + b"x" * 9_000,
        b"decision=\xff&ids=%ED%A0%80", b"a&&&=;", b"decision=confirm&decision=retract",
    )  # fmt: skip
    for body in bodies:
        for action in ACTIONS:
            if action in ("run", "retry", "backfill"):
                continue
            answer = client.post(f"/n/samples/do/{action}", content=body + token, headers=OURS)
            assert answer.status_code in {400, 404, 409, 422} or action == "decide-by-rule", action
            assert answer.headers["content-type"].startswith("text/html")
