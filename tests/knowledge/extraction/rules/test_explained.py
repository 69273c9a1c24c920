"""Notes, corrections and causes in what a person typed, and what only looks like them."""

import time

import pytest

from cairn.knowledge.extraction.candidates import candidates
from cairn.knowledge.extraction.rules.explained import explained
from cairn.knowledge.schema.policy import Policy
from tests.knowledge.extraction.rules.fixtures import agent, human, raw_logs


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (
            "Why is it empty? (note the cranes are read from `quay.db`)",
            "The cranes are read from `quay.db`",
        ),
        (
            "fyi the staging harbour is reset every night",
            "The staging harbour is reset every night",
        ),
        ("Keep in mind that the quays share a crane.", "The quays share a crane."),
        (
            "The CLI is here, and the tide API is at ../tides",
            "The tide API is at ../tides",
        ),
        ("crane messages are append only, so a count will do",) * 1
        + ("Crane messages are append only, so a count will do",),
        ("Berth sync only works if the quay exists.",) * 2,
        (
            "uhh, the tide file was supposed to be in `var/tides`, not in `tmp`",
            "The tide file was supposed to be in `var/tides`, not in `tmp`",
        ),
        ("The priority is flags -> project file -> home file",) * 2,
        ("use `make tide` to start the tide server", "Use `make tide` to start the tide server"),
        ("to load the charts run `quayctl charts`", "To load the charts run `quayctl charts`"),
        ("You can run the long tests with `make long`.",) * 2,
        (
            "`berth.ts` is generated, don't edit it by hand",
            "`berth.ts` is generated, don't edit it by hand",
        ),
        ("harbour fees are stored in cents", "Harbour fees are stored in cents"),
        ("The reason we use a queue is that cranes share their state.",) * 2,
        ("Removing the pier route was intentional.",) * 2,
        ("`Crane.list` is exposed as an API to the harbor app.",) * 2,
        ("remember this is a small prototype", "This is a small prototype"),
        ("The only way to moor two ships is to start the second crane.",) * 2,
        (
            'That\'s wrong: "the hook receives the ship and the berth" -> https://quay.example/hooks',
            "The hook receives the ship and the berth",
        ),
        ("No. The queue only retries on status 503.", "The queue only retries on status 503."),
        (
            "you misunderstood: the flag disables the cache, it doesn't clear it",
            "The flag disables the cache, it doesn't clear it",
        ),
        (
            "Context: the cranes report to the tide service.",
            "The cranes report to the tide service.",
        ),
        ("The culprit was `max_conns` in the pooler.",) * 2,
        ("The reason it failed was that `TIDE_URL` was empty.",) * 2,
        ("The tide charts live in `docs/tides`, not in the wiki.",) * 2,
        ("This is a monorepo, each package has its own lock file.",) * 2,
        ("The crane tests need docker running.",) * 2,
        ("All checks can be done automatically with the --dev-quay flag",) * 2,
        (
            "The deploy tool is called quayctl, not quay",
            "The deploy tool is called quayctl, not quay",
        ),
        ("no, the port is 8443", "The port is 8443"),
        ("It's `apps/quay`, not `app/quay`",) * 2,
        ("To run the crane worker you need to start the queue first.",) * 2,
        ("keep in mind, to test you have to run `quay up`", "To test you have to run `quay up`"),
        ("In the readme, mention that the cranes are read-only.", "The cranes are read-only."),
        ("The harbour master is me.",) * 2,
        ("It's only a demo project for the harbour board.",) * 2,
        ("The crane plugin is only useful for large ports.",) * 2,
    ],
)
def test_what_a_person_explains_for_good(text: str, kept: str) -> None:
    assert [(one.text, one.lasting) for one in explained(text)] == [(kept, True)]


@pytest.mark.parametrize(
    "text",
    [
        "The test is right, the code is wrong.",
        "No, use the loader from `quay/load.py`.",
        "My point is: the crane list does not show the berth right now.",
    ],
)
def test_what_puts_an_agent_right_in_this_session(text: str) -> None:
    assert [one.lasting for one in explained(text)] == [False]


@pytest.mark.parametrize(
    "text",
    [
        "CI takes 20 min because the simulators boot cold.",
        "Tide state is in the bucket `tides-eu`, locked by the pier.",
        "The nightly export starts at 2am UTC and needs 3 hours.",
        "Deploys happen on Tuesday.",
        "Odile owns the crane service, ask her before its rights change.",
        "There's no internet on the build machines.",
        "Anything under `charts/` comes out of the tide model.",
        "About 30% of our ports sit behind a proxy.",
        "The default port of the crane is 8443.",
        "The board has 64k of RAM.",
        "Turns out it was the DNS cache, the cranes kept the old address.",
        "The flaky crane test came from two runs that share a port.",
        "What actually fixed the timeouts was a pool of 20.",
        "The reason the crane moved twice was the proxy retrying after 60 s.",
        "The migration locked the berths because the index was not built apart.",
        "`tide_cache = off` fixed it.",
        "Redis and the tide table are running on 10.0.0.7.",
        "We have our own tide server at tides.pier.example.",
        "All checks can be done with the `--dry` flag.",
        "Customers can have several berths at once.",
        "Uart2 is the debug console.",
        "Tides are a nightly copy of the board's.",
        "Root cause of the outage: the crane had no ports left.",
        "The spikes turned out to be duplicated samples of the buoy.",
        "It only worked after I deleted `_tides` for good.",
        "Moving the buoys apart is what broke the tide tables.",
        "I finally understood why the tugs were late: they were sent before the gate opened.",
        "The memory leak was the tide sink that holds itself.",
        "Last time we moved a pier without `--slow` it locked the harbour.",
        "Mystery solved, the pilots kept the old chart after the change of tide.",
    ],
)
def test_how_a_project_is_and_why_it_failed(text: str) -> None:
    assert [(one.text, one.lasting) for one in explained(text, in_project=True)] == [(text, True)]


@pytest.mark.parametrize(
    "text",
    [
        "The button is on the left. The branch is 12 commits behind main, rebase it.",
        "Review the remote repo sync schema. The crane takes 3 s now. Is CI on the pier?",
        "The tide list is in a mess. It takes 20 minutes. There are two cranes here.",
        "Spawn a worker to use the crane. The test failed because you moved it.",
        "Use tabs in that file, that's why it says missing separator.",
    ],
)
def test_how_it_is_at_the_moment_is_no_explanation(text: str) -> None:
    assert explained(text, in_project=True) == ()


@pytest.mark.parametrize(
    "text",
    [
        "No problem. No, that's fine. No worries, we can do it later. No, I meant the other one.",
        "Actually, can you revert it? Actually I think we should wait. Actually it works.",
        "The problem is that the build fails. The reason was a typo. The issue was fixed.",
        "Context: Manage ships screen, the ships list row item actions.",
        "Run 'harbour start' to start the first crane. Use `grep` to find the error.",
        "You can see the error with `harbour log`. The report is generated.",
        "Background: harbour settings, cranes.",
        "Note that it is slow. Note: run the tests first. Note the error above. fyi I'm away.",
        "The build is broken in CI. The page needs a title. The tests run on my machine.",
        "The list is in the wrong order. This is a nice app. The new tests live in the old folder.",
        "The output is written to stdout twice. Why do the logs live in /tmp?",
        "The result is `None`. The status is DONE. The answer is 42. The hook is called twice.",
        "The function is named badly. The crane is called by the loader. The culprit is me, sorry.",
        "To fix this you need to wait. Mention that it is slow. It is red, not blue. Is it `quay`?",
        "The crane is only slow today. The tests are only red on CI. The port is closed.",
        "To reach the quay from the pier which bridge do you need to cross",
        "I asked git to drop a branch, and it was not fully merged. Note: also has a pier.",
        "Let's go through the cranes and look at those that should have a lock.",
        "`window.quay` is not defined in the dev build, so I doubt the test.",
        "Wrong button. Not sure. That's not what I asked. You are wrong. Is that correct?",
    ],
)
def test_what_explains_nothing(text: str) -> None:
    assert explained(text) == ()


def test_only_to_an_agent_and_only_a_persons_word() -> None:
    text = "No. The queue only retries on status 503."
    for lines, predicates in (
        ([human(text), agent("Ok.")], ["states"]),
        ([human(text, name="Ann"), human("Ok.", name="Ben")], []),
        ([agent(text), human("hm")], []),
    ):
        found = candidates(raw_logs(lines), Policy()).candidates
        found = found.filter(
            found["object"].str.contains("retries"), found["predicate"] == "states"
        )
        assert found["predicate"].to_list() == predicates


def test_how_a_project_is_at_the_moment_is_nothing_of_it() -> None:
    for told in (
        "Port 4325 of the crane is in use, trying another one",
        "The tide server has now started on the board.",
        "The charts are still named after the old harbour.",
    ):
        assert explained(told, in_project=True) == ()


@pytest.mark.parametrize(
    "text", ["no, " * 9_000, "note " * 9_000, "the a b " * 5_000, "( " * 9_000]
)
def test_hostile_text_takes_no_longer(text: str) -> None:
    begin = time.process_time()
    explained(text)
    assert time.process_time() - begin < 2
