"""Networks rewritten for a trial, on NumPy and TVM: who is to blame, and the least failure."""
