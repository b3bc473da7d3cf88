"""Tests of the claim that a proof holds for any number of axes."""
