"""The whole API against its OpenAPI document, by schemathesis, in this process."""

import shutil
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import settings
from schemathesis.specs.openapi.checks import positive_data_acceptance

from resources.context import open_state
from serving.http.app import bare, create_app
from serving.http.openapi import document
from serving.retrieval.open_memory import Memory

schema = schemathesis.openapi.from_dict(document(bare(), needs_key=False))
schema.app = bare()


@pytest.fixture(scope="module")
def app(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The API over a copy of the samples: events are written into it."""
    place = tmp_path_factory.mktemp("schema") / "home"
    shutil.copytree(home, place)
    return create_app(Memory(open_state(place)))


@pytest.mark.slow
@schema.parametrize()
@settings(max_examples=10)
def test_the_api_is_as_its_document_says(case: schemathesis.Case, app: Any) -> None:
    response = case.call(app=app, headers={"host": "localhost"})
    # Which list a cursor is of, no schema says.
    invented = response.status_code == 400 and "cursor" in case.query
    excluded = [positive_data_acceptance] if invented else []
    case.validate_response(response, excluded_checks=excluded)
