"""Search providers: engines through litellm itself, against loopback; a folder of documents."""

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from cairn.knowledge.ingest.inbox_events.searches import FoundPage
from cairn.resources.home.settings import ConfigError, Settings
from cairn.resources.web.search_provider import Failed, SearchEngine, SearchOutcome, search_provider

pytestmark = pytest.mark.allow_hosts(["127.0.0.1", "localhost", "::1"])

HIT = {"title": "Bees", "url": "https://example.org/bees", "content": "Bees dance."}


@pytest.fixture
def engine_server() -> Iterator[HTTPServer]:
    with HTTPServer(host="127.0.0.1", port=0) as server:
        yield server


def engine(server: HTTPServer, **settings: Any) -> SearchEngine:
    base = server.url_for("").rstrip("/")
    return SearchEngine(
        "searxng", Settings(search_provider="searxng", search_base=base, **settings), lambda _: None
    )


def said(*results: dict[str, str]) -> Response:
    return Response(json.dumps({"results": list(results)}), content_type="application/json")


def test_searxng_is_asked_for_json_and_gives_at_most_what_is_wanted(
    engine_server: HTTPServer,
) -> None:
    asked: list[dict[str, str]] = []

    def answer(request: Request) -> Response:
        asked.append(request.args.to_dict())
        return said(HIT, *({**HIT, "url": f"https://example.org/{n}"} for n in range(9)))

    engine_server.expect_request("/search").respond_with_handler(answer)
    found = engine(engine_server, search_results=3).search("bees & wasps")
    assert isinstance(found, SearchOutcome)
    assert asked == [{"q": "bees & wasps", "format": "json"}]
    assert len(found.results) == 3
    assert found.results[0] == FoundPage("Bees", "https://example.org/bees", "Bees dance.")


def test_no_result_is_an_answer(engine_server: HTTPServer) -> None:
    engine_server.expect_request("/search").respond_with_handler(lambda _: said())
    found = engine(engine_server).search("bees")
    assert isinstance(found, SearchOutcome)
    assert found.results == []


def test_what_fails_is_tried_again_and_then_told_without_the_query(
    engine_server: HTTPServer, caplog: pytest.LogCaptureFixture
) -> None:
    answers = [Response("busy zwirbel", 503), Response("<html>", 502), said(HIT)]
    engine_server.expect_request("/search").respond_with_handler(lambda _: answers.pop(0))
    with caplog.at_level(logging.DEBUG):
        assert isinstance(engine(engine_server).search("zwirbel"), SearchOutcome)
        answers += [Response("zwirbel", 503)] * 3
        failed = engine(engine_server).search("zwirbel")
    assert isinstance(failed, Failed)
    assert "503" in failed.reason
    ours = [
        record.getMessage()
        for record in caplog.records
        if record.name.startswith("cairn.resources")
    ]
    assert len(ours) == 5
    assert not any("zwirbel" in line for line in [*ours, failed.reason])


def test_a_missing_key_or_address_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TAVILY_API_KEY", "SEARXNG_API_BASE"):
        monkeypatch.delenv(name, raising=False)
        provider = name.split("_", maxsplit=1)[0].lower()
        failed = SearchEngine(provider, Settings(search_provider=provider)).search("bees")
        assert isinstance(failed, Failed)
        assert failed.at_once
        assert name in failed.reason


def test_an_unknown_provider_and_a_missing_folder_are_refused(tmp_path: Path) -> None:
    assert search_provider(Settings()) is None
    with pytest.raises(ConfigError, match=r"no such provider; there is .*searxng"):
        search_provider(Settings(search_provider="altavista"))
    with pytest.raises(ConfigError, match="no such folder"):
        search_provider(Settings(search_provider=f"folder:{tmp_path}/none"))


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    (folder / "more").mkdir(parents=True)
    (folder / "bees.md").write_text(
        "# Bees\n\nBees dance to show the way.\n\nA hive has a queen."
        "\n\n![A bee](https://example.org/bees.png)\n"
    )
    (folder / "more" / "wasps.txt").write_text("Wasps build paper nests. A problem is common.")
    (folder / "more" / "tea.txt").write_text("Green tea is brewed at 80 degrees. Best practices.")
    (folder / "bees.pdf").write_text("bees bees bees")
    outside = tmp_path / "secret.txt"
    outside.write_text("Bees and wasps and tea.")
    (folder / "link.txt").symlink_to(outside)
    return folder


def test_a_folder_is_searched_by_words(documents: Path) -> None:
    provider = search_provider(Settings(search_provider=f"folder:{documents}"))
    assert provider is not None

    def found(query: str) -> list[str | None]:
        came = provider.search(query)
        assert isinstance(came, SearchOutcome)
        return [one.url for one in came.results]

    assert found("how does the bee dance") == ["folder:bees.md"]
    assert found("wasp common problems") == ["folder:more/wasps.txt"]
    assert found("zwirbel best practices") == [], "words of the question alone find nothing"
    assert found("") == []
    assert found("the") == []
    came = provider.search("bees")
    assert isinstance(came, SearchOutcome)
    assert came.results[0].title == "Bees"
    assert came.results[0].image_url == "https://example.org/bees.png"
    assert "A hive has a queen." in came.results[0].text
