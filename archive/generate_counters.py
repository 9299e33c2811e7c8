#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes counter_table.hpp from counters.tsv: generate_counters.py counters.tsv counter_table.hpp"""
import json
import sys

COLUMNS = ["name", "source", "config", "description"]


def main(source, target):
    with open(source, encoding="utf-8") as table:
        rows = [line.rstrip("\n").split("\t") for line in table if line.strip()]
    if rows[0] != COLUMNS:
        sys.exit(f"{source}: line 1: columns must be {' '.join(COLUMNS)}")
    lines = ["// Generated from counters.tsv.", "#pragma once", "namespace latecomer {", "",
             "inline constexpr KnownCounter kKnownCounters[] = {"]
    for number, row in enumerate(rows[1:], 2):
        if len(row) != len(COLUMNS):
            sys.exit(f"{source}: line {number}: {len(row)} columns instead of {len(COLUMNS)}")
        name, kind, config, text = row
        kind = "kUsageCounter" if kind == "usage" else str(int(kind))
        lines.append(f"    {{{json.dumps(name)}, {kind}, {int(config, 0)}, {json.dumps(text)}}},")
    lines += ["};", "", "}  // namespace latecomer", ""]
    with open(target, "w", encoding="utf-8") as header:
        header.write("\n".join(lines))


if __name__ == "__main__":
    main(*sys.argv[1:])
