#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes settings_table.hpp from settings.tsv: generate_settings.py settings.tsv settings_table.hpp"""
import json
import sys

COLUMNS = ["variable", "option", "short", "type", "default", "help"]
TYPES = ("flag", "text", "path", "number", "bytes", "time", "rate", "ranks", "iterations", "counters",
         "choice:")


def read(path):
    with open(path, encoding="utf-8") as table:
        rows = [line.rstrip("\n").split("\t") for line in table if line.strip()]
    if rows[0] != COLUMNS:
        sys.exit(f"{path}: line 1: columns must be {' '.join(COLUMNS)}")
    for number, row in enumerate(rows[1:], 2):
        if len(row) != len(COLUMNS):
            sys.exit(f"{path}: line {number}: {len(row)} columns instead of {len(COLUMNS)}")
        if not row[3].startswith(TYPES):
            sys.exit(f"{path}: line {number}: unknown type '{row[3]}'")
    return [dict(zip(COLUMNS, row)) for row in rows[1:]]


def constant(variable):
    words = variable.removeprefix("LATECOMER_").split("_")
    return "k" + "".join(word.capitalize() for word in words)


def main(source, target):
    variables = [row for row in read(source) if row["variable"] != "-"]
    lines = ["// Generated from settings.tsv.", "#pragma once", "namespace latecomer {", ""]
    lines.append("enum class SettingId : unsigned char {")
    lines += [f"  {constant(row['variable'])},  // {row['help']}" for row in variables]
    lines += ["};", "", "inline constexpr Setting kSettings[] = {"]
    lines += ["    {" + ", ".join(json.dumps(row[c], ensure_ascii=False) for c in COLUMNS) + "},"
              for row in variables]
    lines += ["};", "", "}  // namespace latecomer", ""]
    with open(target, "w", encoding="utf-8") as header:
        header.write("\n".join(lines))


if __name__ == "__main__":
    main(*sys.argv[1:])
