"""Running the graph from one process: stretch by stretch, newest first, each published."""

import math
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from uuid import uuid4

import dagster as dg

from cairn.assets.engine.namespaces import make_known
from cairn.assets.engine.progress import LISTENER, Listener
from cairn.assets.pending.records import changed_files, new_bytes
from cairn.assets.records import stretch
from cairn.knowledge.schema.tables import ENRICHMENT_QUEUE, RECORDS
from cairn.pipelines.checks.frames import VERIFY
from cairn.pipelines.graph import NIGHT, PHASES
from cairn.pipelines.healing import heal
from cairn.pipelines.interrupts import INTERRUPTS, again_if, counted
from cairn.pipelines.planning.estimate import busyness, estimate
from cairn.pipelines.planning.event_log import kept_open
from cairn.pipelines.planning.in_flight import (
    AGAIN_TAG,
    BATCH_TAG,
    COMMAND_TAG,
    process_tag,
    reconcile,
)
from cairn.pipelines.planning.instance import instance_of
from cairn.pipelines.planning.pending import is_pending, night_model_work_pending, owes
from cairn.pipelines.planning.run_history import innermost, reason
from cairn.resources.context import State
from cairn.resources.effects import switched_off
from cairn.resources.home.damage import Damaged, reading
from cairn.resources.home.log_files import LogFile, bytes_per_line
from cairn.resources.home.marks import note_verified, verified_since
from cairn.resources.home.run_times import run_times
from cairn.resources.home.write_lock import LockTimeout
from cairn.resources.llm.verdict_limits import SuiteVerdicts
from cairn.resources.sharing.lease import LeaseLost
from cairn.resources.telemetry.start import start
from cairn.resources.warehouse.publication import blocked_namespaces

FIRST_STRETCH = 8 * 1024 * 1024
"""Bytes of the first stretch: small, so that search answers within a minute."""

STRETCH_GROWTH = 4

LARGEST_STRETCH = 512 * 1024 * 1024
"""Bytes, so that what comes meanwhile in other namespaces does not wait for days."""

VERIFIED_EVERY = 86_400.0
"""Seconds after which an intake ends with a check of all tables, as where no night comes."""

QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


class RunFailed(Exception):  # noqa: N818  what happened
    """A step failed; the message names the asset and the error."""


@dataclass
class Outcome:
    """What a run of the graph did."""

    runs: list[str] = field(default_factory=list[str])
    """Dagster's ids of the runs, in order."""
    namespaces: set[str] = field(default_factory=set[str])
    """Whose they were."""
    interrupted: bool = False


@dataclass(frozen=True)
class Plan:
    """What a run would take in."""

    files: int
    bytes: int
    """New ones; of a file that has grown, what was added."""
    sessions: int
    """Files that are no sub-agent's: an estimate, since nothing has been read yet."""
    oldest: datetime | None
    """Modification times of the files."""
    newest: datetime | None
    lines: int
    """An estimate, too: by how long lines are in the beginning of some files."""
    seconds_least: float
    seconds_most: float
    """Estimate of the time that it takes, without a language model; 0 if there is nothing."""


NO_INPUT = Plan(0, 0, 0, None, None, 0, 0.0, 0.0)


def plan(state: State) -> Plan:
    """Looks at what changed in the sources, and reads no more than the beginning of some of it."""
    files = changed_files(state)
    size = new_bytes(state, files)
    lines = round(size / (bytes_per_line(files) or 1))
    takes = estimate(lines, run_times(state.home), busyness())
    times = [datetime.fromtimestamp(file.modified_ns / 1e9, UTC) for file in files]
    return Plan(
        len(files),
        size,
        sum("subagents" not in file.path.parts for file in files),
        min(times, default=None),
        max(times, default=None),
        lines,
        *(takes if files else (0.0, 0.0)),
    )


@dataclass(frozen=True)
class Engine:
    """What runs are made with: to open it takes as long as a small one."""

    graph: dg.Definitions
    instance: dg.DagsterInstance


@contextmanager
def engine(state: State) -> Generator[Engine]:
    """The graph over a home, and Dagster's instance of it."""
    from cairn.pipelines.assembly import definitions

    with instance_of(state.home) as instance:
        yield Engine(definitions(state), instance)


OnStretch = Callable[[Sequence[LogFile], int], None]
"""Told before a stretch: the files in it, and how many changed ones there are in all."""


def run_graph(
    state: State,
    *,
    listener: Listener | None = None,
    on_stretch: OnStretch = lambda _, __: None,
    on_check: Callable[[], None] = lambda: None,
    on_interrupt: Callable[[], None] = lambda: None,
    healed: bool = False,
    daily: bool = False,
) -> Outcome:
    """Takes in what changed and publishes it, newest stretch first, until nothing is pending.

    An interrupt (Ctrl-C) finishes with publishing what is done; a second one stops at once.

    Args:
        state: What to run on.
        listener: Told of each stage.
        on_stretch: Told of each stretch.
        on_check: Called before all is checked: by then everything is published.
        on_interrupt: Called at Ctrl-C, before what is done is published.
        healed: Whether it was just looked whether the home is damaged.
        daily: Whether the first run of a day ends with a check of all tables, as a night does.

    Raises:
        Damaged: something is lost, and the run must not go on by itself.
        RunFailed: a step failed. What was published before stays.
    """

    def work(runs: _Runs) -> None:
        size = FIRST_STRETCH
        while files := changed_files(state):
            taken = stretch(files, size)
            on_stretch(taken, len(files))
            runs.each(runs.owed(_of(state, taken)), partial(runs.update, max_bytes=size))
            size = min(size * STRETCH_GROWTH, LARGEST_STRETCH)
        runs.go_on()
        runs.check(on_check, VERIFIED_EVERY if daily else math.inf)

    return _watched(state, work, listener, on_interrupt, healed=healed)


def run_due(state: State, kept: Engine, namespaces: Sequence[str]) -> Outcome:
    """Takes in what some namespaces have pending, and publishes it; for who watches.

    Raises:
        Damaged: something is lost, and the run must not go on by itself.
        RunFailed: a step failed. What was published before stays.
    """

    def work(runs: _Runs) -> None:
        runs.each(map(state.of, namespaces), runs.update)

    return _watched(state, work, kept=kept, healed=True)


def run_days(
    state: State,
    days: Sequence[str],
    *,
    namespace: str | None = None,
    listener: Listener | None = None,
    again: bool = False,
    in_batches: bool = False,
    on_check: Callable[[], None] = lambda: None,
    on_interrupt: Callable[[], None] = lambda: None,
) -> Outcome:
    """Makes `days` anew as far as they owe anything, then what follows from them; or just that.

    Of one `namespace`, if it is given; else of each. With `again` a language model is asked again
    what it answered to an earlier prompt; `in_batches`, at half the price, whose answers later runs
    take up.

    Raises:
        RunFailed: a step failed. What was published before stays.
    """

    def work(runs: _Runs) -> None:
        runs = replace(runs, in_batches=in_batches)
        if namespace is not None:
            runs = replace(runs, state=state.of(namespace))

        def make(own: State) -> None:
            if days:
                runs.execute("refresh", own, since=min(days), until=max(days))
            else:
                runs.execute("publish", own)

        runs.each([own for own in runs.state.each() if own.warehouse.namespaces(RECORDS)], make)
        runs.go_on()
        runs.check(on_check, 0)

    return _watched(state, work, listener, on_interrupt, again=again)


def run_checks(
    state: State,
    namespaces: Sequence[str],
    *,
    night: bool = False,
    listener: Listener | None = None,
    on_interrupt: Callable[[], None] = lambda: None,
) -> Outcome:
    """Makes all of some namespaces anew to compare, and checks all their tables.

    As a `night`, great_expectations judges them, too, and what no reader needs is tidied away.

    Raises:
        RunFailed: a check, or another step, failed. What was published before stays.
    """

    def work(runs: _Runs) -> None:
        runs.each(map(state.of, namespaces), partial(runs.verify, night=night))

    return _watched(state, work, listener, on_interrupt)


def run_inbox(state: State, *, listener: Listener | None = None) -> Outcome:
    """Takes in the inbox alone, makes what follows from it, and publishes that.

    Raises:
        RunFailed: a step failed. What was published before stays.
    """

    def work(runs: _Runs) -> None:
        owed = filter(is_pending, state.each())
        runs.each(owed, lambda own: runs.execute("update", own, inbox_alone=True))
        runs.go_on()

    return _watched(state, work, listener)


def run_searches(state: State) -> Outcome:
    """Makes the searches that are due, and knowledge of what they bring.

    Raises:
        RunFailed: a step failed. What was published before stays.
    """

    def work(runs: _Runs) -> None:
        runs.take_in()
        if switched_off(state, ENRICHMENT_QUEUE):
            # Where none was ever made, they are due from the moment on that this is noted.
            runs.execute("enrich")
            runs.take_in()
        runs.execute("enrich")
        runs.take_in()

    return _watched(state, work)


def run_notifications(state: State) -> Outcome:
    """Tells what is due, and takes in that it was told.

    Raises:
        RunFailed: a step failed. What was published before stays.
    """

    def work(runs: _Runs) -> None:
        runs.take_in()
        runs.execute("dispatch")
        runs.take_in()

    return _watched(state, work)


def _of(state: State, files: Sequence[LogFile]) -> list[State]:
    """The namespaces of some files, in their order."""
    return [state.of(name) for name in dict.fromkeys(file.namespace for file in files)]


@dataclass(frozen=True)
class _Runs:
    """Runs of jobs in this process, over one instance: opening it costs as much as a small run."""

    state: State
    graph: dg.Definitions
    instance: dg.DagsterInstance
    came: Callable[[], bool]
    """Whether an interrupt came since it was last asked."""
    outcome: Outcome = field(default_factory=Outcome)
    command: str = field(default_factory=lambda: uuid4().hex[:8])
    again: bool = False
    in_batches: bool = False

    def take_in(self) -> None:
        """All that is pending."""
        self.each(filter(is_pending, self.state.each()), self.update)

    def update(self, own: State, **asked: object) -> None:
        """Takes in and makes what a namespace has pending, unless a home that shares was faster."""
        if not own.sharing or is_pending(own):
            self.execute("update", own, **asked)

    def owed(self, owns: Iterable[State]) -> Iterator[State]:
        """Those in which something is pending still: told of each when it is asked for."""
        for own in owns:
            if own.sharing:
                own.sharing.pull(own.own)
            if not own.sharing or is_pending(own):
                yield own

    def go_on(self) -> None:
        """What is pending though no file is new; asks a model what no run had the time for."""

        def update(own: State) -> None:
            if is_pending(own, files=[]):
                self.execute("update", own)

        owns = self.state.each()
        if self.state.sharing:  # of what another home works on nothing is known here, and owed
            owns = [own for own in owns if is_pending(own, files=[]) or owes(own)]
        ran = self.outcome.namespaces
        owns = [own for own in owns if own.own not in ran or own.model_goes_on or owes(own)]
        while owns:  # in turn, so that a long one keeps none waiting
            self.each(owns, update)
            owns = [own for own in owns if own.model_goes_on and is_pending(own, files=[])]

    def publish(self) -> None:
        """What is done so far, of the namespaces that this worked on."""
        owns = [self.state.of(name) for name in sorted(self.outcome.namespaces)]
        self.each(owns, partial(self.execute, "publish"))

    def each(self, owns: Iterable[State], act: Callable[[State], None]) -> None:
        """Does something in each namespace; one where it fails does not keep it from the others.

        One that another home works on comes behind those that none does: so homes with the same
        sources share the work, and one that dies leaves its part to the others.

        Raises:
            RunFailed: in one of them a step failed.
        """
        failed: list[str] = []
        later: list[State] = []

        def try_in(own: State, patience: float | None) -> None:
            try:
                with own.leased(patience):
                    act(own)
            except RunFailed as error:
                failed.append(str(error))
            except LeaseLost as error:
                failed.append(f"{own.own}: {error}")

        for own in owns:
            if self.state.sharing is None:
                try_in(own, None)
                continue
            try:
                try_in(own, 0)
            except LockTimeout:
                later.append(own)
        for own in later:
            try_in(own, None)
        if failed:
            raise RunFailed("; ".join(failed))

    def check(self, on_check: Callable[[], None], age: float) -> None:
        """Checks all tables of a namespace that ran, if that was last done `age` seconds ago.

        So too if something waits that a language model is asked once a night, or the namespace is
        blocked: what held it back may be mended, or judged otherwise by a newer version.
        """
        home = self.state.home
        blocked = blocked_namespaces(home)
        owed = [
            own
            for own in self.state.each()
            if (
                own.own in self.outcome.namespaces
                and age < math.inf
                and verified_since(home, own.own) >= age
            )
            or own.own in blocked
            or SuiteVerdicts(home, own.own).any_broken
            or night_model_work_pending(own)
        ]
        if owed:
            on_check()
        self.each(owed, self.verify)

    def verify(self, own: State, *, night: bool = False) -> None:
        """Makes all of a namespace anew to compare, and checks all its tables."""
        self.execute(NIGHT if night else VERIFY, own)
        note_verified(self.state.home, own.own)

    def execute(self, job: str, own: State | None = None, **asked: object) -> None:
        """One run of a job, of one namespace where it makes assets.

        `asked` is what is set of RunConfig, in every phase.

        Raises:
            RunFailed: a step of it failed.
            KeyboardInterrupt: it was interrupted.
        """
        again_if(self.came)
        config: dict[str, object] = dict(QUIET)
        made = self.graph.resolve_job_def(job)
        if asked:
            config["ops"] = {node.name: {"config": asked} for node in made.graph.nodes
                             if node.name in PHASES}  # fmt: skip
        run_id = str(uuid4())
        namespace = own.own if own else None
        if namespace:
            self.outcome.namespaces.add(namespace)
        with kept_open(self.instance, run_id):
            if namespace:
                make_known(self.instance, [namespace])
            result = made.execute_in_process(
                run_config=config,
                instance=self.instance,
                partition_key=namespace,
                tags={
                    **process_tag(),
                    COMMAND_TAG: self.command,
                    **({AGAIN_TAG: "yes"} if self.again else {}),
                    **({BATCH_TAG: "yes"} if self.in_batches else {}),
                },
                raise_on_error=False,
                run_id=run_id,
            )
        self.outcome.runs.append(result.run_id)
        if not result.success:
            if self.came():
                raise KeyboardInterrupt
            raise RunFailed(_reason(result))


def _watched(
    state: State,
    work: Callable[[_Runs], None],
    listener: Listener | None = None,
    on_interrupt: Callable[[], None] = lambda: None,
    *,
    kept: Engine | None = None,
    healed: bool = False,
    again: bool = False,
) -> Outcome:
    """Does work over one engine; once more, if it failed as something was damaged meanwhile."""

    def done() -> Outcome:
        with nullcontext(kept) if kept else engine(state) as over:
            return _done(state, over, work, listener, on_interrupt, again=again)

    start(state.home, state.settings)
    if state.sharing:
        state.sharing.finish_pulls()
    if not healed:
        heal(state)
    try:
        return done()
    except (RunFailed, Damaged):
        if not heal(state, deep=True):
            raise
        return done()


def _done(
    state: State,
    over: Engine,
    work: Callable[[_Runs], None],
    listener: Listener | None,
    on_interrupt: Callable[[], None],
    *,
    again: bool,
) -> Outcome:
    state.ask_again(allowed=again)
    with counted() as came, _told(listener, came):
        reconcile(over.instance)
        runs = _Runs(state, over.graph, over.instance, came, again=again)
        try:
            with reading():
                work(runs)
            again_if(came)
        except KeyboardInterrupt:
            came()
            runs.outcome.interrupted = True
            on_interrupt()
            runs.publish()
        return runs.outcome


@contextmanager
def _told(listener: Listener | None, came: Callable[[], bool]) -> Generator[None]:
    """Has a listener told of stages; before each, an interrupt that was dropped is raised again."""
    watching = listener or Listener()

    def began(stage: str) -> None:
        again_if(came)
        watching.began(stage)

    token = LISTENER.set(replace(watching, began=began))
    try:
        yield
    finally:
        LISTENER.reset(token)


def _reason(result: dg.ExecuteInProcessResult) -> str:
    errors = map(innermost, result.get_step_failure_events())
    if any(error and error.cls_name in INTERRUPTS for error in errors):
        raise KeyboardInterrupt
    return reason(result.all_events) or f"run {result.run_id} failed: see `cairn ui`"
