"""Are two statements that agree in words one statement, though one is believed far more?"""

from cairn.knowledge.llm.prompt import Example, Prompt
from cairn.knowledge.llm.prompts.contradiction_pairs import VERDICTS, PairVerdict, PairVerdicts

MERGE_PAIRS = Prompt(
    name="merge_pairs",
    about="Are two statements of the same words, of which one is believed far more, one statement?",
    context=(
        "Cairn gathers lasting knowledge from the logs of one person. Rules unite statements that "
        "say the same; those below agree in words, but one is believed far more than the other, or "
        "both only little, so that no rule decides. The input is pairs of statements; each has its "
        "number, what it is about, and both statements with the day on which each was first said, "
        "the earlier first."
    ),
    requirements=VERDICTS,
    criteria=(
        "A wrong MERGE loses a statement, a missed one only repeats it. Another order of words or "
        "another spelling is no difference."
    ),
    output=PairVerdicts,
    max_tokens=3000,
    examples=(
        Example(
            "Pair 1\nAbout: moorlaterne (project)\n"
            "A, 2026-01-05, states: The Moorlaterne archive is copied each night.\n"
            "B, 2026-02-11, states: Each night the Moorlaterne archive is copied.\n\n"
            "Pair 2\nAbout: moorlaterne (project)\n"
            "A, 2026-01-05, states: The Kupferhag server asks Moorlaterne for the list.\n"
            "B, 2026-01-20, states: Moorlaterne asks the Kupferhag server for the list.",
            PairVerdicts(
                verdicts=[
                    PairVerdict(pair=1, verdict="MERGE", reason="the same in another order"),
                    PairVerdict(
                        pair=2, verdict="KEEP_BOTH", reason="who asks whom is the other way round"
                    ),
                ]
            ),
            canaries=("Moorlaterne", "Kupferhag"),
        ),
    ),
)
