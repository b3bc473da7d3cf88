"""Rules applied to a workload until none of them matches anywhere."""
