"""`cairn embedder`."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cairn.serving.cli import options
from cairn.serving.cli.terminal import TerminalColumn, emit_json, print_table, say

if TYPE_CHECKING:
    from cairn.resources.context import State
    from cairn.resources.warehouse.publication import Manifest

SETTING = "policy.embedder"
MEASURED = 64
"""Texts that are embedded to tell how long all take."""
COLUMNS = (
    TerminalColumn("namespace"),
    TerminalColumn("embedder", "published by", wide=True),
    TerminalColumn("texts"),
)


@click.command(
    epilog="""\b
Examples:
  cairn embedder
  cairn embedder --try onnx:~/models/all-MiniLM-L6-v2
  cairn embedder --switch onnx:~/models/all-MiniLM-L6-v2
  cairn embedder --switch litellm:openai/text-embedding-3-small --yes
  cairn embedder --rollback

Readers keep the embedder by which they were published, until a run has made all anew by the other:
they change over at once, or not at all. What is dear is embedded once and kept; a switch that is
interrupted goes on from there."""
)
@click.option("--list", "listed", is_flag=True, help="What is in force, and what may be set.")
@click.option("--try", "to_try", metavar="NAME", help="Compare it on your own logs.")
@click.option("--switch", "to", metavar="NAME", help="Embed all by it, and set it.")
@click.option("--rollback", is_flag=True, help="Set the one before it again.")
@click.option("--yes", is_flag=True, help="Do not ask, whatever it takes.")
@options.namespace(options.ONE_NAMESPACE)
@options.as_json
@click.pass_context
def command(
    ctx: click.Context,
    listed: bool,
    to_try: str | None,
    to: str | None,
    rollback: bool,
    yes: bool,
    namespace: str | None,
    as_json: bool,
) -> None:
    """Show, try or change the embedding model, without a gap for readers."""
    from cairn.resources.embedders.files import EmbedderError

    if sum(map(bool, (listed, to_try, to, rollback))) > 1:
        raise click.UsageError("--list, --try, --switch and --rollback: one of them at a time")
    state = options.state_of(ctx)
    try:
        if to_try:
            _try(state, to_try, namespace, as_json=as_json)
        elif to or rollback:
            _switch(state, to or _before(state), yes=yes, as_json=as_json)
        else:
            _list(state, as_json=as_json)
    except EmbedderError as error:
        raise click.ClickException(str(error)) from error


def _list(state: "State", *, as_json: bool) -> None:
    from cairn.resources.embedders.calibrations import Calibrated
    from cairn.resources.embedders.choice import KINDS, unpinned

    setting = unpinned(state.policy.embedder)
    rows = [
        {
            "namespace": manifest.namespace,
            "embedder": unpinned(manifest.embedder),
            "texts": len(_texts(state, manifest.namespace)),
        }
        for manifest in _published(state)
    ]
    embedder = state.embedder
    calibrated = isinstance(embedder, Calibrated) and embedder.is_calibrated
    if as_json:
        emit_json(
            {
                "embedder": setting, "model": embedder.model, "calibrated": calibrated,
                "namespaces": rows, "known": KINDS,
            }
        )  # fmt: skip
        return
    say(f"{setting} is set ({embedder.model})")
    if not calibrated:
        say(
            "Nobody calibrated it: thresholds of similarity mean its raw cosines."
            " `calibration.json` in its folder would say more.", style="yellow",
        )  # fmt: skip
    print_table(rows, COLUMNS)
    say("May be set:")
    for name, about in KINDS.items():
        say(f"{name}: {about}", indent=2)


def _try(state: "State", name: str, namespace: str | None, *, as_json: bool) -> None:
    from cairn.serving.read.reader import NothingPublished, open_reader
    from cairn.serving.retrieval.embedder_trial import FIRST, tried

    name = _named(state, name)
    try:
        reader = open_reader(state, namespace)
    except NothingPublished as error:
        raise click.ClickException(str(error)) from error
    found = tried(reader, state.of(reader.namespace), name)
    if as_json:
        emit_json(found._asdict() | {"pairs": [pair._asdict() for pair in found.pairs]})
        return
    if found.recall_now is None or found.recall_then is None:
        say(f"{found.turns} answered requests: too few to compare what is found")
    else:
        say(
            f"Of {found.turns} requests, the own answer is among the {FIRST} nearest of all answers"
            f" for {found.recall_now:.0%} by {reader.manifest.embedder},"
            f" for {found.recall_then:.0%} by {name}"
        )
    for pair in found.pairs:
        say(f"{pair.now:.2f} → {pair.then:.2f}  {pair.one}")
        say(pair.other, indent=13)


def _switch(state: "State", name: str, *, yes: bool, as_json: bool) -> None:
    from cairn.resources.embedders.choice import is_dear, unpinned
    from cairn.resources.home.set_in_file import set_in_file
    from cairn.resources.home.settings import FILE, ConfigError, explain

    set_by = next(each.source for each in explain() if each.name == SETTING)
    if set_by not in ("default", str(state.home.root / FILE)):
        raise click.ClickException(f"{set_by} sets {SETTING}: change it there")
    name = _named(state, name)
    owed = {manifest.namespace: _texts(state, manifest.namespace) for manifest in _published(state)}
    estimate = _estimate(state, name, owed) if is_dear(name) else {"texts": 0}
    if not as_json:
        say(_told(unpinned(name), estimate))
    if not yes and estimate["texts"]:
        click.confirm("Embed them now?", abort=True)
    for namespace, texts in owed.items() if is_dear(name) else ():
        state.of(namespace).cached_embedder(name).embed(texts)
    setting = unpinned(name)
    try:
        set_in_file(state.home, "policy", "embedder", setting)
    except ConfigError as error:
        raise click.ClickException(str(error)) from error
    if as_json:
        emit_json({"embedder": setting, **estimate})
        return
    say(
        f"{setting} is set: the next run makes all anew by it, and readers change over: `cairn run`"
    )


def _told(name: str, estimate: dict[str, Any]) -> str:
    if not estimate["texts"]:
        return f"{name}: nothing is to be embedded beforehand"
    seconds, cost = estimate["seconds"], estimate["cost"]
    told = [f"{name}: {estimate['texts']:,} texts"]
    told += [] if seconds is None else [f"about {seconds:.0f} s"]
    told += ["a price that is not known"] if cost is None else [f"{cost:.2f} dollars"] * bool(cost)
    return ", ".join(told)


def _estimate(state: "State", name: str, owed: dict[str, list[str]]) -> dict[str, Any]:
    """Texts that are not embedded yet, seconds and dollars that they take, about."""
    from cairn.knowledge.nlp.text import estimated_tokens
    from cairn.resources.embedders.choice import LITELLM
    from cairn.resources.embedders.vector_cache import VectorCache
    from cairn.resources.llm.prices import known

    model = state.embedder_named(name).model
    missing = {
        namespace: sorted(
            {*texts}.difference(VectorCache(state.home, namespace).read(model, texts))
        )
        for namespace, texts in owed.items()
    }
    texts = [text for some in missing.values() for text in some]
    if name.startswith(LITELLM):  # to measure it would cost before anybody agreed
        cost = known(name.removeprefix(LITELLM)).cost(sum(map(estimated_tokens, texts)), 0)
        return {"texts": len(texts), "seconds": None, "cost": cost}
    begin = time.perf_counter()
    state.embedder_named(name).embed(texts[:MEASURED])
    each = (time.perf_counter() - begin) / MEASURED
    return {"texts": len(texts), "seconds": round(each * len(texts), 1), "cost": 0.0}


def _named(state: "State", name: str) -> str:
    """A setting with its digest and the whole path of its folder, once it was loaded."""
    from cairn.resources.embedders.choice import pinned

    kind, _, rest = name.partition(":")
    folder = Path(rest).expanduser()
    name = pinned(f"{kind}:{folder.absolute()}" if rest and folder.is_dir() else name)
    state.embedder_named(name)
    return name


def _before(state: "State") -> str:
    """The embedder before the one that is set, by what was published."""
    from cairn.resources.embedders.choice import unpinned
    from cairn.resources.warehouse.publication import manifests

    now = unpinned(state.policy.embedder)
    for manifest in _published(state):
        for each in manifests(state.home, manifest.namespace):
            if unpinned(each.embedder) != now:
                return unpinned(each.embedder)
    raise click.ClickException(f"nothing was published by another than {now}")


def _published(state: "State") -> "Iterator[Manifest]":
    from cairn.resources.warehouse.publication import namespaces, published

    for namespace in namespaces(state.home):
        if manifest := published(state.home, namespace):
            yield manifest


def _texts(state: "State", namespace: str) -> list[str]:
    from cairn.knowledge.schema.tables import EMBEDDINGS

    rows = state.warehouse.read(EMBEDDINGS, namespace=namespace, columns=["text"])
    return rows.collect()["text"].to_list()
