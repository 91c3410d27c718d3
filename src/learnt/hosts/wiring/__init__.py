"""Wiring: how learnt is set up in each host, and taken out again to the byte.

A host is a row of a table (`fitting`, of the values in `fit`; `site` says where): each names the files that are
changed, as pieces (`piece`) that know how our part gets in and out: hooks (`hook`), servers (`server`), TOML and YAML
by lines (`tomltext`, `yamltext`), a marked region (`region`), files of ours (`templates`). JSON is edited by position
(`edit`, `jsontext`). What was put in is remembered (`installed`). `trial` is what `doctor` tries a hook with.

The invariant: what a person wrote stays as it was, blank for blank; what cannot be changed safely is not changed.

Tried and rejected: parsing a settings file and writing it anew (comments, order and layout are lost).
"""
