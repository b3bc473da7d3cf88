"""The loop over rules and stages: workers, budgets, the cache and clusters."""
