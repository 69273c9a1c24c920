"""Text for a prompt by a template: Jinja2, Handlebars, or the braces of `str.format`.

A template is a program of whoever writes it: it comes from the developer, never from what is
remembered. Still, none of the three reaches beyond what it is given, which is plain text, numbers,
lists and dictionaries. What was found is filled in as it is: nothing is escaped, since it is read
by a model, and nothing in it is a template.

Names that Jinja2 and Handlebars templates know:

- metadata, global_metadata: dictionaries of properties;
- pieces: each with piece_id, content, knowledge_type, info_type, tags, entity_id, confidence,
  score;
- graph_context: each with edge_type, source_id, target_id, node_type, label, description, depth,
  piece_id, content (of the piece on the edge).

`str.format` knows the same four names, as texts in the default form.
"""

from collections.abc import Iterable
from string import Formatter as Fields
from typing import Any, NoReturn

from cairn.serving.knowledge_layers.formatting import Format, Formatter, known, told
from cairn.serving.knowledge_layers.items import Relation, Retrieved, Scored
from cairn.serving.knowledge_layers.retrieving import by_relation

NAMES = ("metadata", "global_metadata", "pieces", "graph_context")


class TemplateError(ValueError):
    """A template that cannot be used; the message says why."""


def jinja(template: str) -> Format:
    """A Jinja2 template in a sandbox: no underscore names, no other templates, nothing is changed.

    What it gives raises TemplateError where the template reaches for what it must not, or uses
    what is not there.

    Raises:
        TemplateError: it cannot be read, or asks for a name that there is not.
    """
    from jinja2 import exceptions, meta
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    class Sandbox(ImmutableSandboxedEnvironment):
        """Refuses aloud what the one of Jinja2 takes for undefined."""

        def unsafe_undefined(self, obj: Any, attribute: str) -> NoReturn:
            raise exceptions.SecurityError(f"{attribute!r} of a {type(obj).__name__} is unsafe")

    environment = Sandbox(
        autoescape=False,  # text for a model, not for a browser
        keep_trailing_newline=True,
    )
    try:
        parsed = environment.parse(template)
        made = environment.from_string(template)
    except exceptions.TemplateSyntaxError as error:
        raise TemplateError(f"Jinja2, line {error.lineno}: {error.message}") from error
    _refuse(sorted(meta.find_undeclared_variables(parsed)))
    if any(True for _ in meta.find_referenced_templates(parsed)):
        raise TemplateError("Jinja2: a template cannot use another one")

    def render(found: Retrieved) -> str:
        try:
            return made.render(_context(found))
        except exceptions.TemplateError as error:
            raise TemplateError(f"Jinja2: {error}") from error

    return render


def handlebars(template: str) -> Format:
    """A Handlebars template, as Handlebars.js 4 reads it, without partials and own helpers.

    What is not there is empty, as Handlebars has it.

    Raises:
        TemplateError: it cannot be read.
    """
    from dotpromptz_handlebars import Handlebars

    def render(values: dict[str, Any]) -> str:
        try:
            return made(values)
        except ValueError as error:
            raise TemplateError(f"Handlebars: {error}") from error

    try:
        made = Handlebars(escape_html=False).compile(template)
    except ValueError as error:
        raise TemplateError(f"Handlebars: {error}") from error
    render({})  # finds helpers and partials that there are not
    return lambda found: render(_context(found))


def str_format(template: str, formatter: Formatter | None = None) -> Format:
    """A template of `str.format` with the names alone: `{metadata}`, not `{metadata.x}`.

    Args:
        template: The text with its fields.
        formatter: Makes the texts of the fields; the default form if None.

    Raises:
        TemplateError: it cannot be read, or a field is more than a name that there is.
    """
    try:
        fields = [field for field in Fields().parse(template) if field[1] is not None]
    except ValueError as error:
        raise TemplateError(f"str.format: {error}") from error
    _refuse(str(name) for _, name, _, _ in fields)
    if any(spec or conversion for _, _, spec, conversion in fields):
        raise TemplateError("str.format: a field is a name alone")
    bodies = (formatter or Formatter()).bodies
    return lambda found: template.format(**bodies(found))


def _refuse(names: Iterable[str]) -> None:
    for name in names:
        if name not in NAMES:
            raise TemplateError(f"no name {name!r} in a template; there is: {', '.join(NAMES)}")


def _context(found: Retrieved) -> dict[str, Any]:
    """What was found as plain values, in the order of the default form."""
    return {
        "metadata": known(found.metadata),
        "global_metadata": known(found.global_metadata),
        "pieces": [_piece(one) for one in told(found)],
        "graph_context": [_relation(one) for one in sorted(found.graph_context, key=by_relation)],
    }


def _piece(scored: Scored) -> dict[str, Any]:
    piece = scored.piece
    return {
        "piece_id": piece.piece_id,
        "content": piece.content,
        "knowledge_type": str(piece.knowledge_type),
        "info_type": piece.info_type,
        "tags": sorted(piece.tags),
        "entity_id": piece.entity_id,
        "confidence": piece.confidence,
        "score": scored.score,
    }


def _relation(relation: Relation) -> dict[str, Any]:
    edge = relation.edge
    return {
        "edge_type": edge.edge_type,
        "source_id": edge.source_id,
        "target_id": edge.target_id,
        "node_type": relation.target.node_type,
        "label": relation.target.label,
        "description": edge.description,
        "depth": relation.depth,
        "piece_id": edge.piece_id,
        "content": relation.piece.content if relation.piece else None,
    }
