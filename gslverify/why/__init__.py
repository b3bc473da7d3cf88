"""Why a rule does not match in a graph."""
