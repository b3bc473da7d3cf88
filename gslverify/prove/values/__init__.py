"""Values of elements in normal form, and what is known of them: signs, dtypes, dependence."""
