"""All that rules find in a conversation, what it speaks for, and the drafts made from it."""

from typing import NamedTuple

from knowledge.learnings.categories import Signal
from knowledge.learnings.chains import Chain, chains
from knowledge.learnings.draft import Draft
from knowledge.learnings.findings import (
    Advice,
    Answer,
    Choice,
    Routine,
    advice,
    answers,
    choices,
    routine,
)
from knowledge.learnings.solved import chain_signal, from_chain
from knowledge.learnings.stated import (
    advice_signal,
    choice_signal,
    from_advice,
    from_answer,
    from_choice,
    from_routine,
)
from knowledge.learnings.steps import Step
from knowledge.learnings.turns import Turn
from knowledge.learnings.writing import Scene


class Findings(NamedTuple):
    """What rules found in one conversation."""

    chains: list[Chain]
    choices: list[Choice]
    answers: list[Answer]
    advice: list[Advice]
    routine: Routine | None


def findings(turns: list[Turn], every: list[Step]) -> Findings:
    """What rules find in one conversation; the threads of sub-agents are read by themselves."""
    solved: list[Chain] = []
    for side in (False, True):
        thread = [turn for turn in turns if turn.sidechain == side]
        solved += chains(thread, [step for step in every if step.call.sidechain == side])
    return Findings(solved, choices(turns), answers(every), advice(turns), routine(every))


def signals_of(found: Findings) -> list[Signal]:
    """What the findings speak for."""
    signals = [chain_signal(chain) for chain in found.chains]
    signals += [choice_signal(choice) for choice in found.choices]
    signals += [Signal("decision", "question_answered") for _ in found.answers]
    signals += [advice_signal(said) for said in found.advice]
    if found.routine:
        signals.append(Signal("workflow", "commands_repeated"))
    return signals


def drafts(found: Findings, turns: list[Turn], every: list[Step], wanted: list[str]) -> list[Draft]:
    """Drafts in the wanted categories, in the order of the findings, each title once."""
    scene = Scene(turns)
    made = [from_chain(chain, scene) for chain in found.chains]
    made += [from_choice(choice, scene) for choice in found.choices]
    made += [from_answer(answer, scene) for answer in found.answers]
    for said in found.advice:
        later = [step for step in every if step.call.seq > said.sentence.turn.seq]
        made.append(from_advice(said, later, scene))
    if found.routine:
        made.append(from_routine(found.routine, scene))
    titled: dict[tuple[str, str], Draft] = {}
    for draft in made:
        if draft is not None and draft.category in wanted:
            titled.setdefault((draft.category, draft.title.casefold()), draft)
    return list(titled.values())
