"""Prints a map as JSON."""

import os
import sys

if not __package__:
    # Run as a directory, which is not installed.
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from hindmost_map import main  # noqa: E402

sys.exit(main(sys.argv[1:]))
