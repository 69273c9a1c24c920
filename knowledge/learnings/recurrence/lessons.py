"""All lessons that recurrence shows, over all conversations of a namespace.

What a person wants in two conversations is a best practice, what they refuse in two is to be left,
and commands that pass in the same order in three are a routine. Each is drafted once for every
conversation that bears it out, in the same words, so that the lesson has all their sources. Its
words and quotes are those of the first conversations, so that a further one makes no other lesson.
"""

from cairn.knowledge.engine.stage import Frames
from cairn.knowledge.learnings.draft import Draft
from cairn.knowledge.learnings.recurrence.occurrences import requests_of
from cairn.knowledge.learnings.recurrence.routines import routines
from cairn.knowledge.learnings.recurrence.wishes import practices, refusals
from cairn.knowledge.learnings.scoring import held, judged
from cairn.knowledge.schema.policy import Policy


def recurrent(reads: Frames, policy: Policy) -> list[tuple[str, str, Draft]]:
    """Lessons that several conversations bear out, as accepted drafts.

    Args:
        reads: FACTS and CANDIDATES of the predicates TOLD, FACT_SOURCES, VALID_TIMES, DECISIONS,
            COMMAND_RUNS and EPISODES of one namespace, in any order.
        policy: Bars.

    Returns:
        Namespace, conversation and draft, one for each conversation of each lesson.
    """
    requests = requests_of(reads["episodes"])
    made = [
        *practices(reads, requests),
        *refusals(reads, requests),
        *routines(reads["command_runs"], requests),
    ]
    namespace = next(iter(reads["episodes"]["namespace"]), "")
    accepted = ((name, held(judged(one, policy), ())) for name, one in made)
    return [(namespace, name, draft) for name, draft in accepted if draft.refused is None]
