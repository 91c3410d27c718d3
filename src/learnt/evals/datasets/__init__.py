"""Readers of third-party data sets, each by its own name. Nothing but these modules knows what their files look like.

Nothing of the data ships with learnt: a data set is read from the folder it is given in.
"""
