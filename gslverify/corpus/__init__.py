"""Rules found in files, and which of them and of their warnings are wanted."""
