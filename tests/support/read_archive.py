#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""read_archive.py ARCHIVE: reads all of it with OTF2's own Python module and prints the number of events."""
import sys

import otf2

with otf2.reader.open(sys.argv[1]) as trace:
    print(sum(1 for _ in trace.events))
