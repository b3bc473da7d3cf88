"""What failed made simpler, whatever was tried: one order, one budget, a table of passes."""
