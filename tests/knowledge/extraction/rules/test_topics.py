"""Key phrases of what people write."""

from cairn.knowledge.extraction.candidates import candidates
from cairn.knowledge.schema.policy import Policy
from tests.knowledge.extraction.rules.fixtures import Line, agent, human, raw_logs


def topics(*lines: Line) -> set[str]:
    rows = candidates(raw_logs(lines), Policy()).candidates
    return set(rows.filter(rows["entity_type"] == "topic", rows["kind"] == "entity")["object"])


def test_names_and_repeated_terms_are_topics() -> None:
    assert topics(
        human("Please wire OpenTelemetry into the billing service, xterm.js stays as it is."),
        human(
            "Does vector clock ordering matter here? I ask since vector clock code is new to me."
        ),
        agent("Grafana Loki would be an option."),
        human("We look at vector clock again tomorrow, in New Zealand time."),
    ) == {"OpenTelemetry", "xterm.js", "vector clock", "New Zealand"}


def test_everyday_requests_have_no_topic() -> None:
    assert (
        topics(
            human("continue"),
            human("Did you push? Please fix the failing tests and commit the changes."),
            human("Alright, thanks! Continue until all are done, then close the task."),
            human("Great. Run the tests again, please, and show me the error message."),
        )
        == set()
    )


def test_code_paths_addresses_and_pasted_output_are_not_topics() -> None:
    assert (
        topics(
            human("```\nclass FrobnicatorFactory: FrobnicatorFactory()\n```\nwhy?"),
            human(
                "open https://example.org/Frob/Nicator and /srv/Frob/Nicator, ask ann@example.org"
            ),
            human("> QuotedThing said that\n[redacted:token] is here, run hello_world.py"),
        )
        == set()
    )


def test_a_name_is_taken_whole_or_not_at_all() -> None:
    assert topics(
        human("I read “A Brief History of Quartz” and heard Ada Lovelace's Orchestral Suites."),
        human("The Float Pixel Data element is empty. We like Chinese food and Spanish."),
        human("Image Codec Registry is gone."),
    ) == {
        "A Brief History of Quartz", "Ada Lovelace", "Orchestral Suites", "Float Pixel Data",
        "Spanish", "Image Codec Registry",
    }  # fmt: skip


def test_speakers_codes_shouting_and_the_project_itself_are_not_topics() -> None:
    assert (
        topics(
            human("Hi, I'm Nadia Brandt and my name is Nadia. My booking is XQRTZB, or JMO1MG."),
            human("Claude, DO NOT TOUCH the harbour project. It is IMPORTANT, said Nadia Brandt."),
            human("See api.eu.example.org, main.py and QX7PLM2. The Harbour is ours."),
        )
        == set()
    )


def test_what_others_wrote_elsewhere_changes_no_topic() -> None:
    lines = [human("Please wire OpenTelemetry into the billing service.")]
    alone = candidates(raw_logs(lines), Policy()).candidates
    both = candidates(raw_logs(lines, [human("OpenTelemetry " * 50)]), Policy()).candidates
    assert both.filter(both["conversation_id"] == "c0").equals(alone)
