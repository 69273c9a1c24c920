"""The whole API against its OpenAPI document, by schemathesis, in this process."""

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from cairn.resources.context import open_state
from cairn.serving.http.app import create_app
from cairn.serving.retrieval.open_memory import Memory
from tests.homes import copy_home
from tests.serving.http.conftest import DOCUMENT

OPERATIONS = [(method, path) for path, methods in DOCUMENT["paths"].items() for method in methods]

BESIDE = {"as_of", "true_at", "cursor"}
"""What is left out where another parameter is looked at, so that most answers are of now: an
earlier moment takes ten times as long, and with an invented cursor there is none."""


@pytest.fixture(scope="module")
def schema(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The API over a copy of the samples: events are written into it."""
    import schemathesis  # takes a second, which each worker would spend

    place = tmp_path_factory.mktemp("schema") / "home"
    copy_home(home, place)
    app = create_app(Memory(open_state(place)))
    found = schemathesis.openapi.from_dict(deepcopy(DOCUMENT))
    found.app = app
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_the_api_is_as_its_document_says(method: str, path: str, schema: Any) -> None:
    from schemathesis.generation.feedback import FeedbackSources
    from schemathesis.pytest._test_builder import build_operation_test
    from schemathesis.python.asgi import get_client

    client = get_client(schema.app)
    client.trust_env = False  # each request would look for proxies
    done = set[str]()

    def asked_once(case: Any) -> None:
        if is_beside(case):
            return
        of_one_value(case)
        wrong = wrong_value(case)
        about = str(wrong or (case.path_parameters, case.query))
        if (wrong or case.method == "GET") and about in done:
            return
        as_it_says(case, client)
        done.add(about)

    # Its cases are made here: `schema.parametrize` makes them all when tests are collected, in each
    # worker, which takes as long as to import all else.
    asked = build_operation_test(
        config=schema.config,
        operation=schema[path][method],
        test_func=asked_once,
        given_kwargs={},
        feedback=FeedbackSources(),
        explicit_settings=settings(max_examples=3),
    )
    asked()


def wrong_value(case: Any) -> tuple[str, str] | None:
    """The parameter that is wrong, and how: it comes by itself, and again among right ones."""
    from schemathesis.core.parameters import ParameterLocation
    from schemathesis.generation.meta import CoveragePhaseData

    told = case.meta.phase.data
    if not isinstance(told, CoveragePhaseData) or case.meta.generation.mode.is_positive:
        return None
    name = told.parameter if told.parameter_location == ParameterLocation.QUERY else None
    return (name, repr(case.query[name])) if name is not None and name in case.query else None


def of_one_value(case: Any) -> None:
    """Leaves out what lies beside the parameter that a right value is tried for."""
    looked_at = getattr(case.meta.phase.data, "parameter", None)
    if looked_at and case.meta.generation.mode.is_positive:
        for name in BESIDE - {looked_at}:
            case.query.pop(name, None)


def is_beside(case: Any) -> bool:
    """Whether a case has a pair of values, or one that lies beside a bound.

    Each value of each parameter is asked for, and those that are drawn have several at once: all
    pairs would be a quarter of the time. What lies beside a bound is asked for at the bound.
    """
    from schemathesis.generation.meta import CoverageScenario

    told = case.meta.phase.data
    pair = getattr(told, "scenario", None) == CoverageScenario.OBJECT_REQUIRED_AND_OPTIONAL
    return pair or "Near-boundary" in (getattr(told, "description", None) or "")


def as_it_says(case: Any, client: Any) -> None:
    from schemathesis.specs.openapi.checks import positive_data_acceptance

    response = case.call(session=client, headers={"host": "localhost"})
    # Which list a cursor is of, no schema says.
    invented = response.status_code == 400 and "cursor" in case.query
    excluded = [positive_data_acceptance] if invented else []
    case.validate_response(response, excluded_checks=excluded)
