"""The index on a server: what `test_vector_index` does not ask of both engines."""

import socket
import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from werkzeug import Response

from cairn.resources.vector_index.filters import INDEXED
from cairn.resources.vector_index.protocol import VectorIndexError
from tests.resources.engines import LIVE, on_a_server, server_index
from tests.resources.points import NORTH, POINTS, ids_of, publish
from tests.resources.qdrant_http import QdrantHttp

if TYPE_CHECKING:
    from cairn.resources.vector_index.server import ServerIndex

SERVER = "cairn.resources.vector_index.server"
UPSERT = r"PUT /collections/[^/]+/points\b"


def _index(qdrant: QdrantHttp, key: str | None = None, prefix: str = "cairn") -> "ServerIndex":
    return server_index(qdrant.url, key, prefix)


def _names(qdrant: QdrantHttp) -> list[str]:
    return sorted(each.name for each in qdrant.held.get_collections().collections)


def _alias(qdrant: QdrantHttp) -> str | None:
    aliases = {each.alias_name: each.collection_name for each in qdrant.held.get_aliases().aliases}
    return aliases.get("cairn~me")


def test_the_alias_goes_to_what_was_published_last(qdrant: QdrantHttp) -> None:
    index = _index(qdrant)
    old = publish(index)
    assert _alias(qdrant) == f"cairn~me~{old}"
    new = publish(index, POINTS.head(2))
    assert _alias(qdrant) == f"cairn~me~{new}"
    assert publish(index) == old
    assert _alias(qdrant) == f"cairn~me~{old}"


def test_what_failed_half_way_is_never_seen_and_only_the_rest_is_sent(
    qdrant: QdrantHttp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{SERVER}.NUMBERS", 6)
    index = _index(qdrant)
    old = publish(index, POINTS.head(3))
    qdrant.fails[UPSERT + ".*wait=true"] = [Response("", 500)]
    with pytest.raises(VectorIndexError, match="500"):
        publish(index)
    (half,) = set(_names(qdrant)) - {f"cairn~me~{old}"}
    with pytest.raises(VectorIndexError, match="not there"):
        index.search("me", half.rpartition("~")[2], text="backups")
    assert _alias(qdrant) == f"cairn~me~{old}"
    del qdrant.asked[:]
    assert f"cairn~me~{publish(index)}" == half
    assert len([asked for asked in qdrant.asked if "/points?" in asked]) == 1, "two of four points"
    assert ids_of(index.search("me", half.rpartition("~")[2], text="backups")) == ["f2", "f3"]


def test_a_killed_build_is_pruned_and_is_no_generation(qdrant: QdrantHttp) -> None:
    index = _index(qdrant)
    old = publish(index)
    qdrant.fails[UPSERT] = [Response("", 500)]
    with pytest.raises(VectorIndexError):
        publish(index, POINTS.head(1))
    assert index.prune("me", [old]) == []
    assert _names(qdrant) == [f"cairn~me~{old}"]


def test_what_is_not_ours_is_neither_overwritten_nor_pruned(qdrant: QdrantHttp) -> None:
    index, other = _index(qdrant), _index(qdrant, prefix="cairn2")
    name = publish(index)
    publish(other)
    qdrant.held.delete_collection(f"cairn~me~{name}")
    for foreign in (f"cairn~me~{name}", "cairn~me~mine", "cairn~me", "me"):
        qdrant.held.create_collection(foreign, vectors_config={})
    before = _names(qdrant)
    with pytest.raises(VectorIndexError, match="qdrant_prefix"):
        publish(index)
    assert index.prune("me", []) == []
    assert _names(qdrant) == before


def test_a_point_of_another_namespace_is_never_found(qdrant: QdrantHttp) -> None:
    from qdrant_client import models

    index = _index(qdrant)
    name = publish(index)
    stray = models.PointStruct(
        id=1, vector={"dense": NORTH}, payload={"namespace": "you", "id": "x", "kind": "fact"}
    )
    qdrant.held.upsert(f"cairn~me~{name}", [stray])
    found = index.search("me", name, text="", vector=NORTH, model="toy")
    assert ids_of(found) == ["e1", "f1", "f2"]


def test_a_reader_of_a_pruned_generation_is_told(qdrant: QdrantHttp) -> None:
    index, reader = _index(qdrant), _index(qdrant)
    name = publish(index)
    assert reader.search("me", name, text="backups")
    index.prune("me", [])
    with pytest.raises(VectorIndexError, match="not there"):
        reader.search("me", name, text="backups")
    publish(index)
    assert reader.search("me", name, text="backups")


def test_points_go_up_in_batches_and_the_last_is_waited_for(
    qdrant: QdrantHttp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{SERVER}.NUMBERS", 9)
    publish(_index(qdrant))
    waits = ["wait=true" in asked for asked in qdrant.asked if "/points?" in asked]
    assert waits == [False, True]


def test_a_search_takes_two_requests_and_one_that_cannot_find_takes_none(
    qdrant: QdrantHttp,
) -> None:
    index = _index(qdrant)
    name = publish(index)
    index.search("me", name, text="backups", vector=NORTH, model="toy")
    del qdrant.asked[:]
    index.search("me", name, text="backups", vector=NORTH, model="toy")
    assert len(qdrant.asked) == 2
    index.search("me", name, text="the of and")
    assert len(qdrant.asked) == 2


def test_what_may_be_repeated_is_tried_again_and_nothing_else(
    qdrant: QdrantHttp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{SERVER}_client.PAUSE", 0.001)
    down = Response("", 503)
    qdrant.fails = {UPSERT: [down, Response("", 429, {"Retry-After": "0"})]}
    index = _index(qdrant)
    name = publish(index)
    assert ids_of(index.search("me", name, text="backups")) == ["f2", "f3"]
    qdrant.fails = {r"PUT /collections/[^/]+\?": [down]}
    with pytest.raises(VectorIndexError, match="503"):
        publish(index, POINTS.head(2))
    qdrant.fails = {"POST .*/query/batch": [down] * 3}
    with pytest.raises(VectorIndexError, match="503"):
        index.search("me", name, text="backups")
    qdrant.fails = {"POST .*/query/batch": [Response("", 429, {"Retry-After": "3600"}), down]}
    with pytest.raises(VectorIndexError, match="too many requests"):
        index.search("me", name, text="backups")


def _old(server: QdrantHttp) -> None:
    server.version = "1.9.2"


def _next_major(server: QdrantHttp) -> None:
    server.version = "2.0.0"


def _keyed(server: QdrantHttp) -> None:
    server.key = "hunter2"


def _other_site(server: QdrantHttp) -> None:
    server.fails["GET /"] = [Response("<html>the kiwi is green</html>")]


def _broken(server: QdrantHttp) -> None:
    server.fails["GET /collections/"] = [Response("the kiwi is green", 500)]


def _slow(server: QdrantHttp) -> None:
    server.delay = 1.5


@pytest.mark.parametrize(
    ("trouble", "says"),
    [
        (_old, "version 1.9.2.*needs 1.16"),
        (_next_major, "version 2.0.0.*same major"),
        (_keyed, "refuses the key .401.*CAIRN_QDRANT_API_KEY"),
        (_other_site, "cannot read .*is qdrant_url"),
        (_broken, "answers 500 .*log"),
        (_slow, "in time .*is it up"),
    ],
)
def test_trouble_is_told_with_what_to_do_and_without_what_the_server_said(
    qdrant: QdrantHttp,
    monkeypatch: pytest.MonkeyPatch,
    trouble: Callable[[QdrantHttp], None],
    says: str,
) -> None:
    monkeypatch.setattr(f"{SERVER}_client.QUICK", 1)
    trouble(qdrant)
    with pytest.raises(VectorIndexError, match=says) as raised:
        publish(_index(qdrant, key="wrong"))
    told = "".join(traceback.format_exception(raised.value))
    assert qdrant.url in str(raised.value)
    assert "kiwi" not in told
    assert "wrong" not in str(raised.value)
    assert raised.value.__context__ is None


def test_a_server_that_is_not_there_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{SERVER}_client.PAUSE", 0.001)
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{unused.getsockname()[1]}"
    with pytest.raises(VectorIndexError, match=r"cannot be reached .*is it running"):
        server_index(address).generation("me", "x")


def test_the_right_key_opens(qdrant: QdrantHttp) -> None:
    qdrant.key = "hunter2"
    index = _index(qdrant, key="hunter2")
    assert index.search("me", publish(index), text="backups")


def test_the_overview_counts_collections_of_our_prefix(qdrant: QdrantHttp) -> None:
    index = _index(qdrant)
    publish(index)
    publish(index, POINTS.head(2))
    publish(_index(qdrant, prefix="cairn2"))
    index.publish("you.too", POINTS, model="toy", dimension=3)
    assert index.overview() == (qdrant.version, {"me": 2, "you.too": 1})


@pytest.mark.skipif(not LIVE, reason="no CAIRN_TEST_QDRANT_URL; the local mode has no such indexes")
def test_a_server_indexes_all_that_is_filtered_by(qdrant: QdrantHttp) -> None:
    from cairn.resources.vector_index.server import ServerIndex

    with on_a_server("live", qdrant) as opened:
        index = opened()
        assert isinstance(index, ServerIndex)
        collection = f"{index._prefix}~me~{publish(index)}"
        info: Any = index._server.ask(lambda client: client.get_collection(collection))
        assert info.payload_schema.keys() == INDEXED.keys()
        assert info.payload_schema["namespace"].params.is_tenant
        index.publish("me", POINTS, model="toy", dimension=3, rebuild=True)
