"""Inputs that tell source and target apart: solved for where they can be."""
