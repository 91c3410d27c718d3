"""How text becomes comparable: tokens for scoring, terms for the full-text stage, parts of identifiers. Hook-safe.

ASCII text gives exactly the tokens of the swarm-memory seed: lower-case, every character that is no word character,
white space or hyphen becomes a blank, split on blanks, a set. Other scripts add tokens: compatibility forms, case and
accents are folded (`İzmir` is `izmir`, `Straße` is `strasse`), Chinese, Japanese, Korean and the scripts that write
without blanks give one- and two-grams, and an emoji is a token, a joined one also by its members.
Folding goes character by character, so its cost is linear where normalising a whole text is quadratic in a run of
combining marks.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_QUERY_TERMS = 40
"""Most terms one query sends to the full-text stage. Source: swarm-memory seed, FTS5 candidate stage."""

QUERY_HEAD_CHARS = 1_000
QUERY_TAIL_CHARS = 3_000
"""What is used of a longer query: its beginning, where people ask, and its end, where logs say what went wrong."""

_STOP = (
    "a about after all also am an and any are as at be been before being but by can could did do does doing done "
    "for from get goal had has have having he her him his how i if in into is it its just let like may me might "
    "must my no not now of off on or our out over own please role she should so some such task than that the "
    "their them then there these they this those through to too under until up us user very was we were what "
    "when where which while who whom why will with would you your"
)
STOP_WORDS = frozenset(_STOP.split())
"""Words that find nothing in particular. Source: swarm-memory seed (articles, prepositions, goal, role, user ...)."""

_JOINER = "\u200d"
_KEEP = "_-"


def _ascii_table(keep: str, *, lower: bool) -> dict[int, str]:
    """A translate table: word characters and `keep` stay, everything else ASCII is a blank."""
    table = {}
    for code in range(128):
        char = chr(code)
        kept = char.isalnum() or char in keep
        table[code] = (char.lower() if lower else char) if kept else " "
    return table


_SEED = _ascii_table(_KEEP, lower=True)
_TERM = _ascii_table("_", lower=True)
_PART = _ascii_table("", lower=False)
_CASED = _ascii_table(_KEEP, lower=False)


class _Fold(dict[int, str]):
    """`_SEED` or `_TERM` for `str.translate`, with every other character folded the first time it is met."""

    def __missing__(self, code: int) -> str:
        folded = _fold(chr(code))
        if len(self) < 20_000:
            self[code] = folded
        return folded


_SEED_FOLD = _Fold(_SEED)
_TERM_FOLD = _Fold(_TERM)


def _fold(char: str) -> str:
    """What one non-ASCII character counts as: folded letters, "" for an accent or a format character, a blank."""
    import unicodedata

    if char == _JOINER or _is_emoji(char):
        return char
    category = unicodedata.category(char)
    if category in ("Cf", "Me") or "\ufe00" <= char <= "\ufe0f":
        return ""
    out = []
    for piece in unicodedata.normalize("NFD", unicodedata.normalize("NFKC", char).casefold()):
        if unicodedata.combining(piece) in (0, 8):  # 8: the voicing marks of kana, which make another letter
            kept = piece in _KEEP or unicodedata.category(piece)[0] in "LNM"
            out.append(piece if kept else " ")
    return unicodedata.normalize("NFC", "".join(out))


def _is_emoji(char: str) -> bool:
    """Whether this character is a pictograph (or a skin tone); drawing characters and braille are not."""
    return "\u2600" <= char <= "\u27bf" or "\u2b00" <= char <= "\u2bff" or "\U0001f000" <= char <= "\U0001fbff"


def is_gram(char: str) -> bool:
    """Whether this character is of a script written without blanks (Han, kana, Hangul, Thai, Lao, Burmese, Khmer)."""
    return (
        "\u3005" <= char <= "\u30ff"
        or "\u3400" <= char <= "\u9fff"
        or "\uac00" <= char <= "\ud7af"
        or "\u0e01" <= char <= "\u0eff"
        or "\u1000" <= char <= "\u11ff"
        or "\u1780" <= char <= "\u17ff"
        or "\u31f0" <= char <= "\u31ff"
        or "\uf900" <= char <= "\ufaff"
        or "\U00020000" <= char <= "\U0003ffff"
    )


def _runs(word: str) -> Iterator[tuple[str, str]]:
    """`word` cut where its sort of script changes: ("gram" | "emoji" | "word", run)."""
    sort, start = "", 0
    for at, char in enumerate(word):
        if char == _JOINER or "\U0001f3fb" <= char <= "\U0001f3ff":
            new = sort or "word"
        elif is_gram(char):
            new = "gram"
        else:
            new = "emoji" if _is_emoji(char) else "word"
        if new != sort and sort:
            yield sort, word[start:at]
            start = at
        sort = new
    if sort:
        yield sort, word[start:]


def _is_tone(char: str) -> bool:
    return "\U0001f3fb" <= char <= "\U0001f3ff"


def _is_flag(char: str) -> bool:
    """Whether this is a regional indicator; two of them make a flag."""
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _emoji(run: str) -> Iterator[str]:
    """The emoji of a run, each as written, then the members of a joined one; a flag's two letters stay together."""
    whole: list[str] = []
    for char in run:
        last = whole[-1] if whole else ""
        joins = char == _JOINER or _is_tone(char) or last.endswith(_JOINER)
        if last and (joins or (_is_flag(char) and len(last) == 1 and _is_flag(last))):
            whole[-1] += char
        elif char != _JOINER:
            whole.append(char)
    for one in whole:
        trimmed = one.rstrip(_JOINER)
        yield trimmed
        if len(trimmed) > 1 and not _is_flag(trimmed[0]):
            yield from (char for char in trimmed if char != _JOINER and not _is_tone(char))


def _split(word: str, *, grams_only: bool) -> Iterator[str]:
    """The tokens of one folded word that is not all ASCII."""
    for sort, run in _runs(word):
        if sort == "emoji":
            yield from _emoji(run)
        elif sort == "word":
            bare = run.replace(_JOINER, "")
            if bare:
                yield bare
        else:
            bare = run.replace(_JOINER, "")
            if len(bare) == 1 or not grams_only:
                yield from bare
            yield from (bare[at : at + 2] for at in range(len(bare) - 1))


def _words(text: str, plain: dict[int, str], fold: dict[int, str], *, grams_only: bool = False) -> Iterator[str]:
    """The tokens of `text` in order, with repeats."""
    if text.isascii():
        yield from text.translate(plain).split()
        return
    import unicodedata

    for word in unicodedata.normalize("NFC", text.translate(fold)).split():
        if word.isascii():
            yield word
        else:
            yield from _split(word, grams_only=grams_only)


def tokens(text: str) -> frozenset[str]:
    """The set of tokens scoring compares. Source: swarm-memory seed, tokeniser; other scripts as the module says."""
    if text.isascii():
        return frozenset(text.translate(_SEED).split())
    return frozenset(_words(text, _SEED, _SEED_FOLD))


def _camel(word: str) -> Iterator[str]:
    """`word` cut at changes of case and between letters and digits: `HTTPServer2` gives HTTP, Server, 2."""
    start = 0
    for at in range(1, len(word)):
        before, here = word[at - 1], word[at]
        humps = (before.islower() and here.isupper()) or before.isdigit() != here.isdigit()
        if not humps and before.isupper() and here.isupper() and at + 1 < len(word):
            humps = word[at + 1].islower()
        if humps:
            yield word[start:at]
            start = at
    yield word[start:]


def _pieces(text: str) -> Iterator[str]:
    """The parts of identifiers in `text`, in order with repeats, lower-case, at least two characters each."""
    for word in text.translate(_SEED if text.islower() else _PART).replace("-", " ").replace("_", " ").split():
        if (word.islower() or word[1:].islower() or word.isupper()) and word.isalpha():
            if len(word) > 1:
                yield word.lower()
            continue
        for piece in _camel(word):
            if len(piece) > 1:
                yield piece.lower()


_CUT: dict[str, tuple[str, ...]] = {}
_MAX_CUT = 4_000


def _compound_pieces(text: str) -> Iterator[str]:
    """`_pieces` of ASCII text without those that are a word by themselves: most text has none others."""
    for word in text.translate(_CASED).split():
        if word.isalpha() and (word.islower() or word[1:].islower() or word.isupper()):
            continue
        found = _CUT.get(word)
        if found is None:
            if len(_CUT) >= _MAX_CUT:
                _CUT.clear()
            found = _CUT[word] = tuple(_pieces(word))
        yield from found


def parts(text: str) -> frozenset[str]:
    """Parts of identifiers (`renewLeaseBatch`, `retry_budget`, `half-open`) that are not tokens by themselves.

    Without stop words: `wait_for` is no reason to meet `for`.
    """
    return _parts(text).difference(tokens(text), STOP_WORDS)


def _parts(text: str) -> frozenset[str]:
    """The same with tokens and stop words."""
    if text.isascii():
        return frozenset(_compound_pieces(text))
    found: set[str] = set()
    for piece in _pieces(text):
        found.update((piece,) if piece.isascii() else tokens(piece))
    return frozenset(found)


def bounded(text: str) -> str:
    """What a query's terms and tokens are taken from: all of it, or the head and the tail of a very long one."""
    if len(text) <= QUERY_HEAD_CHARS + QUERY_TAIL_CHARS:
        return text
    return f"{text[:QUERY_HEAD_CHARS]}\n{text[-QUERY_TAIL_CHARS:]}"


def _askable(term: str) -> bool:
    """Whether a term may be asked for by itself: three characters, a number, or another script than ASCII."""
    return len(term) > 2 or not term.isascii() or term.isdigit()


def _terms(text: str, *, grams_only: bool) -> list[str]:
    """Full-text terms of `text` in order with repeats: words without stop words, then parts of identifiers."""
    found = list(_words(text, _TERM, _TERM_FOLD, grams_only=grams_only))
    whole = set(found)
    if text.isascii():
        found.extend(piece for piece in _compound_pieces(text) if piece not in whole)
        return [term for term in found if term not in STOP_WORDS and len(term) > 1]
    found.extend(piece for piece in _pieces(text) if piece.isascii() and piece not in whole)
    return [term for term in found if term not in STOP_WORDS and (len(term) > 1 or not term.isascii())]


def query_terms(text: str) -> tuple[str, ...]:
    """At most 40 terms to look up, each once, in order.

    Terms under three characters count only when nothing longer is there. Of more than 40 the first stay; of a query
    that `bounded` cut, the first ten and the last thirty.
    """
    part = bounded(text)
    found = list(dict.fromkeys(_terms(part, grams_only=True)))
    askable = [term for term in found if _askable(term)] or found
    if len(askable) > MAX_QUERY_TERMS and len(part) < len(text):
        return (*askable[:10], *askable[10 - MAX_QUERY_TERMS :])
    return tuple(askable[:MAX_QUERY_TERMS])


def index_terms(
    text: str,
    tags: Iterable[str] = (),
    kind: str = "",
    file_path: str = "",
    ref: str = "",
    symbols: Iterable[str] = (),
    files: Iterable[str] = (),
) -> tuple[str, ...]:
    """What a memory is found by in the full-text stage, with repeats, and its kind's term at the end.

    Source: swarm-memory seed, FTS5 columns.
    """
    fields = [text, " ".join(tags), kind.replace("_", " "), file_path, ref, " ".join(symbols), " ".join(files)]
    found = _terms("\n".join(field for field in fields if field), grams_only=False)
    return (*found, kind_term(kind)) if kind else tuple(found)


def kind_term(kind: str) -> str:
    """The term that stands for a whole kind, to narrow the full-text stage to it; no query term has a hyphen."""
    return f"-{kind}"


def pack(text: str, tags: Iterable[str], files: Iterable[str], symbols: Iterable[str], ref: str) -> str:
    """The token sets of a memory as one text, for `unpack`: text, tag, file, symbol, ref, part, one a line."""
    fields = (text, " ".join(tags), " ".join(files), " ".join(symbols), ref)
    sets = [tokens(field) for field in fields]
    part = _parts("\n".join(fields[:4])).difference(*sets, STOP_WORDS)
    return "\n".join(" ".join(sorted(found)) for found in (*sets, part))


def unpack(signals: str) -> list[list[str]]:
    """Six lists of distinct tokens: text, tag, file, symbol, ref, part. Cheap: no set is built."""
    fields = [line.split(" ") if line else [] for line in signals.split("\n")]
    return fields if len(fields) == 6 else [*fields, [], [], [], [], [], []][:6]
