"""Why there is no answer of a language model, in words."""

WORDS = {
    "refused": "the model declined",
    "truncated": "the answer was cut off at its greatest length",
    "no_json": "the answer is no JSON",
    "wrong_shape": "JSON of another shape than was asked for",
    "blank": "the answer is blank",
    "server": "the provider failed each time",
    "too_long": "the question is longer than the model reads",
    "no_budget": "budget_run, budget_day or model_dollars of limits is spent",
    "provider_down": "the provider is down, or key, address or model is wrong",
    "not_asked": "there was no time to ask",
    "in_batch": "a batch has it, which is answered within a day",
}
"""By the codes of cairn.knowledge.llm.client, which rows and JSON keep."""


def in_words(reason: str) -> str:
    """A reason that may end with such a code, and what the code means."""
    words = WORDS.get(reason.rpartition(": ")[2])
    return f"{reason} ({words})" if words else reason
