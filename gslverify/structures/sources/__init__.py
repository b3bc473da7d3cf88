"""What the patterns of a source become: its expressions, built as decisions are made."""
