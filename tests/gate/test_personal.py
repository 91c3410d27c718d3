"""Personal data are found by shape and check digits, and look-alikes of engineering text are not."""

from __future__ import annotations

import pytest

from learnt.gate.personal import find, summary

CARD = "4012" + "8888" + "8888" + "1881"
MAIL = "ann.example" + "@" + "mail.example.org"
SSN = "-".join(("219", "09", "9999"))
PHONE = "+49 30 " + "64920636"


def kinds(text: str) -> list[str]:
    """The types found, in order."""
    return [finding.name for finding in find(text)]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (f"write to {MAIL} first", "email"),
        (f"email = '{MAIL}';", "email"),
        (f"mailto:{MAIL}?subject=hi", "email"),
        (f"card {CARD} was declined", "credit_card"),
        ("card " + " ".join(CARD[at : at + 4] for at in range(0, 16, 4)), "credit_card"),
        ("card " + "2221" + "000000000017", "credit_card"),
        ("card " + "6212" + "340000000000012", "credit_card"),
        (f"SSN {SSN}", "ssn"),
        (f"call {PHONE}", "phone"),
        ("call (415) 555-0134 now", "phone"),
        ("Requests from 203.0.113.7 were limited", "ip_address"),
        ("listen on 192.168.1.42", "ip_address"),
        ("from 2001:4860:4860::8888 again", "ip_address"),
        ("IBAN GB82 WEST 1234 5698 7654 32", "iban"),
    ],
)
def test_data_of_a_fixed_shape_are_found(text: str, kind: str) -> None:
    """With their place in the text as stored."""
    (finding,) = find(text)
    assert (finding.family, finding.name) == ("pii", kind)
    assert 0 <= finding.start < finding.end <= len(text)


@pytest.mark.parametrize(
    "text",
    [
        "ts=1767225600009 and 1755300042",
        "build 20261130.0917 of order PO1234568",
        "upgrade to 2.31.4.0, nuget 10.0.19041.1, section 3.2.1.4",
        "sys.platform in worker.py, pkg@1.2.3, @decorator, @types/node@20.2.4",
        "git@host.example.test:team/repo.git",
        "card 4012888888881882 fails its digit",
        "999.999.1.1 and 127.0.0.1 and 0.0.0.0 and ::1",
        "std::sync::mpsc and a::b::c and auth::tests and $1::UUID",
        "commit 0123456789abcdef0123456789abcdef01234567 of 2026-08-22",
        "uses: actions/checkout@v4.1.7 in getty@tty1.service",
        "000-12-3456 and 666-12-3456 and 123-00-4567",
        "aa:bb:cc:00:11:22 and 3f:9a:ef:ed:8c:4e:69:ea",
        "lines 337-697 and JIRA-233-38 follows 522-799",
    ],
)
def test_look_alikes_are_none(text: str) -> None:
    """Times, versions, digests, references and code are no data of persons."""
    assert kinds(text) == []


@pytest.mark.parametrize(
    "hidden",
    [
        "".join(chr(ord(char) + 0xFEE0) if char.isdigit() else char for char in CARD),
        "\u200b".join(CARD),
        "".join(chr(ord(char) - 0x30 + 0x0660) for char in CARD),
        "\u202d" + CARD + "\u202c",
        "-".join(CARD[at : at + 4] for at in range(0, 16, 4)).replace("-", "\u2011"),
        CARD[:9] + "\n" + CARD[9:],
        "%20".join(CARD[at : at + 4] for at in range(0, 16, 4)),
    ],
)
def test_disguises_do_not_hide_a_card(hidden: str) -> None:
    """Other digits, unseen characters, breaks and escapes; the place covers what was written."""
    text = f"card {hidden} was declined"
    (finding,) = find(text)
    assert finding.name == "credit_card"
    assert text[finding.start : finding.end].strip("\u202d\u202c") == hidden.strip("\u202d\u202c")


def test_a_summary_holds_types_counts_and_a_score() -> None:
    """The surest score over all texts, and nothing of the data."""
    found = summary((f"card {CARD}", f"{MAIL} and {PHONE}"))
    assert (found.score, found.counts) == (0.95, {"credit_card": 1, "email": 1, "phone": 1})
    assert summary(("nothing here",)).counts == {}
