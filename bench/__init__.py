"""The figures learnt holds itself to, and the programs that measure them.

`python -m bench` measures everything, `python -m bench recall hook` only those modules. Each module gives its figures
from `figures()`; each figure says with which sample, warm or cold, and what was inside the clock.
"""
