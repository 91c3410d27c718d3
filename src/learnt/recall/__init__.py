"""Query to ranking.

In come a query, the candidates a store's full-text stage gave for it, plain numbers of the settings, and the present.
Out goes which memories answer, in order, each with the parts of its score, and why there are none when there are none.

The invariant: the same values in give the same ranking out, on every store and in the hook, and no memory outside the
reader's scopes or past its time is ever scored. `rank` decides; `factors` holds the arithmetic that the hook process
shares, so it is written for a process that lives thirty milliseconds: no dataclass, no regular expression.

Tried and rejected: stemming and synonyms inside the nine factors (the recorded scores of the seed's fixtures would no
longer come out); letting trust weigh in the score (it is shown, and it bounds places in a block, where it cannot be
outweighed by a clever choice of words); full-text rank as part of the score (it only orders, so that a threshold means
the same in a scope of ten memories and of a hundred thousand).
"""
