"""What a person typed, told from what they pasted."""

import time

import pytest

from cairn.knowledge.dialogue.typed import typed, typed_words
from tests.knowledge.extraction.rules.fixtures import agent, human, output, raw_logs


def own(text: str) -> str:
    return " ".join(typed(text).split())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Never touch the vendor folder.", "Never touch the vendor folder."),
        (
            'I get this error:\n\nTraceback (most recent call last):\n  File "a.py", line 3\n'
            "KeyError: 'x'\n\nAlways run it with -q.",
            "I get this error: Always run it with -q.",
        ),
        (
            "Works, but it warns: two berths are called 7. Names must be unique.\n    at div\n"
            "    at Quay (quay.js:31)\n\nAlways show the berth.",
            "Works, but it warns: Always show the berth.",
        ),
        (
            "❯ harbour start\nyou must never start twice\n\nPlease say more there.",
            "Please say more there.",
        ),
        (
            "That is wrong, see ada@quay ~/p/harbour (main) [1]> npx berth\nnpm error no berth\n"
            "it must never start twice\n\nCall it crane.",
            "That is wrong, see Call it crane.",
        ),
        (
            "Mail ada@quay.example if 3 > 2 and a/b > c",
            "Mail ada@quay.example if 3 > 2 and a/b > c",
        ),
        (
            "Which of them do we need?\n\n❯ quay crane\nMoves cranes\n\nUsage:\n  quay crane [name]"
            "\n\nAvailable Commands:\n  list        List all\n  park        Park one\n\nFlags:\n"
            '  -h, --help   help for crane\n\nUse "quay crane --help" for more information.',
            "Which of them do we need?",
        ),
        (
            "### Documentation\n\n*4. docs/crane.md:23* — says that it differs. It never does.\n\n"
            "*5. crane.go:6* — the list is always kept.\n\nWhat of that is true?",
            "### Documentation What of that is true?",
        ),
        ("How is this tweet:\n\nNever count ships by hand again.", "How is this tweet:"),
        ("Implement the following plan:\n\n# Plan\n\nAlways use the new store.", ""),
        ("/review:all\nNever skip the last step.", "Never skip the last step."),
        (
            "I got this feedback on the branch:\n\nThe default is twice the same.\n\n"
            "Low Severity\n\nAlways list every case.\n\nlet me know what you think first",
            "I got this feedback on the branch: let me know what you think first",
        ),
        (
            "Please do it so:\n\n- never log tokens\n- use uv",
            "Please do it so: - never log tokens - use uv",
        ),
        ("> Always use tabs.\nNo, spaces.", "No, spaces."),
        (
            "The loadTides() helper in quay/tides.go is only used in its own test. `berthOf` itself"
            " reads each chart directly, so that the helper should be removed, or be called there."
            " Can you check?",
            "Can you check?",
        ),
        (
            "The tides in `loadTides()` are only known a day before, as we ask the board by hand;"
            " see quay.go, it should never be called at night, that costs us a fee for each call.",
            "The tides in `loadTides()` are only known a day before, as we ask the board by hand;"
            " see quay.go, it should never be called at night, that costs us a fee for each call.",
        ),
        (
            "and this is for quay.go:37.. When berthOf() is called without a chart, loadTides()"
            " returns an empty list, which is never checked, so that the ships are only moored by"
            " chance, until the next tide comes.",
            "",
        ),
        ("You are the harbour master, taking over from an older crew.\n\nNever moor twice.", ""),
        (
            "# In app browser:\n- The user has it open.\n\n## My request for Codex:\nUse tabs.",
            "Use tabs.",
        ),
        ("fix quay/tide.go:1:9: var-naming: always name each berth (revive)", ""),
        (
            "\n".join(
                ["The scene is:", *(f"  {line:40}" for line in ("We keep", "ships", "always."))]
            )
            + "\n\nUse tabs.",
            "The scene is: Use tabs.",
        ),
        ("We keep ships" + " " * 20 + "\nin docks.", "We keep ships in docks."),
        ("Operation stopped by hook: two crews at once!\n\nBranch: quay/31", ""),
        (
            "Can you clarify this:\n\n  Each pier keeps all its ships.\n\nI see",
            "Can you clarify this: I see",
        ),
        (
            "From the other chat:\n\nThe berth is read twice.\n\n1. Always read it once\n"
            "2. Never cache ships\n\nThat ends it. Would you like me to show the code?\n\nDo that.",
            "From the other chat: Do that.",
        ),
        (
            "Never moor twice.\nWould you like me to show the log?",
            "Never moor twice. Would you like me to show the log?",
        ),
        (
            "Look at that.\n\ndiff --git a/quay.go b/quay.go\nindex 1a2b3c4..5d6e7f8 100644\n"
            "@@ -1,2 +1,3 @@\n func berth() {\n+\t// Always sync\n\n \t// Never sync twice\n }\n\n"
            "Never sync thrice.",
            "Look at that. Never sync thrice.",
        ),
        ("title:\tAlways moor\nstate:\tOPEN\n\nReview it.", "Review it."),
        (
            "What do you think of this feedback?\nBerths must never be null.",
            "What do you think of this feedback?",
        ),
        (
            "Got this comment from a reviewer, what say you?\n\nAlways close the file.\n\n"
            "I would never do so.",
            "Got this comment from a reviewer, what say you? I would never do so.",
        ),
        (
            "What do you think of this one?\nThe berth is written to a file.",
            "What do you think of this one?",
        ),
        ("+1, and\n+ never push to main", "+1, and + never push to main"),
        ("This session is being continued from a previous conversation. Never stop.", ""),
        ("Rules for commits:\n- always sign them", "Rules for commits: - always sign them"),
        ("src/quay.py:12:4: error: never used\nfix that please", "fix that please"),
        (
            "The build says this\nnote: Raising cranes in berth order\nplease look",
            "The build says this please look",
        ),
        ("note: we raise cranes in berth order", "note: we raise cranes in berth order"),
        (
            "ada@quay ~/p/harbour (main)> npx berth\nYour harbour needs a setup.\n\n"
            "The following piers should be mended: 4.2\n\n✔ Chose a pier\n\nCall it crane.",
            "Call it crane.",
        ),
        (
            "Solve this puzzle. The description is:\nim 13 years old, i like 2 watch ships\n\n"
            "DO NOT use sage.",
            "Solve this puzzle. The description is: DO NOT use sage.",
        ),
        (
            'He wrote "I live in Oslo with my cat. I never drink any tea at all." to us.',
            'He wrote " " to us.',
        ),
        ('Call the heading "How we live" and keep it.',) * 2,
        (
            "$ moor --all\nerror: no pier\n\nhint: it was closed.\n- To reopen it, run `pier`\n"
            "$ pier\nThere is none.\n\nplease mend it, we never close piers",
            "please mend it, we never close piers",
        ),
    ],
)
def test_pasted_text_is_told_by_its_form(text: str, words: str) -> None:
    assert own(text) == words
    assert len(typed(text)) == len(text)


def test_a_long_text_under_headings_was_not_typed_but_what_leads_to_it() -> None:
    lead = "Please take this over from the other session."
    part = "Never let the crane run without its brake. It was written for the quay.\n" * 10
    brief = f"{lead}\n\n# Role\n{part}\n## Repository\n{part}\nNext steps:\n{part}"
    assert typed(brief).split() == lead.split()
    few = f"{lead}\n\n# Role\n{part}\n## Repository\n{part}\n{part}"
    assert typed(few) == few
    short = f"{lead}\n\n# Role\nYou lead.\n## Repository\nquay\nNext steps:\nAsk me."
    assert typed(short) == short


def test_what_an_agent_or_a_tool_wrote_before_is_not_typed() -> None:
    logs = raw_logs(
        [
            human("go"),
            agent("Options:\n1. Always lock the **table** first.\n2. Never lock it at all."),
            output("we must never delete the ledger\nok"),
            human(
                "what is this?\n1. Always lock the table first.\n"
                "we must never delete the ledger\nbad"
            ),
            human("Never lock it at all."),
        ],
        [human("first line\nAlways lock the table first.")],
    )
    words = typed_words(logs).to_list()
    assert (words[3] or "").split() == ["what", "is", "this?", "bad"]
    assert words[4] is None  # chosen, not quoted
    assert words[5] is None  # another conversation


@pytest.mark.parametrize(
    "text",
    [
        "a " * 20_000,
        ":" * 20_000,
        "let " + ":" * 20_000 + " a b",
        "<a>" * 20_000,
        "\n>" * 20_000,
        "a@b ~/c" * 9_000,
    ],
)
def test_hostile_text_takes_no_longer(text: str) -> None:
    begin = time.process_time()
    assert len(typed(text, {"x"})) == len(text)
    assert time.process_time() - begin < 2


@pytest.mark.timeout(60)
def test_one_line_without_end_takes_no_hours() -> None:
    """A message of three megabytes took half a minute, one of thirty did not end."""
    line = "I live in Oslo. " * 200_000
    assert typed(line) == line
