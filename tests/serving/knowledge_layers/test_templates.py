"""Templates: what they may use, and what they must not reach."""

from collections.abc import Callable

import pytest

from cairn.serving.knowledge_layers.formatting import Format, Formatter
from cairn.serving.knowledge_layers.items import Metadata, Piece, Retrieved, Scored
from cairn.serving.knowledge_layers.templates import TemplateError, handlebars, jinja, str_format
from tests.serving.knowledge_layers.test_formatting import FOUND

SLY = "{{ 7 * 7 }} {metadata.__class__} {% if x %} <b>&</b>"
"""A remembered text that looks like a template of each kind."""

JINJA = """\
{{ metadata.name }} ({{ metadata.langs | join("/") }}), {{ global_metadata.day }}
{% for piece in pieces -%}
{{ loop.index }}. {{ piece.content }}{% if piece.tags %} #{{ piece.tags | join(" #") }}{% endif %}
{% endfor -%}
{% for edge in graph_context %}{{ edge.edge_type }}:{{ edge.label }} {% endfor %}"""

HANDLEBARS = """\
{{metadata.name}} ({{#each metadata.langs}}{{this}}{{#unless @last}}/{{/unless}}{{/each}}), \
{{global_metadata.day}}
{{#each pieces}}
{{#if @first}}1{{else}}{{#if @last}}3{{else}}2{{/if}}{{/if}}. {{{content}}}\
{{#each tags}} #{{this}}{{/each}}
{{/each}}
{{#each graph_context}}{{edge_type}}:{{label}} {{/each}}"""

WRITTEN = """\
Ada (en/fr), Monday
morning
1. Ada drinks tea. #cup #tea
2. Ben repairs clocks.
3. Brew tea
at 80 degrees.
KNOWS:Ben KNOWS:Ben OWNS:Tom OWNS:Clock Street 4 """


@pytest.mark.parametrize(("kind", "template"), [(jinja, JINJA), (handlebars, HANDLEBARS)])
def test_a_template_writes_what_was_found(kind: Callable[[str], Format], template: str) -> None:
    assert kind(template)(FOUND) == WRITTEN


def test_fields_are_the_texts_of_the_default_form() -> None:
    template = str_format("<me>{metadata}</me>{{}} {global_metadata}|{pieces}|{graph_context}")
    bodies = Formatter().bodies(FOUND)
    assert template(
        FOUND
    ) == "<me>{metadata}</me>{{}} {global_metadata}|{pieces}|{graph_context}".format(**bodies)
    assert str_format("{pieces}", Formatter(include_tags=False))(FOUND).startswith(
        "[preference] Ada drinks tea.\n---\n"
    )


@pytest.mark.parametrize(
    "write",
    [
        jinja("{{ metadata.x }}{{ pieces[0].content }}"),
        handlebars("{{metadata.x}}{{#each pieces}}{{content}}{{/each}}"),
    ],
)
def test_what_is_remembered_is_no_template_and_is_not_escaped(write: Format) -> None:
    found = Retrieved(metadata=Metadata("a", "t", {"x": SLY}), pieces=(Scored(Piece("p", SLY), 1),))
    assert write(found) == SLY + SLY
    assert str_format("{pieces}")(found) == f"[fact] {SLY}"


@pytest.mark.parametrize(
    "template",
    [
        "{{ metadata.__class__ }}",
        "{{ metadata['__class__'] }}",
        "{{ metadata.name.__class__.__mro__ }}",
        "{{ ().__class__.__base__.__subclasses__() }}",
        "{{ pieces | attr('__class__') }}",
        "{{ '{0.__class__}'.format(metadata) }}",
        "{{ cycler.__init__.__globals__ }}",
        "{{ metadata.update({'name': 'Eve'}) }}",
        "{{ pieces.clear() }}",
        "{% include 'x' %}",
        "{% import 'x' as y %}",
        "{% for x in pieces %}",
        "{{ system }}",
        "{{ metadata.nobody.name }}",
    ],
)
def test_jinja_refuses(template: str) -> None:
    with pytest.raises(TemplateError):
        jinja(template)(FOUND)


@pytest.mark.parametrize(
    "template",
    [
        "{{#if pieces}}",
        "{{> other}}",
        "{{shout metadata.name}}",
        "{{#each pieces}}{{> x}}{{/each}}",
    ],
)
def test_handlebars_refuses(template: str) -> None:
    with pytest.raises(TemplateError):
        handlebars(template)(FOUND)


@pytest.mark.parametrize("path", ["__class__", "items", "constructor", "name.upper", "lookup"])
def test_handlebars_sees_values_alone(path: str) -> None:
    assert handlebars(f"{{{{metadata.{path}}}}}{{{{lookup metadata '{path}'}}}}")(FOUND) == ""


@pytest.mark.parametrize(
    "template",
    ["{metadata.__class__}", "{metadata[0]}", "{0}", "{}", "{nobody}", "{metadata!r}",
     "{metadata:>99}", "{metadata:{pieces}}", "{metadata"],
)  # fmt: skip
def test_a_field_is_a_name_alone(template: str) -> None:
    with pytest.raises(TemplateError):
        str_format(template)
