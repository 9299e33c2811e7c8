#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Puts the files of page/ into one page, and this page into a C++ source.

Usage: bundle.py PAGE_DIRECTORY OUTPUT.cpp

Scripts are ES modules, so that they can be tested one by one. In the page they follow each other
in the order of their imports, without the words import and export. They share one scope, so no
two of them may define the same name. Lines of comment and indentation are left out; no text of a
template goes over several lines."""
import os
import re
import sys

IMPORT = re.compile(r'^import \{[^}]*\} from "\./([\w.]+)";\n', re.M)
DEFINED = re.compile(r"^(?:async )?(?:function\*?|class|const|let) (\w+)", re.M)
LICENSE = re.compile(r"^(?://|/\*|<!--) SPDX-License-Identifier: [\w.-]+(?: \*/| -->)?\n", re.M)
COMMENT = re.compile(r"^ *//.*\n", re.M)
INDENTATION = re.compile(r"^ +", re.M)
PIECE = 8000  # length of a string literal that every compiler accepts


def read(directory, name):
    with open(os.path.join(directory, name), encoding="utf-8") as file:
        return LICENSE.sub("", file.read())


def scripts(directory, first):
    """Returns the text of `first` and all scripts that it imports; imported ones come first."""
    texts, owner = {}, {}

    def visit(name, way):
        if name in way:
            sys.exit("bundle.py: scripts import each other: " + " > ".join(way + [name]))
        if name in texts:
            return
        text = read(directory, name)
        for other in IMPORT.findall(text):
            visit(other, way + [name])
        text = re.sub(r"^export ", "", IMPORT.sub("", text), flags=re.M)
        for defined in DEFINED.findall(text):
            if defined in owner:
                sys.exit(f"bundle.py: {name} and {owner[defined]} both define {defined}")
            owner[defined] = name
        if re.search(r"^(import|export)\b", text, re.M) or "</script" in text:
            sys.exit(f"bundle.py: {name}: an import or export of a form that is not known, or </script")
        texts[name] = INDENTATION.sub("", COMMENT.sub("", text))

    visit(first, [])
    unused = sorted(n for n in os.listdir(directory) if n.endswith(".js") and n not in texts)
    if unused:
        sys.exit("bundle.py: no script imports " + ", ".join(unused))
    return '"use strict";\n' + "".join(texts.values())


# Adjacent string literals that the compiler joins.
def literal(text):
    pieces = [text[i:i + PIECE] for i in range(0, len(text), PIECE)]
    return "\n    ".join(f'R"page({piece})page"' for piece in pieces)


def main(directory, output):
    styles = "".join(read(directory, name) for name in sorted(os.listdir(directory)) if name.endswith(".css"))
    page = read(directory, "page.html")
    page = page.replace("<!-- styles -->", f"<style>\n{styles}</style>")
    page = page.replace("<!-- scripts -->", f"<script>\n{scripts(directory, 'main.js')}</script>")
    before, rest = page.split("<!-- data -->\n")
    middle, after = rest.split("<!-- values -->\n")
    with open(output, "w", encoding="utf-8") as file:
        file.write("// Made by bundle.py.\n#include \"analyzer/view/html/page_sources.hpp\"\n\n"
                   "namespace latecomer::view {\n\n"
                   f"const std::string_view kPageBeforeData =\n    {literal(before)};\n\n"
                   f"const std::string_view kPageAfterData =\n    {literal(middle)};\n\n"
                   f"const std::string_view kPageAfterValues =\n    {literal(after)};\n\n"
                   "}  // namespace latecomer::view\n")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
