"""Finds standing instructions in what a person typed: rules for next time, not the task of the moment."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from learnt.capture import abroad
from learnt.capture.attempt import words_of
from learnt.model.quoted import BLOCKS, is_reported

MAX_SENTENCE: Final = 300
_HIDDEN: Final = "\x00"

_QUOTED_LINE = re.compile(
    r"^(?:[ ]{0,3}>|[ ]{4,}\S|\t|[ \t]*[|\u2502+]|[ \t]*[$\u279c%#]\s|[ \t]*at\s\S+\(|-\s\s+\S).*$", re.MULTILINE
)
_QUOTATION = re.compile(
    r"\"[^\"\n]{2,400}\"|\u201c[^\u201d\n]{2,400}\u201d|\u00ab[^\u00bb\n]{2,400}\u00bb|"
    r"(?<!\w)'[^'\n]{6,400} [^'\n]{2,400}'(?!\w)"
)
_SPLIT = re.compile(r"(?<=[.!?;])(?=\s)|(?<=[\u3002\uff01\uff1f\uff1b])|\n+")

_FILLER = re.compile(
    r"(?:(?:please|pls|ok(?:ay)?|so|and|also|oh|btw|by the way|hey|hi|claude|yes|yep|yeah|well|actually|again|"
    r"hmm+|umm*|"
    r"note|important|remember(?! to| that)|rule|reminder|fyi|but|then|just|like|one more thing|in general|"
    r"generally|as a rule|"
    r"from now on|going forward|in (?:the )?future|next time|i said|i (?:already )?told you(?: to)?|as i said)"
    r"\b[,:.!]?\s+|[-*\u2022]\s+|\d{1,2}[.)]\s+)",
    re.IGNORECASE,
)
_REFUSAL = re.compile(
    r"(?:no+|nope|wrong|stop(?=[,.!])|not like that|that'?s (?:not|"
    r"wrong)[^,.!]{0,30})\b[,.!:;\u2014-]*\s+",
    re.IGNORECASE,
)
_INSISTED = re.compile(
    r"\b(?:i said|i (?:already )?told you|as i said|how many times|i keep (?:telling|saying))\b", re.IGNORECASE
)
_STANDING_LEAD = re.compile(
    r"\b(?:from now on|going forward|in (?:the )?future|next time|as a rule|in general)\b", re.IGNORECASE
)

_ACTS: Final = (
    "use|run|prefer|avoid|make sure|ensure|keep|write|put|add|call|do not|don'?t|stop|only|commit|name|format|follow|"
    "stick|include|check|test|ask|read|try|wrap|return|log|mock|import|place|store|update|build|install|push|open|"
    "create|set|pin|sort|document|squash|rebase|merge|lint|validate|treat|leave|default to|go through|start"
)
_ALWAYS = re.compile(
    r"(?:always|never(?: ever)?)\s+(?!mind\b|say never\b|been\b|had\b|has\b|was\b|is\b|seen\b|got\b|happen)"
    rf"(?:{_ACTS}|\w{{3,}})\b"
)
_OBLIGED = re.compile(
    r"(?!(?:it|that|this|there|which|these|those|they)\b)[\w `'/-]{2,40}?\s"
    r"(?:should|must|needs? to|ha(?:s|ve) to|are to|shall)\s+(?:always|never)\b|"
    r"you (?:are to|must|have to|need to) (?:ask|check with|confirm|wait for)\b(?!(?: (?:me|us))?[.! ]*$)"
)
_CUSTOM = re.compile(
    r"(?:we|i)\s+(?:always|never)\s+(?:want|use|run|write|put|commit|push|mock|merge|rebase|squash|name|call|"
    r"import|keep|test|ship|edit|touch)\b"
)
_EVER = re.compile(r"(?:do not|don'?t|must not|mustn'?t|you may not)\s+ever\b")
_ACT = re.compile(
    rf"(?:(?:you|we)\s+(?:should|must|need to)\s+(?:be\s+)?|let'?s\s+(?:always\s+)?)?(?:{_ACTS}|using|running)\b"
)
_GENERAL = re.compile(
    r"\b(?:from now on|in (?:the )?future|going forward|every time|each time|whenever|by default|everywhere|wherever|"
    r"(?:in|for|across|throughout) (?:this|our|the)(?: whole| entire)? (?:repo|repository|project|code ?base)|"
    r"as a rule|"
    r"in general|at all times|at any time|without (?:asking|my|checking with)|unless (?:i|you|we|told|asked|"
    r"explicitly)|"
    r"next time|(?:before|after) (?:every|each|any|committing|pushing|you commit|you push|considering|claiming|"
    r"declaring|"
    r"finishing|merging|opening a)\b|for (?:all|every|each|any) |in (?:all|every|each|any) |on (?:all|every|each) )",
)
_INSTEAD = re.compile(
    r"(?:(?:you|we) (?:should|must) (?:always )?(?:be using|use|prefer)|we use|i prefer|we prefer|use|prefer|run|"
    r"using)\s+"
    r"(?P<good>[^,.;]{1,60}?)(?:,)?\s+(?:instead of|rather than|and not|not|over|never)\s+(?P<bad>[^,.;!]{1,60})[.!]?$"
)
_NOT_BUT = re.compile(
    r"(?:do not|don'?t|never|stop using|not)\s+(?:use |using |run |"
    r"running )?(?P<bad>[^,.;]{1,40})[,;.]\s*(?:but |please )?(?:use|run|prefer)\s+(?P<good>[^,.;]{1,60})[.!]?$"
)
_THING: Final = r"(?!(?:the|this|that|these|those|it|a|an|my|your|our|option|version)\b)[a-z][\w-]*(?: [a-z][\w-]*)?"
_PAIR = re.compile(
    rf"(?:use|prefer) {_THING}(?:,? (?:and )?not|,? instead of|,? rather than|,? over|,? never) {_THING}[.!]?"
)
"""One short thing and not another: a rule by its form, yet only a person can tell whether it is one for next time."""
_HABIT = re.compile(r"i (?:always|never) (?!want\b)")
"""What a person does, told rather than asked for."""
_CLAUSE = re.compile(r"\s[-\u2013\u2014]+\s|:\s|,\s(?:so|and|but|then|please)?\s*|\s(?:so|because) ")
_PREFERS = re.compile(
    r"(?:(?:i|we) )?prefer (?!to\b)[^,.;]{3,60}(?: over | to |$|[.!]$)|(?:make sure|ensure)(?: that)? (?:every|"
    r"each|all|no) |"
    r"(?:do not|don'?t|avoid|no more) (?:use|using|add|adding|put|putting|write|writing|include|including|"
    r"mention)\b.{2,60}"
    r"\bin (?:commit messages?|commits|tests?|comments?|code|docs|prs|pull requests|docstrings|production|here)\b"
)
_PLACE_LEAD = re.compile(r"(?:in|for) (?:this|our) (?:repo|repository|project|code ?base),? ")
_CONDITION = re.compile(r"(?:if|when|once|unless) (?!you\b|we\b|writing\b|adding\b)")
_REMIND = re.compile(r"(?:remember to|for future reference,?|note for the future:?)\s+\w+")

_MOMENT = re.compile(
    r"\b(?:this|that|these|those) (?:pr|mr|branch|commit|issue|ticket|file|function|method|class|test|bug|task|"
    r"change|one|"
    r"time|case|session|merge|review|plan|error|line|step|page|part|section|comment|message|feature|approach|release|"
    r"thread|stuff|thing|variable|field|param\w*|diff|conflict|output)\b|\bfor now\b|\bjust (?:this )?once\b|"
    r"\bright now\b|"
    r"\btoday\b|\bthe other\b|#\d+|https?://|\bissues? \d|\b\d+(?:st|nd|rd|th)\b|\bfor the moment\b|"
    r"\bthis time\b|\bwhile we'?re\b|\b(?:commit|push|merge) (?:this|it|that)\b",
)
_DANGLING = re.compile(
    r"(?:always |never |please |do not |don'?t |let'?s )*\w+(?:ing)? (?:it|that|this|them|those|these|him|"
    r"her)\b(?! (?:repo|repository|project|code ?base))"
)
_ASKS = re.compile(
    r"(?:can|could|would|should|shall|do(?! not)|does|did|is|are|will|what|why|how|where|"
    r"when(?! you| we| writ| add)|which|who|have|has)\s"
)

_CHOICE = re.compile(
    r"(?:please )?(?:we )?(?:use|prefer) `?(?P<tool>[\w.-]+)`?(?P<where> (?:here|everywhere|in (?:this|"
    r"our) [\w ]+|for (?:this|our) [\w ]+))?[.!]?$"
)
"""A choice of tool: a rule where it says for what, or when it corrects what was just done."""

TOOLS: Final = words_of(
    """
    pnpm npm yarn bun uv pip pip3 poetry pdm conda pytest unittest jest vitest mocha ruff black isort flake8 mypy
    make just mise task cargo go docker podman gh rg grep fd gradle maven mvn npx python python3 node deno tsx
    eslint prettier biome tsc webpack vite esbuild git curl wget httpx requests sed awk nox tox hatch rye pipx
    """
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Directive:
    """One instruction as it was typed.

    Attributes:
        text: The sentence, without fillers before it; `quote` the same as it stands in the message.
        standing: It states a rule for next time by itself; otherwise only its repetition makes it one.
        forbidden: Programs it forbids.
        insisted: The person said that it had been said before, or corrected what was just done.
        certain: It is surely a rule, and addressed to the agent; else a person has to look at it first.
    """

    text: str
    quote: str
    standing: bool
    forbidden: tuple[str, ...] = ()
    insisted: bool = False
    certain: bool = True


def masked(text: str) -> str:
    """`text` of the same length with code fences, quoted and pasted lines and quotations blotted out."""

    def blot(found: re.Match[str]) -> str:
        return "".join("\n" if char == "\n" else _HIDDEN for char in found.group(0))

    for pattern in (BLOCKS, _QUOTED_LINE, _QUOTATION):
        text = pattern.sub(blot, text)
    return text


def directives(text: str) -> tuple[Directive, ...]:
    """The instructions in a person's own words, in order, at most 12; quotations and code are not searched."""
    found: list[Directive] = []
    insisted = False
    sentences = _SPLIT.split(masked(text[:4_000]))
    for sentence, following in zip(sentences, [*sentences[1:], ""], strict=True):
        stripped = sentence.strip()
        if following.startswith(_HIDDEN) and not stripped.endswith((".", "!")):
            continue  # it goes on in the code or the quotation below
        refused = _REFUSAL.match(stripped.lower())
        insisted = insisted or bool(_INSISTED.search(stripped))
        rest = stripped[refused.end() :] if refused else stripped
        made = _directive(rest, standing_lead=bool(_STANDING_LEAD.search(stripped)), insisted=insisted or bool(refused))
        if made is not None:
            found.append(made)
        insisted = bool(refused) and not rest.strip()
    return tuple(found[:12])


def _directive(sentence: str, *, standing_lead: bool, insisted: bool) -> Directive | None:
    while (filler := _FILLER.match(sentence)) is not None:
        sentence = sentence[filler.end() :]
    plain = " ".join(sentence.replace("\u2019", "'").lower().split())
    if not 8 <= len(plain) <= MAX_SENTENCE or _HIDDEN in plain or plain.endswith(("?", "\uff1f")) or _ASKS.match(plain):
        return None
    if _DANGLING.match(plain) or is_reported(plain):
        return None
    forbidden = _forbidden(plain)
    chosen = _CHOICE.match(plain)
    named = chosen is not None and chosen.group("tool") in TOOLS and (insisted or bool(chosen.group("where")))
    paired = _PAIR.fullmatch(plain) is not None
    rule = _is_rule(plain, standing_lead=standing_lead)
    foreign = not rule and abroad.is_rule(plain)
    if foreign and (word := abroad.refused(plain)) in TOOLS:
        forbidden = (word,)
    standing = rule or foreign or ((bool(forbidden) or named or paired) and not _MOMENT.search(plain))
    if not standing and (_MOMENT.search(plain) or not _ACT.match(plain)):
        return None
    text = " ".join(sentence.split()).rstrip(" ;,:)(")
    return Directive(
        text=text[:1].upper() + text[1:],
        quote=sentence.strip(),
        standing=standing,
        forbidden=forbidden,
        insisted=insisted,
        certain=(rule or bool(forbidden) or named) and not foreign and not _HABIT.match(plain),
    )


def _is_rule(plain: str, *, standing_lead: bool) -> bool:
    """Whether a sentence states a rule by its form."""
    if "for now" in plain or "just this once" in plain:
        return False
    if any(pattern.match(plain) for pattern in (_ALWAYS, _OBLIGED, _CUSTOM, _EVER)):
        return True
    if _MOMENT.search(plain):
        return False
    if (
        _REMIND.match(plain)
        or _PREFERS.match(plain)
        or (bool(_ACT.match(plain)) and (standing_lead or bool(_GENERAL.search(plain))))
    ):
        return True
    if _CONDITION.match(plain):
        return False
    if (lead := _PLACE_LEAD.match(plain)) is not None and _ACT.match(plain, lead.end()):
        return True
    clauses = [clause.strip() for clause in _CLAUSE.split(plain)[1:]]
    return any(
        _DANGLING.match(clause) is None and _is_rule(clause, standing_lead=False) for clause in clauses if clause
    )


def _forbidden(plain: str) -> tuple[str, ...]:
    """Programs a sentence of the form "use X, not Y" forbids; it counts only where X or Y is a tool or in backticks."""
    pair = _INSTEAD.match(plain) or _NOT_BUT.match(plain)
    if pair is None:
        never = re.match(r"never (?:use|run|call|install with) `?([\w.-]+)", plain)
        return (never.group(1),) if never and never.group(1) in TOOLS else ()
    named = [_tool(pair.group("bad")), _tool(pair.group("good"))]
    return (named[0],) if named[0] else ()


def _tool(text: str) -> str:
    """The tool a few words name: the first word when it is known or stands in backticks; else ""."""
    words = text.strip().split()
    first = words[0].strip("`'\"") if words else ""
    return first if first in TOOLS or (text.strip().startswith("`") and first) else ""
