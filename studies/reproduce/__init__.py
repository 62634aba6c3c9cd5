"""Reproduce the published tables of five systems. Each system has a module named by its tag.

A module (`g19.py`, …) has `tables(data, quick)`, which yields its tables in the page's order from
the folder of real data. With `quick`, it yields only tables, or rows, that take seconds. The folder
`published/` has the printed figures, tab-separated.
"""
