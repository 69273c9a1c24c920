"""How a person shows a key: once, and then by a cookie that no other site's pages send."""

from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlsplit

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from starlette.datastructures import Headers

from cairn.serving.http.auth import HttpGate
from cairn.serving.http.errors import HttpRefused
from cairn.serving.http.pages.rendering import HEADERS, html

COOKIE = "cairn_key"
LOGIN = "/login"
PUBLIC = frozenset({LOGIN, "/logout", "/cairn.css", "/cairn.svg"})
LONGEST = 4_000
"""Bytes of what is sent to log in."""

router = APIRouter(include_in_schema=False)


def is_page(path: str) -> bool:
    """Whether a path is one that people open: there a cookie counts, and nowhere else."""
    return path == "/" or path.startswith("/n/")


def authorization_of(headers: Headers) -> str | None:
    """The header that the key of a cookie stands for, if there is one."""
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return None
    return f"Bearer {found.value}" if found else None


async def form_of(request: Request) -> dict[str, list[str]]:
    """What a form of ours was filled in with.

    Raises:
        HttpRefused: it is of another site, or of none: a browser says where a form stands.
    """
    headers = request.headers
    origin, site = headers.get("origin"), headers.get("sec-fetch-site")
    ours = origin is not None and urlsplit(origin).netloc == headers.get("host")
    if not ours or site not in (None, "same-origin"):
        raise HttpRefused(403, "that form is of another site")
    return parse_qs((await request.body())[:LONGEST].decode("utf-8", "replace"))


@router.get(LOGIN)
def ask() -> Response:
    """The form."""
    return _form()


@router.post(LOGIN)
async def login(request: Request) -> Response:
    """Takes a key, and sets the cookie if it opens anything."""
    key = (await form_of(request)).get("key", [""])[0].strip()
    gate: HttpGate = request.app.state.gate
    try:
        gate.caller(f"Bearer {key}")
    except HttpRefused:
        return _form(401)
    done = RedirectResponse("/", 303)
    if not gate.open:
        done.set_cookie(
            COOKIE, key, httponly=True, samesite="strict", secure=request.url.scheme == "https"
        )
    return done


@router.post("/logout")
def logout() -> Response:
    """Lets go of the key."""
    done = RedirectResponse(LOGIN, 303)
    done.delete_cookie(COOKIE, httponly=True, samesite="strict")
    return done


def _form(status: int = 200) -> Response:
    told = html(
        "login.html", title="Log in", menu=(), namespace=None, keyed=False, wrong=status == 401
    )
    return HTMLResponse(told, status, HEADERS)
