"""Whether a proof for few axes holds for any number of them."""
