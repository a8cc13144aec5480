"""Test kinds: parameters, plan, estimate and result of each kind. Pure: data in, data out.

`kind.py` is the interface; each kind is a folder, and `registry.py` has a line for each.
"""
