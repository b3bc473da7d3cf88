"""Certificates of proofs: lists of steps, and a checker that believes none of them."""
