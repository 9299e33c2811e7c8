#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The state of the measurement library is one object: other variables are in a table here, with the reason.

  globals_test.py LIBRARY.a

Looks into the object files of the library. Constants do not count, neither do tables of virtual functions.
"""
import re
import subprocess
import sys
import unittest

# Variables that are not part of `process()` (tracer/state/process.hpp).
ALONE = {
    "latecomer::storage::forever": "the object itself",
    "latecomer::session::detail::thread_state": "each thread has its own; wrappers find it without a function call",
    "latecomer::mpi::(anonymous namespace)::scratch": "memory of each thread for handles and statuses",
    "latecomer::mpi::(anonymous namespace)::Scratch<*>::get_grown(int)::grown":
        "memory of each thread for many of them, freed by its destructor at the end of the thread",
    "latecomer::samples::(anonymous namespace)::sampler": "the samples of each thread, which its signal handler finds",
    "latecomer::user::filter()::the_filter": "constant after its first use, on a floor below the object",
    "latecomer::user::DwarfLibrary::get()::library": "constant after its first use; latecomer-repair needs it, too",
    "latecomer::(anonymous namespace)::first_umask": "a fact about any process; the analyzer has none of the object",
    # fortran.c is also a library of its own, which works in programs without the measurement library.
    "latecomer_found_": "where the measurement library is, in every file that includes latecomer.h",
    "pieces": "regions of Fortran programs, by handle",
    "used": "number of these regions",
    "mutex": "guards these regions",
}

# Sections of object files whose contents change at run time.
MUTABLE = re.compile(r"\.(bss|data|tbss|tdata)(?!\.rel\.ro)(\.|$)")
# What the compiler adds: whether an object in a function was constructed, or an exception's type is known.
BY_COMPILER = re.compile(r"guard variable for |DW\.ref\.|TLS (init function|wrapper function) ")


def variables_in(symbols):
    """Names of the variables in the output of `objdump -t -C`."""
    found = set()
    for line in symbols.splitlines():
        # 0000000000000000 g     O .bss   0000000000000008 .hidden latecomer::x
        match = re.match(r"[0-9a-f]+ .{7} (\S+)\t[0-9a-f]+ +(?:\.hidden )?(.+)$", line)
        if match and MUTABLE.match(match[1]) and not match[2].startswith(".") and not BY_COMPILER.match(match[2]):
            found.add(match[2])
    return found


def problems(variables, known=ALONE):
    """Sentences about variables without a reason, and reasons without a variable."""
    patterns = {name: re.compile(re.escape(name).replace(r"\*", ".*") + "$") for name in known}
    found = ["%s is a variable: make it a part of the process object, or say in the table why not" % variable
             for variable in variables if not any(p.match(variable) for p in patterns.values())]
    found += ["%s is no variable any more: take it out of the table" % name
              for name, pattern in patterns.items() if not any(pattern.match(v) for v in variables)]
    return sorted(found)


class Globals(unittest.TestCase):
    def test_this_library(self):
        listing = subprocess.run(["objdump", "-t", "-C", LIBRARY], capture_output=True, text=True, check=True)
        self.assertEqual(problems(variables_in(listing.stdout)), [])

    def test_what_is_a_variable(self):
        listing = ("0000000000000000 l    d  .bss\t0000000000000000 .bss\n"
                   "0000000000000000 g     O .bss._ZN1aE\t0000000000000008 .hidden a::x\n"
                   "0000000000000010 l     O .data.rel.local\t0000000000000008 y\n"
                   "0000000000000010 w     O .data.rel.ro._ZTV1a\t0000000000000008 vtable for a\n"
                   "0000000000000010 l     O .rodata\t0000000000000008 constant\n"
                   "0000000000000010 l     O .bss\t0000000000000008 guard variable for f()::z\n"
                   "0000000000000010 g     F .text\t0000000000000008 f()\n"
                   "0000000000000010 l       .tbss\t0000000000000008 z\n")
        self.assertEqual(variables_in(listing), {"a::x", "y", "z"})

    def test_a_variable_without_a_reason_is_found(self):
        self.assertEqual(problems({"a::x", "b<3>::y"}, {"b<*>::y": "", "c": ""}),
                         ["a::x is a variable: make it a part of the process object, or say in the table why not",
                          "c is no variable any more: take it out of the table"])


if __name__ == "__main__":
    LIBRARY = sys.argv.pop(1)
    unittest.main()
