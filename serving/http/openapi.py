"""The OpenAPI document, with an example for each answer, and a page for people made from it."""

import json
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from cairn.serving.http.errors import MEDIA_TYPE
from cairn.serving.http.guard import PUBLIC
from cairn.serving.models.answers import Problem

Json = dict[str, Any]

PROBLEMS = {
    400: "No namespace is named and there are several; the cursor is of another list; no JSON.",
    401: "A key is needed, or the one that was sent opens nothing.",
    403: "The key is read-only.",
    404: "It is not there, or not for whoever asks; or nothing is published yet.",
    409: "That cannot be decided about these as they stand; `detail` says why.",
    413: "The body is too large.",
    415: "The body is not `application/json`.",
    421: "Where no key is needed, the host must be localhost or 127.0.0.1.",
    422: "A part of the request cannot be accepted; `errors` names each.",
    429: "The namespace had what `limits` allows it today; `Retry-After` says for how long.",
    500: "A fault of the server.",
    503: "What answers need cannot be read now: `cairn doctor` says why.",
}
"""Every status that is no answer; `_problems` says where."""

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem }
code, pre { font: 14px/1.4 ui-monospace, monospace }
pre { background: #8881; padding: .5rem .8rem; overflow-x: auto }
td { vertical-align: top; padding: .1rem 1rem .1rem 0 }
:root { color-scheme: light dark }
"""


def document(app: FastAPI, *, needs_key: bool) -> Json:
    """The OpenAPI document of an app.

    Args:
        app: The routes.
        needs_key: Whether whoever asks must have a key.
    """
    made: Json = get_openapi(
        title=app.title, version=app.version, description=app.description, routes=app.routes
    )
    schemas: Json = made["components"]["schemas"]
    schemas["Problem"] = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
    schemas |= schemas["Problem"].pop("$defs", {})
    example = {name: _example(schema, schemas) for name, schema in schemas.items()}
    for path, _, operation in _operations(made):
        if needs_key and path not in PUBLIC:
            operation["security"] = [{"key": []}]
        for parameter in operation.get("parameters", []):
            parameter["schema"] = _without_null(parameter["schema"])
        for response in operation["responses"].values():
            for content in response.get("content", {}).values():
                if name := _name(content.get("schema", {})):
                    content["example"] = example[name]
        told = {"schema": {"$ref": "#/components/schemas/Problem"}, "example": example["Problem"]}
        operation["responses"] |= {
            str(status): {"description": PROBLEMS[status], "content": {MEDIA_TYPE: told}}
            for status in sorted(_problems(path, operation, schemas, needs_key=needs_key))
        }
    if needs_key:
        made["components"]["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer"}}
    return made


def _operations(made: Json) -> Iterator[tuple[str, str, Json]]:
    for path, methods in made["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


def _problems(
    path: str, operation: Json, schemas: Mapping[str, Json], *, needs_key: bool
) -> set[int]:
    """Statuses of an operation that are no answer."""
    found = {500, 503}
    found |= {421} if not needs_key else set() if path in PUBLIC else {401}
    if parameters := operation.get("parameters"):
        found |= {400, 404, 422}
        found |= {429 for each in parameters if each["name"] == "query"}
    if body := operation.get("requestBody"):
        found |= {400, 404, 413, 415, 422}
        sent = body["content"]["application/json"]["schema"]
        sent = schemas.get(_name(sent) or "", sent)
        if "decision" in sent["properties"]:
            found.add(409)
        elif not {"text", "message"}.isdisjoint(sent["properties"]):
            found.add(429)
        if needs_key and not {"event_id", "hook_event_name"}.isdisjoint(sent["properties"]):
            found.add(403)
    return found


def _without_null(schema: Json) -> Json:
    """The schema of a parameter: it is left out, and never null."""
    parts = [part for part in schema.get("anyOf", []) if part.get("type") != "null"]
    if len(parts) == len(schema.get("anyOf", [])):
        return schema
    return parts[0] | {name: value for name, value in schema.items() if name != "anyOf"}


def _name(schema: Mapping[str, Any]) -> str | None:
    return schema["$ref"].rpartition("/")[2] if "$ref" in schema else None


def _example(schema: Mapping[str, Any], schemas: Mapping[str, Json]) -> Any:
    """An example of a schema: its own, else one made of those of its parts."""
    if "examples" in schema:
        return schema["examples"][0]
    if name := _name(schema):
        return _example(schemas[name], schemas)
    if "anyOf" in schema:
        return _example(schema["anyOf"][0], schemas)
    if schema.get("type") == "array":
        return [_example(schema["items"], schemas)]
    if "properties" in schema:
        return {name: _example(part, schemas) for name, part in schema["properties"].items()}
    return None


def page(made: Json) -> str:
    """The document as one page of HTML, which asks nothing of any other server."""
    about = made["info"]
    title = f"{escape(about['title'])} {escape(about['version'])}"
    schemas = made["components"]["schemas"]
    return "".join(
        [
            f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>',
            f"<style>{STYLE}</style><h1>{title}</h1><p>{escape(about['description'])}</p>",
            '<p>For programs: <a href="openapi.json">openapi.json</a></p>',
            *(_section(path, method, told, schemas) for path, method, told in _operations(made)),
            "</html>",
        ]
    )


def _section(path: str, method: str, operation: Json, schemas: Mapping[str, Json]) -> str:
    rows = "".join(
        f"<tr><td><code>{escape(each['name'])}</code><td>{_bounds(each['schema'])}"
        f"<td>{escape(each.get('description', ''))}</tr>"
        for each in operation.get("parameters", [])
    )
    sent = operation.get("requestBody", {}).get("content", {}).get("application/json")
    answer = next(iter(operation["responses"].values())).get("content", {})
    return "".join(
        [
            f"<h2><code>{method.upper()} {escape(path)}</code></h2>",
            f"<p>{escape(operation['description'])}</p>",
            f"<table>{rows}</table>" if rows else "",
            _code("Send", _example(sent["schema"], schemas)) if sent else "",
            *(_code("Answer", each["example"]) for each in answer.values() if "example" in each),
        ]
    )


def _bounds(schema: Json) -> str:
    if "enum" in schema:
        return escape(", ".join(map(str, schema["enum"])))
    if "maximum" in schema:
        return f"{schema['minimum']} to {schema['maximum']}"
    return escape(str(schema.get("format") or schema.get("type", "")))


def _code(what: str, example: Any) -> str:
    text = json.dumps(example, indent=2, ensure_ascii=False)
    return f"<details><summary>{what}</summary><pre>{escape(text)}</pre></details>"
