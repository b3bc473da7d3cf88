"""Which structures say the same: formulas that are equal but for the numbering of axes."""
