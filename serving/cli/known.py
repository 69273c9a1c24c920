"""Values that a list may be narrowed to: a misspelt one is refused, not answered with nothing."""

import click
import polars as pl


def require_known(thing: str, value: str | None, there: pl.LazyFrame) -> None:
    """Refuses a value that nothing has.

    Args:
        thing: What has it, as in `no fact has predicate`.
        value: What was asked for; None for anything.
        there: One column with the values that there are.

    Raises:
        click.ClickException: nothing has it; names what there is.
    """
    if value is None:
        return
    known = sorted(there.unique().collect().to_series())
    if value not in known:
        raise click.ClickException(f"{thing} {value!r}; there are: {', '.join(known) or 'none'}")
