"""How well the embedded judge agrees with people; `python -m eval.embedded` makes the tables of its page."""
