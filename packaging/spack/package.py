# SPDX-License-Identifier: BSD-3-Clause
"""Recipe for Spack: copy it to packages/latecomer/package.py of a repository."""
from spack.package import *


class Latecomer(CMakePackage):
    """Finds who makes whom wait in MPI programs, and why: measurement library, clock
    synchronization, and a parallel analyzer."""

    homepage = "https://latecomer.example.org"
    url = "https://latecomer.example.org/latecomer-0.2.0.tar.gz"

    license("BSD-3-Clause")

    version("0.2.0")  # a checksum belongs to a published tarball: spack checksum latecomer

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.20:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3.9:", type=("build", "run"))
    depends_on("mpi@3:")
    depends_on("otf2@3:")
    depends_on("boost@1.74: +program_options")
    depends_on("nlohmann-json@3.11:")
    depends_on("pugixml@1.13:")
    depends_on("zlib-api")
    depends_on("libzmq@4.3: +libsodium")
    depends_on("elfutils@0.188:", type=("build", "link", "run"))

    generator("ninja")

    def cmake_args(self):
        # The family decides about types and constants. Wrappers of compilers come from Spack's MPI.
        family = "openmpi" if self.spec["mpi"].name == "openmpi" else "mpich"
        return [
            self.define("LATECOMER_MPI", family),
            self.define("LATECOMER_MORE_MPIS", ""),
            self.define("LATECOMER_BUILD_TESTS", False),
        ]
