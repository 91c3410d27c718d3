"""The only place where rooms meet.

A flow takes the means of one operation (a store, the gate, a clock, the context) and a request, calls the rooms one
after another, and stores what they answer in one transaction. In comes a request value, out goes an answer value; the
invariant is that each flow reads the clock once, fits on a screen, and decides nothing itself.
"""
