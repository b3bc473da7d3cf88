"""`python -m gslverify`: the same as the command `gslverify`."""

from __future__ import annotations

from gslverify.cli import main

if __name__ == "__main__":
    main(prog_name="gslverify")
