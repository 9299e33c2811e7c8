#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compiles programs with latecomer.h: all standards, no warnings; they run with, without and
disabled; disabled nothing is left of the calls. The examples of docs/latecomer_h.md compile, and run if
they are programs."""
import argparse
import os
import re
import subprocess
import sys
import tempfile
import unittest

PARSER = argparse.ArgumentParser(usage=__doc__)
for option in ("--include", "--library", "--c", "--cxx", "--document"):
    PARSER.add_argument(option, required=True)
PARSER.add_argument("--fortran", default="")
PARSER.add_argument("--fortran-library")
ARGS = PARSER.parse_args()

C = r"""
#include <latecomer.h>
#include <stdio.h>
LATECOMER_REGION(outer, "outer");
static void f(void) {
  LATECOMER_REGION(inner, "inner");
  LATECOMER_ENTER(inner);
  LATECOMER_LEAVE(inner);
}
int main(void) {
  LATECOMER_ENTER(outer);
  f();
  LATECOMER_RECORDING_OFF();
  LATECOMER_RECORDING_ON();
  LATECOMER_LEAVE(outer);
  puts("done");
  return 0;
}
"""
CXX = r"""
#include <latecomer.h>
#include <cstdio>
LATECOMER_REGION(outer, "outer");
template <typename T> void g(T) { LATECOMER_SCOPE("template"); }
void f() { LATECOMER_FUNCTION(); LATECOMER_SCOPE("same line"); }
int main() {
  LATECOMER_ENTER(outer);
  f();
  g(1);
  g(1.0);
  LATECOMER_RECORDING_OFF();
  LATECOMER_RECORDING_ON();
  LATECOMER_LEAVE(outer);
  std::puts("done");
}
"""


class HeaderTest(unittest.TestCase):
    def setUp(self):
        self.base = tempfile.TemporaryDirectory(prefix="latecomer.")
        self.program = os.path.join(self.base.name, "program")

    def tearDown(self):
        self.base.cleanup()

    def build(self, compiler, text, *options):
        source = self.program + (".c" if text is C else ".cpp")
        with open(source, "w", encoding="utf-8") as out:
            out.write(text)
        done = subprocess.run(
            [compiler, "-I" + ARGS.include, "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1",
             *options, source, "-o", self.program], text=True, capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def output(self, preload):
        env = dict(os.environ, LD_PRELOAD=ARGS.library) if preload else None
        return subprocess.run([self.program], env=env, text=True, capture_output=True,
                              check=True).stdout

    def names(self):
        return subprocess.run(["nm", self.program], text=True, capture_output=True,
                              check=True).stdout.lower().count("latecomer")

    def check(self, compiler, text, *options):
        self.build(compiler, text, *options)
        self.assertGreater(self.names(), 0)
        self.assertEqual(self.output(preload=False), "done\n")
        self.assertEqual(self.output(preload=True), "done\n")
        self.build(compiler, text, "-DLATECOMER_DISABLE", *options)
        self.assertEqual(self.names(), 0)
        self.assertEqual(self.output(preload=True), "done\n")

    def test_c(self):
        for standard in "c99", "c11", "gnu17":
            self.check(ARGS.c, C, "-std=" + standard)

    def test_cxx(self):
        for standard in "c++11", "c++14", "c++20":
            self.check(ARGS.cxx, CXX, "-std=" + standard)

    def test_position_dependent_and_instrumented(self):
        self.check(ARGS.c, C, "-fno-pie", "-no-pie", "-finstrument-functions")
        self.check(ARGS.cxx, CXX, "-finstrument-functions")

    def test_static_program_runs(self):
        self.build(ARGS.c, C, "-static")
        self.assertEqual(self.output(preload=False), "done\n")

    def examples(self, language):
        """Source text of the document's examples in a language, as files."""
        with open(ARGS.document, encoding="utf-8") as file:
            found = re.findall(r"^```%s\n(.*?)^```$" % language, file.read(), re.DOTALL | re.MULTILINE)
        self.assertGreater(len(found), 1)
        header = "" if language == "fortran" else "#include <latecomer.h>\n"
        return [text if "#include" in text else header + text for text in found]

    def check_example(self, text, compiler, suffix, *options, libraries=()):
        is_program = re.search(r"int main\(|^program ", text, re.MULTILINE)
        source = self.program + suffix
        with open(source, "w", encoding="utf-8") as out:
            out.write(text)
        for disable in [], ["-DLATECOMER_DISABLE"]:
            done = subprocess.run(
                [compiler, "-I" + ARGS.include, "-Wall", "-Wextra", "-Wpedantic", "-Werror", *options, *disable, source,
                 "-o", self.program, *(libraries if is_program else ["-c"])],
                text=True, capture_output=True, check=False)
            self.assertEqual(done.returncode, 0, text + done.stderr)
            if is_program:
                self.output(preload=False)
                self.output(preload=True)

    def test_examples_of_the_document(self):
        for text in self.examples("c"):
            self.check_example(text, ARGS.c, ".c", "-std=c99")
            self.check_example(text, ARGS.cxx, ".cpp", "-std=c++11")
        for text in self.examples("cpp"):
            self.check_example(text, ARGS.cxx, ".cpp", "-std=c++11")

    def test_examples_in_fortran(self):
        if not ARGS.fortran:
            self.skipTest("no Fortran compiler")
        for text in self.examples("fortran"):
            self.check_example(text, ARGS.fortran, ".F90", libraries=[ARGS.fortran_library])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
