"""Which aspects of a match the networks that were run had, and which none of them had."""
