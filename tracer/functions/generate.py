#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the MPI wrappers from functions.tsv and the prototypes of the installed mpi.h.

  generate.py regions TABLE OUT.hpp
  generate.py wrappers TABLE MPI_INCLUDE_DIR [--fortran LIBRARY]... OUT.cpp...

A function that is missing in the table is not wrapped. A function that is missing in mpi.h is left
out. Recipes (columns "waits", "before" and "after") are C++ on the object `c` (Call), `t` (CommCall) or `x`
(WindowCall). They use the argument names of the column "arguments". A function without a recipe is
recorded as enter and leave.
"""
import csv
import os
import re
import subprocess
import sys

HEADER = "// Generated from tracer/functions/functions.tsv. Do not edit.\n"


def read_table(path):
    with open(path, newline="") as f:
        return list(csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE))


def write_if_changed(path, text):
    if os.path.exists(path):
        with open(path) as f:
            if f.read() == text:
                return
    with open(path, "w") as f:
        f.write(text)


def prototypes(include_dir, rows=(), with_removed=False):
    """{name: [(type, name, array suffix)]} of all functions that return int.

    Arguments that recipes use have the names of the table instead of those of the header. A header
    replaces functions that were removed from MPI by macros. `with_removed` keeps them, since Fortran
    may still have them."""
    found, removed = {}, set()
    for header in ("mpi.h", "mpi_proto.h", "mpio.h"):
        path = os.path.join(include_dir, header)
        if not os.path.exists(path):
            continue
        with open(path, errors="replace") as f:
            text = re.sub(r"/\*.*?\*/", " ", f.read(), flags=re.S)
        pattern = r"^\s*(?:OMPI_DECLSPEC\s+)?int\s+(MPI_\w+)\s*\(([^;{)]*)\)[^;{]*;"
        for name, arguments in re.findall(pattern, text, re.M):
            found.setdefault(name, parse_arguments(arguments))
        removed |= set(re.findall(r"^\s*#\s*define\s+(MPI_\w+)\(", text, re.M))
    for row in rows:
        arguments, names = found.get(row["function"]), row["arguments"].split()
        if arguments and names != ["-"]:
            if len(arguments) != len(names):
                sys.exit("%s: mpi.h has other arguments than the table" % row["function"])
            found[row["function"]] = [(kind, name, suffix) for (kind, _, suffix), name
                                      in zip(arguments, names)]
    return {name: arguments for name, arguments in found.items() if with_removed or name not in removed}


def parse_arguments(text):
    text = re.sub(r"\s+", " ", text).strip()
    if text in ("", "void"):
        return []
    arguments = []
    for argument in text.split(","):
        match = re.match(r"^(.*?)(\w+)\s*((?:\[\d*\])*)$", argument.strip())
        if not match:
            return None  # varargs: hand-written
        arguments.append((match[1].strip(), match[2], match[3]))
    return arguments


def is_call_only(row):
    """True if only enter and leave are recorded."""
    return row["before"] == "-" and re.fullmatch(r"-|c\.tested\([^;]*\)", row["after"]) is not None


def regions(table_path, out):
    rows = read_table(table_path)
    text = HEADER + "#pragma once\n\n#include <array>\n\nnamespace latecomer::mpi {\n\n"
    text += "// The index of a function is its region id.\nenum RegionIndex : unsigned {\n"
    text += "".join("  k%s,\n" % row["function"] for row in rows) + "  kRegionCount\n};\n\n"
    text += "struct RegionInfo {\n  const char* name;\n  const char* role;  // words of CUBE\n  bool call_only;    // nothing but enter and leave is recorded\n};\n\n"
    text += "inline constexpr std::array<RegionInfo, kRegionCount> kRegions = {{\n"
    text += "".join('    {"%s", "%s", %s},\n' % (
        row["function"], row["role"], "true" if is_call_only(row) else "false") for row in rows)
    text += "}};\n\n}  // namespace latecomer::mpi\n"
    write_if_changed(out, text)


def body(row, call):
    """The statements of a wrapper; `call` is the C++ of the real call, an int expression."""
    region = "mpi::k" + row["function"]
    waits, before, after = row["waits"], row["before"], row["after"]
    guard = "  session::ThreadWriter* w = session::writer();\n" \
            "  if (w == nullptr) [[unlikely]] return %s;\n" % call
    session_call = re.search(r"\bsession_\w+\(\)", after)
    if session_call:
        # Runs even if nothing is recorded, because all processes must notice sessions.
        first = re.search(r"\bsession_\w+\(\)", before)
        guard = "  session::ThreadWriter* w = session::writer();\n" \
                "  if (w == nullptr) [[unlikely]] {\n%s    const int result = %s;\n" \
                "    if (result == MPI_SUCCESS && session::over()) %s;\n" \
                "    return result;\n  }\n" % ("    %s;\n" % first[0] if first else "", call, session_call[0])
    if before == "-" and after == "-" and waits != "-":
        guard += "  if (mpi::left_out(%s)) [[unlikely]] return mpi::quiet_call(w, [&] { return %s; });\n" % (region, call)
    elif before == "-" and after == "-":
        guard += "  if (mpi::left_out(%s)) [[unlikely]] return mpi::quiet_call(w, [&] { return %s; });\n" \
                 "  session::note_call_path(w);\n" % (region, call)
        return guard + "  return mpi::plain_call(w, %s, [&] { return %s; });\n" % (region, call)
    note = "  if (!mpi::left_out(%s)) [[likely]]\n    session::note_call_path(%%s);\n" % region
    guard += note % "w"
    before = "".join("  %s;\n" % recipe for recipe in (waits, before) if recipe != "-")
    is_comm_call = re.search(r"\bt\.", before + after)
    is_window_call = re.search(r"\bx\.", before + after)
    if after == "-":
        after = ""
    elif is_comm_call or is_window_call:
        after = "  %s;\n" % after
    else:
        after = "  if (!c.refused()) {\n    %s;\n  }\n" % after
    if is_window_call:
        return ("  if (!mpi::WindowCall::wanted()) return %s;\n"
                "%s  mpi::WindowCall x(%s);\n%s"
                "  x.run([&] { return %s; });\n%s  return x.end();\n"
                % (call, note % "session::writer()", region, before, call, after))
    if is_comm_call:
        return ("  if (!mpi::CommCall::wanted()) return %s;\n"
                "%s  mpi::CommCall t(%s);\n%s"
                "  t.run([&] { return %s; });\n%s  return t.end();\n"
                % (call, note % "session::writer()", region, before, call, after))
    return guard + ("  mpi::Call c(w, %s);\n%s  c.run([&] { return %s; });\n%s  return c.end();\n"
                    % (region, before, call, after))


# Functions that programs call before MPI_Init. MPI_Session_init is missing: in another MPI its
# arguments have other types.
FIRST = ("MPI_Initialized", "MPI_Finalized", "MPI_Get_version", "MPI_Get_library_version")


def c_wrapper(row, arguments):
    name = row["function"]
    declared = ", ".join("%s %s%s" % a for a in arguments) or "void"
    passed = ", ".join(a[1] for a in arguments)
    call = "LATECOMER_NEXT(%s)" % ", ".join(filter(None, (name, passed)))
    aside = "  if (mpi::steps_aside()) return mpi::again(&%s, %s);\n" % (name, passed)
    room = "LATECOMER_ASKS_FIRST " if name in FIRST else ""
    return "LATECOMER_API %sint %s(%s) {\n%s%s}\n" % (room, name, declared, aside if room else "", body(row, call))


HANDLES = ("MPI_Comm", "MPI_Datatype", "MPI_Request", "MPI_Group", "MPI_Win", "MPI_Op", "MPI_Message")
# Names that compilers other than gfortran give to what gfortran calls mpi_send_.
NAMINGS = (lambda stem: "mpi_" + stem, lambda stem: "mpi_%s__" % stem, lambda stem: "MPI_" + stem.upper())


def open_mpi_argument(function, kind, argument, suffix, arguments):
    """(statement, name of what must be refreshed after the call or None); None: the argument is as in MPICH."""
    plain = kind.replace("const ", "").replace("*", "").strip()
    if plain == "void":
        return "  auto* %s = mpi::fortran_buffer(%s_);\n" % (argument, argument), None
    if plain not in HANDLES:
        return None
    if not suffix and "*" not in kind:
        return "  const auto %s = mpi::from_fortran<%s>(%s_);\n" % (argument, plain, argument), None
    count = "1"
    if suffix:
        names = [a[1] for a in arguments]
        if plain != "MPI_Datatype":
            count = next("*static_cast<int*>(%s_)" % name for name in ("count", "incount") if name in names)
        elif "eighbor" in function:
            count = "mpi::neighbors_of(comm).%s" % ("to" if argument.startswith("send") else "from")
        else:
            count = "mpi::partners_of(comm)"
    return ("  mpi::FortranHandles<%s> %s_c(%s_, %s);\n  auto* %s = %s_c.get();\n" % (
        plain, argument, argument, count, argument, argument), argument + "_c")


# Fortran passes everything by reference: `x_` is the reference, `x` the argument in the recipe.
def f08_wrapper(row, arguments, symbol, real, open_mpi=False, aliases=()):
    name = row["function"]
    recipe = row["waits"] + " " + row["before"] + " " + row["after"]
    refreshed = ""
    if open_mpi:  # `comm` comes first, since other arguments need it
        arguments_in_order = sorted(arguments, key=lambda a: a[1] != "comm")
    else:
        arguments_in_order = arguments
    characters = sum(1 for kind, _, _ in arguments if kind.replace("const ", "").startswith("char"))
    # One reference per argument, ierror, and the hidden lengths of strings.
    references = ["void* %s_" % a[1] for a in arguments] + ["int* ierror"]
    hidden = ["std::size_t length%d" % i for i in range(characters)]
    passed = ["%s_" % a[1] for a in arguments] + ["error"] + ["length%d" % i for i in range(characters)]
    types = ", ".join(["void*"] * len(arguments) + ["int*"] + ["std::size_t"] * characters)
    text = 'extern "C" [[gnu::weak]] void %s(%s);\n' % (real, types)
    text += "static int %s(%s) {\n" % (symbol + "wrapped", ", ".join(references + hidden))
    text += "  int own_error = MPI_SUCCESS;\n  int* error = ierror != nullptr ? ierror : &own_error;\n"
    for kind, argument, suffix in arguments_in_order:
        if not re.search(r"\b%s\b" % argument, recipe):
            continue
        if kind.replace("*", "").strip() == "MPI_File":
            text += "  const mpi::FortranFile %s(%s_);\n" % (argument, argument)
            continue
        if kind.replace("const ", "").startswith("char"):
            text += "  const std::string %s_text = mpi::fortran_text(%s_, length0);\n" \
                    "  const char* %s = %s_text.c_str();\n" % ((argument,) * 4)
            continue
        special = open_mpi_argument(name, kind, argument, suffix, arguments) if open_mpi else None
        if special is not None:
            text += special[0]
            refreshed += "%s.refresh(), " % special[1] if special[1] else ""
            continue
        if suffix or kind.endswith("*"):
            pointer = kind if kind.endswith("*") else kind + "*"
            if "MPI_Status" in kind:
                text += "  auto* %s = mpi::f08_status(%s_);\n" % (argument, argument)
            else:
                text += "  auto* %s = static_cast<%s>(%s_);\n" % (argument, pointer, argument)
        else:
            text += "  auto& %s = *static_cast<%s*>(%s_);\n" % (argument, kind, argument)
    call = "(%s(%s), %s*error)" % (real, ", ".join(passed), refreshed)
    statuses = [a[1] for a in arguments if "MPI_Status" in a[0] and
                re.search(r"\b%s\b" % a[1], recipe)]
    lines = body(row, call)
    if re.search(r"completed_(any|some)", recipe):
        lines = re.sub(r"(  mpi::Call c\(.*\);\n)", r"\1  c.fortran();\n", lines)
    for status in statuses:
        # MPI fills in the status that the recipe has chosen.
        lines = re.sub(r"(  c\.run\()", r"  mpi::use_f08_status(%s_, %s);\n\1" % (status, status), lines)
    text += lines + "}\n"
    names = ["%s_" % a[1] for a in arguments] + ["ierror"] + passed[len(arguments) + 1:]
    text += "LATECOMER_API void %s(%s) {\n  %swrapped(%s);\n}\n" % (
        symbol, ", ".join(references + hidden), symbol, ", ".join(names))
    return text + "".join('LATECOMER_API void %s(%s) __attribute__((alias("%s")));\n' % (alias, types, symbol)
                          for alias in aliases)


def fortran_symbols(library):
    output = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True,
                            check=True).stdout
    return {line.split()[2] for line in output.splitlines() if len(line.split()) == 3}


def wrappers(table_path, include_dir, libraries, outs):
    table = read_table(table_path)
    known = prototypes(include_dir, table)
    rows = [r for r in table if r["before"] != "hand-written" and known.get(r["function"]) is not None]
    pieces = [c_wrapper(row, known[row["function"]]) for row in rows]
    # MPICH's mpi_f08; Open MPI's mpi_f08, mpif.h, and mpif.h with C pointers (module mpi).
    shapes = [("mpi_%s_f08_", "pmpir_%s_f08_", False), ("mpi_%s_f08_", "pmpi_%s_f08_", True),
              ("mpi_%s_", "pmpi_%s_", True), ("mpi_%s_cptr_", "pmpi_%s_cptr_", True)]
    for library in libraries:
        symbols = fortran_symbols(library)
        of_mpich = "mpichf" in library
        signatures = known if of_mpich else prototypes(include_dir, table, with_removed=True)
        for row in table:
            if row["before"] == "hand-written" or signatures.get(row["function"]) is None:
                continue
            stem = row["function"].lower()[4:]
            for symbol, real, open_mpi in shapes:
                symbol, real = symbol % stem, real % stem
                if symbol in symbols and real in symbols and open_mpi != of_mpich:
                    aliases = [naming(symbol[4:-1]) for naming in NAMINGS]
                    pieces.append(f08_wrapper(row, signatures[row["function"]], symbol, real, open_mpi,
                                              [alias for alias in aliases if open_mpi and alias in symbols]))
    share = -(-len(pieces) // len(outs))
    for i, out in enumerate(outs):
        text = HEADER + '#include "tracer/sources/mpi/wrapper_support.hpp"\n\n'
        text += '#pragma GCC diagnostic ignored "-Wdeprecated-declarations"\n\n'
        write_if_changed(out, text + "\n".join(pieces[i * share:(i + 1) * share]))


def main():
    if sys.argv[1] == "regions":
        regions(*sys.argv[2:4])
        return
    arguments = sys.argv[2:]
    libraries = []
    while "--fortran" in arguments:
        at = arguments.index("--fortran")
        libraries.append(arguments[at + 1])
        del arguments[at:at + 2]
    wrappers(arguments[0], arguments[1], libraries, arguments[2:])


if __name__ == "__main__":
    main()
