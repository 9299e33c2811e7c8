#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Scripts whose programs use another MPI than this Latecomer. They run as without it, and scan says
why there is no trace."""
import os
import shutil
import subprocess
import unittest

from support import MPIEXEC, ScanTest

OTHER_MPI, LOADER = os.environ["OTHER_MPI"], os.environ["OTHER_MPI_LOADER"]
MPI4PY = """
from mpi4py import MPI
import sys
world = MPI.COMM_WORLD
sum = world.allreduce(world.rank + 1)
request = world.isend([world.rank], dest=(world.rank + 1) % world.size)
got = world.recv()
request.wait()
file = MPI.File.Open(world, sys.argv[1], MPI.MODE_CREATE | MPI.MODE_WRONLY)
file.Write_at(world.rank, b"x")
file.Close()
# Lines of two processes may be mixed.
lines = world.gather("%d %d" % (sum, world.size))
if world.rank == 0:
    print("\\n".join(lines))
sys.exit(0 if got == [(world.rank - 1) % world.size] else 1)
"""


class OtherMpi(ScanTest):
    def setUp(self):
        super().setUp()
        self.use_one_mpi()

    def check(self, done, status, target):
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertRegex(done.stderr, r"(?m)^warning: %s uses .*, this Latecomer was built for .*: nothing was recorded\n"
                         "hint:  build Latecomer again where the headers of that MPI are, too: docs/howto/several-mpis.md$" % target)
        self.assertFalse(os.path.exists(self.experiment))

    def script(self, program):
        path = os.path.join(self.directory, "script")
        with open(path, "w") as f:
            f.write("#!/bin/sh\nexec %s\n" % program)
        os.chmod(path, 0o755)
        return path

    def test_linked_with_it(self):
        script = self.script(OTHER_MPI)
        done = self.scan("-e", self.experiment, script)
        self.assertEqual(done.stdout, "initialized 0 1, error 0, received 11, status 6\n")
        self.check(done, 7, script)

    def test_loaded_while_the_program_runs(self):
        done = self.scan("-e", self.experiment, LOADER)
        self.assertEqual(done.stdout, "initialized 0 1, error 0, received 11, status 6\n")
        self.check(done, 7, LOADER)

    def test_a_profiling_layer_of_the_program_stays(self):
        script = self.script('env LD_PRELOAD="$LD_PRELOAD %s" %s' % (os.environ["OTHER_MPI_LAYER"], OTHER_MPI))
        done = self.scan("-e", self.experiment, script)
        self.assertEqual(done.stdout, "initialized 0 1, error 0, received 11, status 6\nlayer\n")
        self.check(done, 7, script)

    def test_said_once_for_all_processes(self):
        script = self.script(OTHER_MPI)
        done = self.scan("-e", self.experiment, MPIEXEC, "-n", "4", script)
        self.assertEqual(done.stdout, 4 * "initialized 0 1, error 0, received 11, status 6\n")
        self.assertEqual(done.stderr.count("uses "), 1, done.stderr)
        self.check(done, 7, script)

    def test_one_after_the_other(self):
        """The first program leaves no files, and the recorded second one is analyzed."""
        done = self.scan("-e", self.experiment, MPIEXEC, "-n", "1", "sh", "-c", "%s; exec %s" % (OTHER_MPI, os.environ["ENDS"]))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("uses", done.stderr)
        self.assertNotIn("other_mpi", os.listdir(self.experiment))
        self.assertIn("analysis.cubex", os.listdir(self.experiment))

    def test_mpi4py_of_open_mpi(self):
        launcher = shutil.which("mpiexec.openmpi")
        probe = subprocess.run(["/usr/bin/python3", "-c", "from mpi4py import MPI; print(MPI.get_vendor()[0])"], capture_output=True, text=True)
        if launcher is None or probe.stdout != "Open MPI\n" or "mpich" not in MPIEXEC:
            self.skipTest("no mpi4py with Open MPI beside MPICH")
        words = [launcher, "--allow-run-as-root", "--oversubscribe", "-n", "2", "/usr/bin/python3", "-c", MPI4PY, os.path.join(self.directory, "file")]
        done = self.scan("-e", self.experiment, *words)
        self.assertEqual(sorted(done.stdout.split("\n")), ["", "3 2", "3 2"])
        self.check(done, 0, "/usr/bin/python3")


if __name__ == "__main__":
    unittest.main(verbosity=2)
