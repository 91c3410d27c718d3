"""Standing instructions in other languages than English, by the few forms that say always, never, or this and not that.

Only sentences that order something: a habit told ("der Test schlägt immer fehl") begins with no order. As words alone
prove little here, a person has to look at each before it is kept.
"""

from __future__ import annotations

import re
from typing import Final

_GERMAN: Final = (
    r"(?:verwende|nutze?|benutze?|nimm|schreibe?|führe?|lasse?|mache?|committe|pushe?|lösche?|ändere|frage?|teste|"
    r"prüfe?|halte?|achte|vermeide|füge?|installiere|importiere|starte|setze?|erstelle|lege?|formatiere|benenne|"
    r"dokumentiere|bearbeite|(?:verwenden|nutzen|benutzen|schreiben|machen|führen|lassen|fragen) sie)"
)
_SPANISH: Final = (
    r"(?:usa|use|uses|utiliza|utilice|utilices|ejecuta|ejecute|ejecutes|escribe|escriba|escribas|haz|haga|hagas|pon|"
    r"ponga|pongas|mantén|mantenga|pregunta|pregunte|preguntes|evita|evite|prefiere|prefiera|borres|cambies|toques|"
    r"edites|subas|instales|añade|añadas)"
)
_FRENCH: Final = (
    r"(?:utilise[rz]?|emploie|lance[rz]?|exécute[rz]?|écris|écrivez|écrire|fais|faites|faire|mets|mettez|mettre|"
    r"garde[rz]?|demande[rz]?|préfère|préférez|évite[rz]?|commit(?:te)?[rz]?|pousse[rz]?|supprime[rz]?|modifie[rz]?|"
    r"touche[rz]?|ajoute[rz]?|installe[rz]?)"
)
_PORTUGUESE: Final = (
    r"(?:use|usa|usar|utilize|utilizar|rode|rodar|execute|executar|escreva|escrever|faça|fazer|coloque|mantenha|pergunte|"
    r"perguntar|evite|prefira|apague|altere|mexa|edite|instale|adicione|envie)"
)
_ITALIAN: Final = (
    r"(?:usa|usare|utilizza|utilizzare|esegui|eseguire|scrivi|scrivere|fai|fare|metti|mettere|mantieni|chiedi|chiedere|"
    r"evita|evitare|preferisci|modificare|cancellare|toccare|installare|aggiungere)"
)
_RUSSIAN: Final = r"[а-яё-]+(?:й|йте|и|ите|ь|ьте)"
_RULES: Final = tuple(
    re.compile(each)
    for each in (
        # German
        rf"(?:bitte )?{_GERMAN}\b.*\b(?:immer|nie|niemals|stets|keinesfalls)\b",
        r"(?:bitte )?(?:immer|nie|niemals|stets) .{2,120}(?:en|ern|eln)[.!]?$",
        rf"(?:ab jetzt|ab sofort|von nun an|künftig|in zukunft),? (?:bitte )?(?:{_GERMAN}\b|.{{2,120}}en[.!]?$)",
        rf"(?:bitte )?{_GERMAN}\b.{{2,60}} (?:statt|anstatt|anstelle von|und nicht) \S",
        # Spanish
        rf"(?:por favor,? )?(?:siempre|nunca|jamás) {_SPANISH}\b|(?:por favor,? )?{_SPANISH} siempre\b",
        rf"(?:a partir de ahora|de ahora en adelante|en adelante),? (?:no )?{_SPANISH}\b",
        rf"(?:por favor,? )?{_SPANISH} .{{2,60}} en (?:lugar|vez) de \S",
        # French
        rf"(?:toujours|ne jamais) {_FRENCH}\b|(?:n['\u2019]|ne )?{_FRENCH} (?:toujours|jamais)\b",
        rf"(?:à partir de maintenant|désormais|dorénavant),? (?:ne |n['\u2019])?{_FRENCH}\b",
        rf"{_FRENCH} .{{2,60}} (?:au lieu de|plutôt que) \S",
        # Portuguese
        rf"(?:por favor,? )?(?:sempre|nunca|jamais) {_PORTUGUESE}\b|(?:por favor,? )?{_PORTUGUESE} sempre\b",
        rf"(?:a partir de agora|de agora em diante),? (?:não )?{_PORTUGUESE}\b",
        rf"(?:por favor,? )?{_PORTUGUESE} .{{2,60}} (?:em vez de|ao invés de|no lugar de) \S",
        # Italian
        rf"(?:per favore,? )?(?:{_ITALIAN} sempre\b|non {_ITALIAN} mai\b|mai {_ITALIAN}\b)",
        rf"d['\u2019]ora in (?:poi|avanti),? (?:non )?{_ITALIAN}\b",
        rf"(?:per favore,? )?{_ITALIAN} .{{2,60}} (?:invece di|al posto di|anziché) \S",
        # Russian
        rf"(?:пожалуйста,? )?(?:всегда|никогда не|впредь|отныне) {_RUSSIAN}\b",
        r"(?:используй|используйте) .{2,60} вместо \S",
        # Japanese: a request at the end
        (
            r"(?:.*(?:常に|必ず|いつも|今後|以後|これからは|絶対に|決して)|.+(?:ではなく|の代わりに)).+"
            r"(?:ください|下さい|こと|ないで|使って|お願いします)[。!！]?$"
        ),
        # Chinese
        (
            r"(?:请|請)?(?:(?:始终|始終|总是|總是)(?=[要请請先使用运運执執在保写寫把不])|一律|务必|務必|永远不要|永遠不要|"
            r"绝对?不要|絕對?不要|千万不要|千萬不要|禁止|严禁|嚴禁|从现在起|從現在起|今后|今後|以后(?:都|请|不要)).{2,}"
        ),
        r"(?:请|請)?(?:用|使用).{1,40}(?:而不是|代替|不要用|而不要用).{1,40}",
        # Korean: a request at the end
        r".*(?:항상|절대|반드시|앞으로는?|대신).+(?:세요|해줘|말아줘|하지 마|할 것|말 것|십시오)[.!]?$",
    )
)
_MOMENT = re.compile(
    r"\b(?:diesmal|dieses mal|heute|vorerst|erst ?mal|esta vez|hoy|por ahora|cette fois|aujourd['\u2019]hui|"
    r"pour l['\u2019]instant|desta vez|hoje|por enquanto|stavolta|questa volta|oggi|per ora)\b|сейчас|сегодня|"
    r"на этот раз|今回|今日|とりあえず|"
    r"这次|這次|今天|暂时|暫時|이번|오늘"
)
_NOT: Final = (
    re.compile(
        r"(?:statt|anstatt|anstelle von|und nicht|en (?:lugar|vez) de|au lieu de|plutôt que|em vez de|ao invés de|"
        r"no lugar de|invece di|al posto di|anziché|вместо|而不是|不要用|而不要用|代替) ?`?([a-z][\w.-]*)"
    ),
    re.compile(r"([a-z][\w.-]*)`? ?(?:ではなく|の代わりに|대신)"),
)
"""What is not to be used, as far as it is the name of a program."""


def is_rule(plain: str) -> bool:
    """Whether a sentence, in lower case and on one line, orders something for good."""
    return not _MOMENT.search(plain) and any(rule.match(plain) for rule in _RULES)


def refused(plain: str) -> str:
    """The word that the sentence puts behind "instead of"; "" for none."""
    found = next((found for each in _NOT if (found := each.search(plain)) is not None), None)
    return found[1].rstrip(".-") if found else ""
