"""The form that a model is asked to answer in: its JSON schema, any JSON object, or as it likes."""

from typing import Any

from cairn.knowledge.llm.prompt import Prompt

ANSWER_FORMS = ("schema", "json", "plain")
"""From the strictest: what a provider does not take, the next one may do for."""

_LEFT_OUT = {"title", "default", "minLength", "maxLength"}
"""What strict schemas may not have; an answer is checked against the whole schema anyway."""
_NOT_STRICT = {"allOf", "oneOf", "not", "if", "prefixItems", "patternProperties"}

Schema = dict[str, Any]


def response_format(prompt: Prompt[Any], form: str) -> dict[str, Any]:
    """The parameter that asks for a form, as OpenAI has it; nothing for `plain`.

    It is no part of a prompt's fingerprint: the schema is, and stands in its text.
    """
    if form == "plain":
        return {}
    if form == "json":
        return {"response_format": {"type": "json_object"}}
    schema = prompt.output.model_json_schema()
    strict = strict_schema(schema)
    asked = {"name": prompt.name, "schema": strict or schema, "strict": strict is not None}
    return {"response_format": {"type": "json_schema", "json_schema": asked}}


def strict_schema(schema: Schema) -> Schema | None:
    """A schema as providers hold a model to it strictly; None where it cannot be made so.

    Every object has just its properties, and all of them.
    """
    try:
        return _strict(schema)
    except _OpenObjectError:
        return None


class _OpenObjectError(Exception):
    """An object of any properties, or a form that strict schemas do not have."""


def _strict(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_strict(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    given: Schema = schema
    if _NOT_STRICT & given.keys() or given.get("additionalProperties") not in (None, False):
        raise _OpenObjectError
    named = {"properties", "$defs"}
    made: Schema = {
        key: {name: _strict(each) for name, each in value.items()} if key in named
        else value if key in ("enum", "const", "description") else _strict(value)
        for key, value in given.items()
        if key not in _LEFT_OUT
    }  # fmt: skip
    if given.get("type") == "object":
        if "properties" not in given:
            raise _OpenObjectError
        made |= {"required": list(given["properties"]), "additionalProperties": False}
    return made
