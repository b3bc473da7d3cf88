"""Proofs that the elements of source and target are equal, for all sizes and attribute values."""
