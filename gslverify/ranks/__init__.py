"""Whether a proof for few axes, or few fields, holds for any number of them."""
