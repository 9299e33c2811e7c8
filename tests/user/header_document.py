#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes or checks docs/latecomer_h.md: header_document.py SOURCE_DIRECTORY [--update]

The document comes from the comments of the headers for programs. The first comment after the SPDX line is the
introduction; one before a #define documents that macro. Lines indented by three spaces are examples. The comment
"Nothing from here on" ends the interface. The exit status is 1 if the document is out of date. --update, or the
environment variable UPDATE_GOLDEN=1, writes it."""
import difflib
import os
import re
import sys
import textwrap

DOCUMENT = os.path.join("docs", "latecomer_h.md")
FOLDER = os.path.join("tracer", "include")
HEADERS = (("latecomer.h", "C and C++"), ("latecomer_fortran.h", "Fortran"))
CODE = re.compile(r"(?<![`\w])((-D)?LATECOMER_\w+|latecomer_\w+(\.h)?|-llatecomer[-\w]*|__func__)")
END = "Nothing from here on"
HEAD = """# Reference of latecomer.h

*Made from the comments in `tracer/include/` by `tests/user/header_document.py --update`.*

These are the interfaces by which a program names its own regions and switches recording off and on. Tests compile and
run all examples. [regions.md](regions.md) describes the other ways to see functions of a program.
"""


def comment_text(comment):
    """The lines of a block comment without its marks."""
    lines = [line.strip() for line in comment[2:-2].strip().split("\n")]
    return [lines[0]] + [re.sub(r"^\* ?", "", line) for line in lines[1:]]


def markdown(lines, language):
    """Paragraphs are filled, examples are fenced."""
    out, paragraph, example = [], [], []

    def end_paragraph():
        if paragraph:
            text = CODE.sub(r"`\g<0>`", " ".join(paragraph))
            out.extend([textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False), ""])
            paragraph.clear()

    def end_example():
        if example:
            code = textwrap.dedent("\n".join(example)).strip("\n")
            out.extend(["```" + language, code, "```", ""])
            example.clear()

    for line in lines:
        if line.startswith("   ") or (example and not line):
            end_paragraph()
            example.append(line)
        elif line:
            end_example()
            paragraph.append(line)
        else:
            end_paragraph()
    end_paragraph()
    end_example()
    return out


def summary(comment):
    """The first sentence, up to a colon."""
    paragraph = " ".join(comment[:comment.index("")] if "" in comment else comment)
    return re.split(r"[.:](?: |$)", paragraph)[0]


def interface(text):
    """The introduction of a header, and (signature, C++ only, comment) of each macro."""
    text = text.split("/* " + END)[0]
    comments = list(re.finditer(r"/\*.*?\*/", text, re.DOTALL))
    introduction = comment_text(comments[1].group())
    macros = []
    for comment in comments[2:]:
        defined = re.match(r"\s*#define (\w+(?:\([^)]*\))?)", text[comment.end():])
        if defined is None:
            sys.exit("header_document: no macro after: " + comment.group())
        before = text[:comment.start()]
        cxx = before.rfind("#ifdef __cplusplus")
        macros.append((defined.group(1), cxx > before.rfind("#endif") and cxx >= 0, comment_text(comment.group())))
    documented = {signature for signature, _, _ in macros}
    missing = set(re.findall(r"#define (LATECOMER_\w+\([^)]*\))", text)) - documented
    if missing:
        sys.exit("header_document: no comment before " + ", ".join(sorted(missing)))
    return introduction, macros


def document(sources):
    lines = [HEAD]
    for header, languages in HEADERS:
        with open(os.path.join(sources, FOLDER, header), encoding="utf-8") as file:
            introduction, macros = interface(file.read())
        language = "fortran" if languages == "Fortran" else "c"
        lines += ["## %s: %s" % (languages, header), "", *markdown(introduction, language)]
        lines += ["| macro | what it does |", "|---|---|"]
        for signature, cxx, comment in macros:
            lines.append("| `%s`%s | %s |" % (signature, ", C++" if cxx else "", summary(comment)))
        lines.append("")
        for signature, cxx, comment in macros:
            lines += ["### %s%s" % (signature, " (C++)" if cxx else ""), ""]
            lines += markdown(comment, "cpp" if cxx else language)
    return "\n".join(lines).rstrip("\n") + "\n"


def main():
    sources = sys.argv[1]
    path = os.path.join(sources, DOCUMENT)
    wanted = document(sources)
    if "--update" in sys.argv[2:] or os.environ.get("UPDATE_GOLDEN") == "1":
        with open(path, "w", encoding="utf-8") as file:
            file.write(wanted)
        return 0
    there = ""
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            there = file.read()
    old, new = there.splitlines(True), wanted.splitlines(True)
    sys.stdout.writelines(difflib.unified_diff(old, new, DOCUMENT, "the headers"))
    return 1 if there != wanted else 0


if __name__ == "__main__":
    sys.exit(main())
