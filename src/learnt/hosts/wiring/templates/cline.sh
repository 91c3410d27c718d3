#!/bin/sh
# learnt's hook for Cline, written by learnt init; `learnt uninit` removes it.
__LINE__
