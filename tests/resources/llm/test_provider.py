"""What is asked of a model's own address beside litellm."""

import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from pytest_httpserver import HTTPServer

from cairn.resources.llm.provider import fetched


@pytest.mark.parametrize("scheme", ["https", "HTTPS"])
def test_a_server_that_nobody_vouches_for_tells_nothing(scheme: str, tmp_path: Path) -> None:
    with HTTPServer(ssl_context=vouched_for_by_itself(tmp_path)) as server:
        server.expect_request("/models").respond_with_json({"data": []})
        assert fetched(f"{scheme}://127.0.0.1:{server.port}/models") is None


def test_a_plain_address_is_asked() -> None:
    with HTTPServer() as server:
        server.expect_request("/models").respond_with_json({"data": []})
        assert fetched(server.url_for("/models")) == {"data": []}


def vouched_for_by_itself(folder: Path) -> ssl.SSLContext:
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    file = folder / "server.pem"
    form = serialization.Encoding.PEM
    private = key.private_bytes(
        form, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file.write_bytes(private + made.public_bytes(form))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    return context
