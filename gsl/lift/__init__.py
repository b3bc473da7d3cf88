"""Rules from examples: what a rule of another library does at several sizes, as one of ours.

A rule written as a pair of functions, or as a pattern with a program beside it, is run at two or
more sizes. The graphs before and after are aligned and anti-unified (Plotkin, Reynolds): what is
equal in all instances stays, and what differs is expressed by sizes and constants of the match.
"""

from __future__ import annotations

from gsl.lift.instances import CannotLiftError, Instance
from gsl.lift.rule import LiftedRule, lift, rule_file

__all__ = ["CannotLiftError", "Instance", "LiftedRule", "lift", "rule_file"]
