"""In which form each model is asked to answer: what its provider took, found out once and kept."""

import threading
from collections.abc import Iterator

from cairn.knowledge.llm.answer_schema import ANSWER_FORMS
from cairn.resources.llm.answer_cache import Answers


class AnswerForms:
    """The forms that a model at an address takes. Threads may share it."""

    def __init__(self, answers: Answers) -> None:
        self._answers = answers
        self._lock = threading.Lock()
        self._known: dict[tuple[str, str], str] = {}

    def left(self, model: str, base: str | None) -> Iterator[str]:
        """Forms to ask for, in turn, until one is taken: from the one that was found out."""
        known = self.known(model, base) or ANSWER_FORMS[0]
        yield from ANSWER_FORMS[ANSWER_FORMS.index(known) :]

    def known(self, model: str, base: str | None) -> str | None:
        """The form that was found out; None if none was."""
        with self._lock:
            key = (model, base or "")
            if key not in self._known and (kept := self._answers.form(*key)):
                self._known[key] = kept
            return self._known.get(key)

    def taken(self, model: str, base: str | None, form: str) -> None:
        """Keeps the form that a provider took."""
        with self._lock:
            key = (model, base or "")
            if self._known.get(key) != form:
                self._known[key] = form
                self._answers.keep_form(*key, form)
