"""Reports: each consumes the events of a run."""
