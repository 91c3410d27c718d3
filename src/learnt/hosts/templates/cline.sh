#!/bin/sh
# learnt's hook for Cline, written by learnt init; `learnt uninit` removes it.
exec __LINE__
