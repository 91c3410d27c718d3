"""When work is done, and when it is given up.

In come what an attempt at a job met, how many there were, and a moment. Out go the pause before the next attempt, or
that there is none, and the number of the period a repeated job belongs to. Of sessions: which may be read for what they
taught and why others wait (`eligible`), whether the job of one is due (`due`), which extractions a consolidation takes
and which leave (`select`).

The invariant: nothing here reads a clock or draws a number; the pause is bounded, never shorter than the seed's, and
two workers that failed together do not come back together. How a job changes stands with the job itself
(`learnt.model.job`), because every store must mean the same by it.

Tried and rejected: cron expressions (five fields with their own calendar, for work that needs to be done about once a
week); a job that plans its own next run (two workers then plan two); a pause counted from the wall clock (it lasts an
hour longer when somebody sets the clock back); leaving out what was not used for a month (memories then vanish without
a word: it ranks last instead).
"""
