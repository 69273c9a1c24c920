"""Everything a stage touches outside itself, opened once: home, settings, tables, index, model."""

import logging
import math
import os
import time
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import polars as pl

from cairn.knowledge.engine.diff import Change
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables import EMBEDDINGS, Table
from cairn.knowledge.vectors.model import Remembering, Vectors
from cairn.resources.home.home import (
    NAMESPACE,
    SCHEMA_VERSION,
    Home,
    OlderHomeError,
    check_namespace,
    open_home,
)
from cairn.resources.home.inbox import namespaces_of_inbox
from cairn.resources.home.settings import EVERY, Settings, load_settings
from cairn.resources.home.sources import LogSource, SourceError, list_sources
from cairn.resources.home.write_lock import notes_lock, write_lock
from cairn.resources.warehouse.publication import namespaces
from cairn.resources.warehouse.warehouse import Warehouse

if TYPE_CHECKING:
    from cairn.knowledge.vectors.model import Embedder
    from cairn.resources.llm.answer_cache import Answers
    from cairn.resources.llm.budget import Budget
    from cairn.resources.llm.dry_run import DryRunModel, EarlierAnswersModel
    from cairn.resources.llm.language_model import LitellmModel
    from cairn.resources.llm.open_batches import OpenBatches
    from cairn.resources.rerankers.protocol import Reranker
    from cairn.resources.sharing.sharing import Sharing
    from cairn.resources.vector_index.protocol import VectorIndex

logger = logging.getLogger(__name__)

Out = TypeVar("Out")

VECTORS_AT_ONCE = 16_384
FEW_CHANGES = 200_000
"""Rows of a change up to which it is kept for the next stage that asks."""


@dataclass
class _Opened:
    """What the states of a home share: what is slow to open, and what is known of the run."""

    parts: dict[str, Any] = field(default_factory=dict[str, Any])
    changes: dict[tuple[str, str], tuple[tuple[int | None, int | None], Change]] = field(
        default_factory=dict[tuple[str, str], tuple[tuple[int | None, int | None], Change]]
    )
    embedded: dict[str, Remembering] = field(default_factory=dict[str, Remembering])
    kept: dict[str, tuple[object, Any]] = field(default_factory=dict[str, tuple[object, Any]])
    command: str | None = None
    begun: bool = False
    night: bool = False
    again: bool = False
    in_batches: bool = False
    again_in: set[str] = field(default_factory=set[str])


@dataclass(frozen=True)
class State:
    """A home with its settings; what is slow to open is opened when it is first asked for.

    One `of` a namespace has its tables alone: what a run does is done to one of these.
    """

    home: Home
    settings: Settings
    namespace: str | None = None
    """The only one whose tables it has; all of them if none."""
    quiet: frozenset[str] = frozenset()
    """Namespaces that all of them are told without: nothing is pending there."""
    _opened: _Opened = field(default_factory=_Opened, repr=False, compare=False)

    def of(self, namespace: str) -> "State":
        """The same of one namespace; what was opened is shared.

        Raises:
            ValueError: it is of another, or that can be no namespace.
        """
        if namespace == self.namespace:
            return self
        if self.namespace is not None:
            raise ValueError(f"this is of {self.namespace}, not of {namespace}")
        return replace(self, namespace=check_namespace(namespace), quiet=frozenset())

    def without(self, quiet: frozenset[str]) -> "State":
        """The same without namespaces in which nothing is pending."""
        return replace(self, quiet=quiet)

    @property
    def own(self) -> str:
        """Its namespace.

        Raises:
            ValueError: it is of all of them.
        """
        if self.namespace is None:
            raise ValueError("of which namespace is not said")
        return self.namespace

    def each(self) -> "list[State]":
        """Itself, if it is of one namespace; else one of each that has tables, or logs to read."""
        return [self] if self.namespace else [self.of(name) for name in self.namespaces()]

    def namespaces(self) -> list[str]:
        """Namespaces that have tables or readers here, or may have logs to read, sorted."""
        if self.namespace is not None:
            return [self.namespace]
        sources = list[LogSource]()
        with suppress(SourceError):  # whoever reads them says so
            sources = list_sources(self.home)
        return sorted(
            {
                *self.warehouse.namespaces(),
                *namespaces(self.home),
                *(source.namespace for source in sources),
                *filter(NAMESPACE.fullmatch, namespaces_of_inbox(self.home)),
            }
            - self.quiet
        )

    def drop_changes(self) -> None:
        """Lets go of what changed in tables: the next run has other versions of them."""
        self._opened.changes.clear()

    def let_go(self) -> None:
        """Forgets what was computed of tables that were rebuilt by other means."""
        self.drop_changes()
        self._opened.embedded.clear()
        self._opened.kept.clear()

    def let_all_go(self) -> None:
        """The same, and the tables themselves: their files are others."""
        self.let_go()
        if (tables := self._opened.parts.get("warehouse")) is not None:
            tables.let_go()

    def kept(self, name: str, made_of: object, make: Callable[[], Out]) -> Out:
        """What is made of something, kept for as long as it is asked for of the same."""
        known = self._opened.kept.get(name)
        if known is None or known[0] != made_of:
            known = self._opened.kept[name] = (made_of, make())
        return known[1]

    def _once(self, name: str, opened: Callable[[], Any]) -> Any:
        if name not in self._opened.parts:
            self._opened.parts[name] = opened()
        return self._opened.parts[name]

    @property
    def policy(self) -> Policy:
        """The values that decide."""
        return self.settings.policy

    @cached_property
    def warehouse(self) -> Warehouse:
        """The tables."""
        whole: Warehouse = self._once("warehouse", self._warehouse)
        return whole.without(self.quiet) if self.namespace is None else whole.of(self.namespace)

    def _warehouse(self) -> Warehouse:
        return Warehouse(self.home.warehouse)

    @property
    def sharing(self) -> "Sharing | None":
        """What this home shares with others; None if it is alone."""
        shared = self.settings.warehouse
        if shared is None:
            return None
        from cairn.resources.sharing.sharing import Sharing

        options, seconds = self.settings.object_store, self.settings.lease_seconds
        return self._once(
            "sharing",
            lambda: Sharing(
                self.home,
                shared,
                self.answers,
                options,
                seconds,
                self.let_all_go,
                self.settings.deciding,
                self.settings.cache_bytes,
            ),
        )

    @contextmanager
    def writing(
        self, command: str | None = None, *, timeout: float | None = None
    ) -> Generator[None]:
        """Holds what a writer needs: the lock of its namespace or of the home, and the leases.

        Args:
            command: What this process does, for those who wait.
            timeout: Seconds to wait; the home's if unset.

        Raises:
            LockTimeout: another writer held one for all that time.
            HomeError: the home can only be read.
        """
        with (
            write_lock(self.home, command, namespace=self.namespace, timeout=timeout),
            self.leased(timeout),
        ):
            yield

    def leased(self, timeout: float | None = None) -> AbstractContextManager[None]:
        """Holds the leases of its namespaces, where other homes share them (`Sharing.held`).

        Raises:
            LockTimeout: another home held one for all that time.
            LeaseLost: another home works on one by now.
            HomeError: the store cannot be used.
        """
        patience = self.home.lock_timeout if timeout is None else timeout
        shared = self.sharing
        return shared.held(self.namespaces(), patience) if shared else nullcontext()

    def follow(self, namespace: str) -> None:
        """Has what other homes know of a namespace, for readers (`Sharing.follow`)."""
        if self.sharing:
            self.sharing.follow(namespace)

    def catch_up(self, namespace: str) -> None:
        """The same, however long it takes: nobody waits for an answer (`Sharing.look`)."""
        if self.sharing and not self.home.read_only:
            self.sharing.look(namespace)

    def readable_namespaces(self) -> list[str]:
        """Namespaces in which something is published, here or by a home that shares; sorted."""
        shared = self.sharing.namespaces() if self.sharing else []
        return sorted({*namespaces(self.home), *shared})

    @property
    def searches(self) -> bool:
        """Whether anything is searched for: a search provider is set."""
        return self.settings.search_provider is not None

    @property
    def embedder(self) -> "Embedder":
        """The embedding model in force.

        Raises:
            EmbedderError: it cannot be used.
        """
        return self.embedder_named(self.policy.embedder)

    def embedder_named(self, name: str) -> "Embedder":
        """The embedding model of a setting; what it costs is entered for the namespace.

        Raises:
            EmbedderError: it cannot be used.
        """
        from cairn.resources.embedders.choice import LITELLM, load_embedder

        if not name.startswith(LITELLM):
            return load_embedder(name)

        def paid() -> "Embedder":
            from cairn.resources.embedders.litellm import Payment

            whose = self.namespace or self.settings.namespace or ""
            pays = Payment(self.settings, self.answers, whose, lambda: self.budget)
            return load_embedder(name, pays)

        return self._once(f"{name} for {self.namespace}", paid)

    def reranker_of(self, namespace: str) -> "Reranker | None":
        """What orders the results of a namespace once more; None if nothing does.

        Raises:
            RerankerError: it cannot be used.
        """
        from cairn.resources.rerankers.protocol import NONE

        name = self.policy.reranker
        if name == NONE:
            return None
        from cairn.resources.rerankers.choice import load_reranker

        return self._once(
            f"reranker {name} of {namespace}",
            lambda: load_reranker(name, self.settings, self.answers, namespace),
        )

    def embedder_of(self, namespace: str) -> Remembering:
        """The model with what it has embedded of a namespace: a text is embedded once.

        Raises:
            EmbedderError: it cannot be used.
        """
        known = self._opened.embedded
        if namespace not in known:
            embedder = self.of(namespace).cached_embedder(self.policy.embedder)
            known[namespace] = Remembering(embedder, lambda: self._vectors_of(namespace))
        return known[namespace]

    def cached_embedder(self, name: str) -> "Embedder":
        """The embedding model of a setting; of what is dear, its vectors of the namespace are kept.

        Raises:
            EmbedderError: it cannot be used.
        """
        from cairn.resources.embedders.choice import is_dear

        embedder = self.embedder_named(name)
        if not is_dear(name):
            return embedder
        from cairn.resources.embedders.vector_cache import CachedEmbedder, VectorCache

        return CachedEmbedder(embedder, VectorCache(self.home, self.own))

    def prune_vectors(self) -> int:
        """Removes kept vectors of texts that are not in force any more; how many that were."""
        from cairn.resources.embedders.vector_cache import VectorCache

        cache = VectorCache(self.home, self.own)
        if not cache.exists:
            return 0
        return cache.keep_only(self.warehouse.read(EMBEDDINGS).collect()["text"])

    def _vectors_of(self, namespace: str) -> tuple[list[str], Vectors]:
        """The texts of a namespace that were embedded, and their vectors, held only once."""
        stored = (
            self.warehouse.read(EMBEDDINGS, namespace=namespace)
            .filter(pl.col("model") == self.embedder.model)
            .select("text", "vector")
        )
        count = stored.select(pl.len()).collect().item()
        texts: list[str] = []
        vectors = np.empty((0, 0), dtype=np.float32)
        for batch in stored.collect_batches(chunk_size=VECTORS_AT_ONCE):
            some = batch["vector"].explode().to_numpy().reshape(batch.height, -1)
            if not texts:
                vectors = np.empty((count, some.shape[1]), dtype=np.float32)
            vectors[len(texts) : len(texts) + len(some)] = some
            texts += batch["text"].to_list()
        return texts, vectors

    def changes(
        self, table: Table, since: int | None, now: int | None, namespace: str
    ) -> Change | None:
        """What came and went in a table since a version; several stages ask for the same."""
        if since == now:
            return Change(table.empty(), table.empty())
        place, between = (table.name, namespace), (since, now)
        known = self._opened.changes
        if place in known and known[place][0] == between:
            return known[place][1]
        change = self.warehouse.changes(table, since, namespace=namespace)
        known.pop(place, None)
        if change is not None and change.rows.height <= FEW_CHANGES:
            known[place] = (between, change)
        return change

    @property
    def answers(self) -> "Answers":
        """The answers of language models, and what they cost."""
        from cairn.resources.llm.answer_cache import Answers

        return self._once("answers", lambda: Answers(self.home.answers))

    def close_answers(self) -> None:
        """Closes the file of answers; who next asks for them opens what is there then."""
        self.answers.close()
        self._opened.parts.pop("answers", None)

    @property
    def budget(self) -> "Budget":
        """What a run may spend, on whatever: the language model, an embedder that is paid."""
        from cairn.resources.llm.budget import budget_of

        return self._once(
            "budget", lambda: budget_of(self.settings, self.answers, self.open_batches)
        )

    @property
    def language_model(self) -> "LitellmModel | None":
        """The language model, one run of it; None if none is set."""
        return self._once("language_model", self._language_model)

    def _language_model(self) -> "LitellmModel | None":
        from cairn.resources.llm.language_model import LitellmModel

        if self.settings.model is None:
            return None
        # Who asks for one file waits for it; a run of the graph keeps others from writing.
        seconds = self.settings.model_seconds if self._opened.begun else math.inf
        found = LitellmModel(
            self.settings, self.answers, seconds=seconds, budget=self.budget,
            batches=self.open_batches if self._opened.begun else None,
        )  # fmt: skip
        found.nightly, found.in_batches = self._opened.night, self._opened.in_batches
        return found

    def submit_batches(self) -> None:
        """Submits what the language model was to be asked of this namespace in a batch."""
        model: LitellmModel | None = self._opened.parts.get("language_model")
        if model is not None:
            model.submit(self.namespace, again=self.asks_again)

    @property
    def open_batches(self) -> "OpenBatches":
        """Batches of questions that a provider has."""
        from cairn.resources.llm.open_batches import OpenBatches

        return OpenBatches(self.home.root)

    def dry_run_model(self) -> "DryRunModel":
        """The language model as one that asks nothing, and adds up what it would."""
        from cairn.resources.llm.dry_run import DryRunModel

        return DryRunModel(self.settings.model or "", self.answers, self.settings.prompts)

    def asking(self) -> "LitellmModel | EarlierAnswersModel | None":
        """The language model, or one that earlier answers stand in for.

        To ask again after a prompt or the model changed may cost as much as all that was ever
        asked. So a budget must bound it, or a person have said so (`ask_again`, `auto_backfill`).
        """
        from cairn.resources.llm.dry_run import EarlierAnswersModel

        model = self.language_model
        return (
            model if model is None or self.asks_again else EarlierAnswersModel(model, self.answers)
        )

    @property
    def asks_again(self) -> bool:
        """Whether a language model is asked again what it answered to an earlier prompt."""
        if self._opened.again or self._batches_ask_again():
            return True
        if self.settings.auto_backfill == "within_budget":
            return self.has_budget
        return self.settings.auto_backfill == "always"

    def _batches_ask_again(self) -> bool:
        """Whether somebody said so of what a batch has, or had when this run began."""
        known = self._opened.again_in
        known.update(one.namespace for one in self.open_batches.of(self.namespace) if one.again)
        return bool(known) if self.namespace is None else self.namespace in known

    @property
    def has_budget(self) -> bool:
        """Whether anything bounds what a language model may cost."""
        own = self.settings.limits_of(self.namespace or EVERY).model_dollars
        return (self.settings.budget_run, self.settings.budget_day, own) != (None, None, None)

    def ask_again(self, *, allowed: bool) -> None:
        """Notes whether a person said that a language model may be asked again."""
        self._opened.again = allowed

    def begin_run(
        self,
        command: str | None = None,
        *,
        night: bool = False,
        again: bool = False,
        in_batches: bool = False,
    ) -> None:
        """Lets go of what is of one run: its budget, and the breakers of the language model.

        Runs of one command share them: it is one run to whoever gave it. Only one of the `night`
        asks the language model what is asked once a night. `again` is as of `ask_again`;
        `in_batches` is whether it is asked in batches, which later runs take up.
        """
        self.ask_again(allowed=again)
        opened = self._opened
        if command is None or opened.command != command:
            opened.parts.pop("language_model", None)
            opened.parts.pop("budget", None)
        opened.command, opened.begun, opened.night = command, True, night
        opened.in_batches = in_batches or self.settings.batch == "always"
        opened.again_in.clear()
        model: LitellmModel | None = opened.parts.get("language_model")
        if model is not None:
            model.nightly, model.in_batches = night, opened.in_batches
            model.begin()

    def wait_for_model(self, asset: str, *, waits: bool) -> None:
        """Notes that an asset could not have the language model, or that it asks it again.

        One that only ran out of time goes on with the next run, and need not wait.
        """
        model = self.language_model if waits else None
        down = model is not None and model.waits
        asset = f"{self.namespace}/{asset}" if self.namespace else asset
        self._note("model_waits", asset, on=waits and down)
        self._note("model_goes_on", asset, on=waits and not down)

    def _note(self, mark: str, asset: str, *, on: bool) -> None:
        """Adds an asset to a mark, or takes it away; a mark without any is no file."""
        file = self.home.root / mark
        if not (on or file.exists()):
            return
        with notes_lock(self.home):
            noted = set(file.read_text().split()) if file.exists() else set[str]()
            if on:
                file.write_text("\n".join(sorted({*noted, asset})))
            elif noted <= {asset}:
                file.unlink(missing_ok=True)
            elif asset in noted:
                file.write_text("\n".join(sorted(noted - {asset})))

    def _is_noted(self, mark: str) -> bool:
        file = self.home.root / mark
        noted = file.read_text().split() if file.exists() else []
        return any(self.namespace in (None, asset.partition("/")[0]) for asset in noted)

    @property
    def model_goes_on(self) -> bool:
        """Whether a run had no time to ask all."""
        return self._is_noted("model_goes_on")

    @property
    def model_waited(self) -> float:
        """Seconds since a language model could not be had; infinite if it could."""
        mark = self.home.root / "model_waits"
        return time.time() - mark.stat().st_mtime if self._is_noted(mark.name) else math.inf

    @property
    def index(self) -> "VectorIndex":
        """The vector index: in the home, or on a server where one is set."""
        return self._once("index", self._index)

    def _index(self) -> "VectorIndex":
        url, key = self.settings.qdrant_url, self.settings.qdrant_api_key
        if url is None:
            from cairn.resources.vector_index.edge import EdgeIndex

            return EdgeIndex(self.home.index)
        from cairn.resources.vector_index.server import ServerIndex
        from cairn.resources.vector_index.server_client import connect

        server = connect(url, key.get_secret_value() if key else None)
        return ServerIndex(server, self.settings.qdrant_prefix)


def open_state(home: Path | None = None) -> State:
    """The state folder `home`, or the one that settings name; one of an older Cairn is upgraded.

    Raises:
        HomeError: the folder cannot be used.
        ConfigError: a setting is unknown or wrong.
    """
    if home is not None:
        os.environ["CAIRN_HOME"] = str(home.expanduser().absolute())
    settings = settings_in_force()
    try:
        found = open_home(home or settings.home, settings.lock_timeout)
    except OlderHomeError as older:
        if Home(older.root).read_only:
            raise
        from cairn.resources.upgrade import upgrade_home

        upgrade_home(older.root, settings, lock_timeout=settings.lock_timeout)
        logger.warning("home %s is upgraded to schema %d", older.root, SCHEMA_VERSION)
        found = open_home(home or settings.home, settings.lock_timeout)
    return State(found, settings)


def settings_in_force() -> Settings:
    """Settings whose embedder is told by its files, so that with others all is made anew.

    Raises:
        ConfigError: as of `load_settings`.
    """
    from cairn.resources.embedders.choice import pinned

    settings = load_settings()
    name = pinned(settings.policy.embedder)
    if name == settings.policy.embedder:
        return settings
    policy = settings.policy.model_copy(update={"embedder": name})
    return settings.model_copy(update={"policy": policy})
