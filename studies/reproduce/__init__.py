"""The published tables of the five systems, made again: a module each, named by its tag.

A module (`g19.py`, …) has `tables(data, quick)`: its tables in the page's order, from the folder of
real data; with `quick` those (or those rows of them) that take seconds. Figures as published lie in
`published/`, tab-separated, as the papers print them.
"""
