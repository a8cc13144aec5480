"""Test kinds: what a kind of test asks for, plans, measures and concludes. Pure: data in, data out.

`kind.py` is the interface; each kind is a folder, and `registry.py` has a line for each.
"""
