"""Made-up credentials, put together from parts so that no scanner takes this file for a leak."""

from __future__ import annotations

MIXED = "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA"
"""32 letters and digits."""

DASHES = "-" * 5


def block(kind: str, lines: int = 10, *, end: bool = True, newline: str = "\n") -> str:
    """A key block of `lines` body lines, with or without its end marker."""
    body = newline.join(f"{MIXED}{MIXED[::-1]}" for _ in range(lines))
    opened = f"{DASHES}BEGIN {kind} KEY{DASHES}{newline}{body}"
    return f"{opened}{newline}{DASHES}END {kind} KEY{DASHES}" if end else opened


def jwt() -> str:
    """Three segments, the first two of a JSON header."""
    return ".".join(("ey" + "JhbGciOiJIUzI1NiJ9", "ey" + "JzdWIiOiIxMjM0NTY3ODkwIn0", MIXED))


TOKENS: dict[str, str] = {
    "openai_api_key": "sk" + "-" + MIXED,
    "anthropic_api_key": "sk" + "-ant-" + "api03-" + MIXED,
    "github_token": "gh" + "p_" + MIXED,
    "aws_access_key_id": "AK" + "IA" + "Q7RZW2X9K4M1P8TN",
    "gitlab_token": "gl" + "pat-" + MIXED[:20],
    "slack_token": "xo" + "xb-" + "1234567890-abcdef",
    "jwt_token": jwt(),
    "stripe_secret_key": "sk" + "_live_" + MIXED[:24],
    "google_api_key": "AI" + "za" + MIXED + "bC4",
    "npm_token": "np" + "m_" + MIXED + "b4c5",
    "sendgrid_api_key": "S" + "G." + MIXED[:22] + "." + MIXED,
    "digitalocean_token": "do" + "p_v1_" + "a1b2c3d4" * 8,
    "huggingface_token": "hf" + "_" + "aBcDeFgHiJkLmNoPqRsTuVwXyZaBcDeFgH",
    "password_hash": "$2" + "b$12$" + MIXED + MIXED[:21],
}
"""One token for each of these classes."""
