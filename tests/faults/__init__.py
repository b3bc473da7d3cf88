"""Faults of rule files, processes, values, signals and disks, each with what has to come of it."""
