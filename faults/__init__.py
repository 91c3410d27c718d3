"""Faults made on purpose, and what must hold through them: `python -m faults`, `just faults`."""
