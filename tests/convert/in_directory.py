#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""in_directory.py COMMAND...: runs it with a fresh directory as its last argument."""
import subprocess
import sys
import tempfile

with tempfile.TemporaryDirectory() as directory:
    sys.exit(subprocess.run(sys.argv[1:] + [directory], check=False).returncode)
