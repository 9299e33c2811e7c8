#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The commands of docs/tutorial.md, one after the other in one shell, in a fresh clone of the project.

With --build the clone is built as the tutorial says, which takes minutes. Otherwise it gets the
tested build. The clone is then only configured, for which no source may be missing, and the
tutorial's program is built."""
import os
import re
import subprocess
import sys
import tempfile
import unittest

from support import BUILD, MPIEXEC

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
BUILDS = "--build" in sys.argv
TOOLS = ("./scripts/build", "export", "mkdir", "cd", "cp", "scan", "latecomer")


def commands(text):
    """Commands that a reader would type: lines of code blocks, in console blocks those after a $."""
    found, block = [], ""
    for line in text.splitlines():
        if line.startswith("```"):
            block = "" if block else line[3:] or "plain"
        elif block == "console" and line.startswith("$ "):
            found.append(line[2:])
        elif not block and re.match(r"    \S", line) and line.split()[0] in TOOLS:
            found.append(line.strip())
    return found


class Tutorial(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.clone = os.path.join(scratch.name, "latecomer")
        cloned = subprocess.run(["git", "clone", "-q", ROOT, self.clone], capture_output=True, text=True)
        if cloned.returncode != 0:
            self.skipTest("no checkout to clone: " + cloned.stderr.strip())
        # The test uses the current text, even if it is not committed.
        with open(os.path.join(ROOT, "docs", "tutorial.md"), encoding="utf-8") as file:
            text = file.read()
        self.commands = commands(text)
        self.text = text
        tools = os.path.join(scratch.name, "tools")
        os.mkdir(tools)
        with open(os.path.join(tools, "mpiexec"), "w") as file:
            file.write("#!/bin/sh\nexec %s \"$@\"\n" % MPIEXEC)
        os.chmod(os.path.join(tools, "mpiexec"), 0o755)
        self.environment = dict(os.environ, PATH=tools + os.pathsep + os.environ["PATH"])

    def test_commands_run_as_they_stand_there(self):
        self.assertIn("./scripts/build", self.commands)
        self.assertGreater(len(self.commands), 9)
        script = ["set -e"]
        if not BUILDS:
            script += ["mkdir -p build", "ln -s '%s' build/release" % BUILD]
        for command in self.commands:
            if command == "./scripts/build" and not BUILDS:
                continue
            script += ["echo '$ %s'" % command, command]
        # The script is a file, so that commands do not read it as their input.
        file = os.path.join(os.path.dirname(self.clone), "tutorial.sh")
        with open(file, "w") as out:
            out.write("\n".join(script) + "\n")
        done = subprocess.run(["bash", file], cwd=self.clone, env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=3000 if BUILDS else 250)
        said = done.stdout
        self.assertEqual(done.returncode, 0, said)
        # These are the results that the tutorial shows. The largest cause depends on other work on
        # the machine.
        for part in (r"heat2d: ok", r"Late Sender .* main > exchange > MPI_Waitall", r"Wait at N x N .* main > residual > MPI_Allreduce",
                     r"cause: +.*(\n +.*)? made others wait.*\n +(it|rank|by time) ", r"Typical causes", r"report\.html: [\d.]+ [kM]B, open it in a browser",
                     r"Computation +main > refine .*gone", r"changes\.html: the same for the browser"):
            self.assertRegex(said, part)
        demo = os.path.join(self.clone, "build", "demo")
        for name in ("latecomer_heat2d_4_trace/analysis.cubex", "latecomer_heat2d_instrumented_4_trace/report.html", "even/traces.otf2", "changes.html"):
            self.assertTrue(os.path.getsize(os.path.join(demo, name)) > 0, name)

    def test_the_clone_can_be_built(self):
        if BUILDS:
            self.skipTest("it is built by the other test")
        configured = subprocess.run(["cmake", "--preset", "release", "-B", "build/fresh"], cwd=self.clone,
                                    capture_output=True, text=True, timeout=200)
        self.assertEqual(configured.returncode, 0, configured.stdout + configured.stderr)
        # Configuring has shown that every named source exists. The program of the tutorial can be
        # built.
        built = subprocess.run(["cmake", "--build", "build/fresh", "--target", "app_heat2d"], cwd=self.clone, capture_output=True,
                               text=True, timeout=200)
        self.assertEqual(built.returncode, 0, built.stdout[-2000:] + built.stderr)
        self.assertTrue(os.path.exists(os.path.join(self.clone, "build", "fresh", "apps", "heat2d")))
        print("note: ./scripts/build was not run in the clone; with --build it is")

    def test_pictures_are_there(self):
        pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", self.text)
        self.assertGreater(len(pictures), 7)
        for picture in pictures:
            with open(os.path.join(ROOT, "docs", picture), "rb") as file:
                self.assertEqual(file.read(4), b"\x89PNG", picture)


if __name__ == "__main__":
    unittest.main(argv=[word for word in sys.argv if word != "--build"], verbosity=2)
