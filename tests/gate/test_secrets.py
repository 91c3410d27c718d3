"""Secrets of no known vendor, and the engineering text that only looks like them."""

from __future__ import annotations

import pytest

from learnt.gate.scan import Gate
from tests.gate.fakes import MIXED, TOKENS

GATE = Gate()
PASSWORD = "Tr" + "4vel!" + "9Qx" + "#z2"


@pytest.mark.parametrize(
    ("before", "secret", "after"),
    [
        ("Server=db7;User Id=app;Password=", "x7Kq9mW2pL4v", ";Timeout=5"),
        ("basicAuth: svc:", "p4Ss-w0rD9", " on staging"),
        ("the pw is ", PASSWORD, " until Friday"),
        ("my API key is ", "wxyz" + "_" + MIXED[:16], " for staging"),
        ("https://maps.example.test/v1?key=", MIXED[:30], "&page=2"),
        ("password: ", "ab&cd7EF&9h", ""),
        ("String dbPassword = ", '"' + PASSWORD + '"', ";"),
        ("curl -u admin:", PASSWORD, " https://host.example"),
        ("login --password=", PASSWORD, " now"),
        ("setx DEPLOY_TOKEN ", MIXED[:24], ""),
        ("X-Api-Key: ", MIXED, ""),
        ("AWS secret access key:\n", "wJalr/XUtnFEMI7MDENGbPx/Rfi" + "CYzEX9MPKEY1a", "\nof the old account"),
    ],
)
def test_labelled_values_go(before: str, secret: str, after: str) -> None:
    """A value that its label makes a secret goes, and the rest of the sentence stays usable."""
    redacted = GATE.redact(before + secret + after)
    assert secret.strip('"') not in redacted
    assert "[REDACTED:" in redacted
    assert redacted.endswith(after)


def test_connection_address_goes() -> None:
    """An address with a password in it goes up to its end; the sentence around it stays."""
    address = "postgres://admin:" + "aU7cfg$mpu" + "@db.internal:5432/prod"
    assert (
        GATE.redact(f"connect with {address} (see runbook)") == "connect with [REDACTED:url_credentials] (see runbook)"
    )


@pytest.mark.parametrize(
    "text",
    [
        "Fixed in 7f6b8594a1feafbf5ff8595f73a094463626e8ff; cherry-pick it.",
        "sha256:b9be0e0fd9eab8119de71996aca3beb6e49850fc261c1d11817622f3ead15314",
        "request_id=7f3bfa5e-bee9-4ab2-819b-19297589c137",
        '"integrity": "sha512-AKIAQ7RZW2X9K4M1P8TN/abcdefghijklmnopqrstuvwxyz=="',
        "traceparent: 00-d1ea07fc6b592088656dff3917aef4eb-8cc5e9b81dc950ca-01",
        "resolveWorkspaceMemberInvitation",
        "resp = v2_models.ListTenantsResponse.from_rows(rows)",
        "flushPendingTranscriptSegments, CUDA_ERROR_COMPAT_UNSUPPORTED",
        "hotkey=ctrl-k turkey_batch=P2-77 public_key_name=deploy-bot",
        "deploy ALL=(ALL) NOPASSWD: /usr/bin/systemctl restart app",
        "password: '********' token=${CI_TOKEN} keyboard_layout=qwertz-de",
        "the secret name is DB_PASSWORD",
        'foreign_key = "user_accounts_v2_id"; idempotency_key = "order:jqvhsdx9"; primary_key=True',
        "API_KEY=<your-key> SECRET_KEY=${{ secrets.DEPLOY }} GH_TOKEN=$GITHUB_TOKEN",
        "api_key = os.environ['SERVICE_API_KEY']",
        "token = settings.authentication.token_value",
        "src/learnt/gate/patterns.py and C:\\Users\\me\\project\\src\\main.rs",
        "icon: data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAp3UHz+dxxGDMa9e9Z09GfqsImTG0TeZ3quMR",
        "https://maps.example.com/?key=guylxfdj&zoom=4",
        "pnpm add left-pad@1.8.4-canary.1acb69d, python 3.11.7, v2.31.4.0",
    ],
)
def test_engineering_text_stays(text: str) -> None:
    """Commits, digests, identifiers, placeholders, look-ups and versions are kept: lessons cite them."""
    assert GATE.redact(text) is text


@pytest.mark.parametrize(
    "text",
    [
        "Rotate AKIA keys every 90 days and never commit a sk- or ghp_ token.",
        "Never log Authorization: Bearer headers.",
        "A file that starts with -----BEGIN RSA PRIVATE KEY----- must not be committed.",
        "Private keys must be 0600 or ssh refuses them.",
        "The token bucket limiter must refill before the password reset endpoint is called.",
        "Set DATABASE_PASSWORD in the vault, not in .env; password: at least 12 characters.",
        "Put the API key into the keychain; the secret is read at start.",
    ],
)
def test_notes_about_secrets_may_be_stored(text: str) -> None:
    """A person may write down rules about secrets."""
    assert GATE.redact(text) is text


@pytest.mark.parametrize("text", ["a [REDACTED] b", "API_KEY=[REDACTED:openai_api_key]", "token: [REDACTED:jwt_token]"])
def test_marks_are_no_secrets(text: str) -> None:
    """Our placeholder and another tool's are left alone."""
    assert GATE.redact(text) is text


@pytest.mark.parametrize("name", ["github_token", "npm_token", "openai_api_key", "aws_access_key_id"])
def test_a_token_in_the_name_of_a_file_is_found(name: str) -> None:
    """An underscore before a token is no part of it."""
    redacted = GATE.redact(f"src/backup_{TOKENS[name]}.txt")
    assert redacted == f"src/backup[REDACTED:{name}].txt"
