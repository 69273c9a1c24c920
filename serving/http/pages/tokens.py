"""What proves that a form was shown by this server to whoever sends it (CSRF tokens)."""

import hashlib
import hmac
import secrets

from fastapi import Request

from cairn.serving.http.errors import HttpRefused
from cairn.serving.http.pages.login import Form, authorization_of

FIELD = "token"
_OPEN = secrets.token_bytes(32)
"""Where there is no key: of this process, so a page that is older than it has to be loaded anew."""


def token_of(request: Request) -> str:
    """The token of whoever asks: of their key alone, so that any server with that key takes it."""
    authorization = authorization_of(request.headers)
    secret = authorization.encode() if authorization else _OPEN
    return hmac.new(secret, b"a form of Cairn", hashlib.sha256).hexdigest()


def check_token(request: Request, form: Form) -> None:
    """Takes the token out of a form.

    Raises:
        HttpRefused: it is not that of whoever sends the form.
    """
    given = form.pop(FIELD, [""])[0]
    if not hmac.compare_digest(given.encode(), token_of(request).encode()):
        raise HttpRefused(403, "that form is too old: load its page again")
