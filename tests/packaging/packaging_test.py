#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Each installed file is in exactly one Debian package; all recipes have the project's version and valid syntax.

usage: packaging_test.py SOURCE BUILD CMAKE VERSION
"""
import ast
import fnmatch
import glob
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

SOURCE, BUILD, CMAKE, VERSION = sys.argv[1:5]
PACKAGING = os.path.join(SOURCE, "packaging")


def text(*names):
    with open(os.path.join(PACKAGING, *names), encoding="utf-8") as f:
        return f.read()


def patterns():
    """Of each Debian package, what it installs."""
    found = {}
    for path in glob.glob(os.path.join(PACKAGING, "debian", "*.install")):
        with open(path, encoding="utf-8") as f:
            found[os.path.basename(path)[:-len(".install")]] = f.read().split()
    return found


def is_in(name, pattern):
    """debhelper's patterns: a star is within one folder; a folder stands for all in it."""
    words, wanted = name.split("/"), pattern.split("/")
    return len(words) >= len(wanted) and all(map(fnmatch.fnmatchcase, words, wanted))


class Packaging(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.place = scratch.name
        done = subprocess.run([CMAKE, "--install", BUILD, "--prefix", os.path.join(cls.place, "usr")], capture_output=True,
                              text=True)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        cls.installed = [os.path.relpath(os.path.join(folder, name), cls.place)
                         for folder, _, names in os.walk(cls.place) for name in names]

    def test_each_file_is_in_one_package(self):
        # Debian's folder of libraries has the name of the machine's architecture in it.
        names = [re.sub("^usr/lib(64)?/(?!x86_64-|aarch64-)", "usr/lib/any-linux-gnu/", name) for name in self.installed]
        self.assertGreater(len(names), 30)
        for name in names:
            owners = [package for package, wanted in patterns().items() for pattern in wanted if is_in(name, pattern)]
            self.assertEqual(len(owners), 1, (name, owners))

    def test_each_pattern_has_a_file(self):
        names = [re.sub("^usr/lib(64)?/(?!x86_64-|aarch64-)", "usr/lib/any-linux-gnu/", name) for name in self.installed]
        more_mpis = os.path.isdir(os.path.join(BUILD, "mpi"))  # where their libraries are built
        for package, wanted in patterns().items():
            for pattern in wanted:
                if "/latecomer/*/" in pattern and not more_mpis:
                    continue  # the build is for one MPI
                self.assertTrue(any(is_in(name, pattern) for name in names), (package, pattern))

    def test_the_product_is_all_that_is_installed(self):
        """Those who build only the target `product`, as the README says, can install it."""
        if not os.path.exists(os.path.join(BUILD, "build.ninja")):
            return  # only Ninja tells
        done = subprocess.run(["ninja", "-C", BUILD, "-t", "query", "product"], capture_output=True, text=True)
        inputs = {os.path.normpath(line.strip()) for line in done.stdout.splitlines()}
        self.assertIn("bin/latecomer", inputs, done.stderr)
        built = [name[len("usr/"):] for name in self.installed if re.match("usr/(bin|lib)/", name)]
        built = [re.sub("^lib/[^/]*-linux-gnu/", "lib/", name) for name in built]
        built = [name for name in built if os.path.isfile(os.path.join(BUILD, name)) and not os.path.islink(os.path.join(BUILD, name))]
        self.assertGreater(len(built), 6)
        for name in built:
            self.assertTrue(name in inputs or "/latecomer/" in name, name)

    def test_packages_are_described(self):
        described = re.findall(r"^Package: (\S+)$", text("debian", "control"), re.M)
        self.assertEqual(sorted(described), sorted(list(patterns()) + ["latecomer-doc"]))

    def test_version(self):
        self.assertRegex(text("debian", "changelog").splitlines()[0], r"^latecomer \(%s-[0-9]+\) " % re.escape(VERSION))
        self.assertIn('version("%s")' % VERSION, text("spack", "package.py"))
        easyconfigs = os.listdir(os.path.join(PACKAGING, "easybuild"))
        self.assertEqual([name.split("-")[1] for name in easyconfigs], [VERSION])
        self.assertIn("version = '%s'" % VERSION, text("easybuild", easyconfigs[0]))

    def test_syntax(self):
        ast.parse(text("spack", "package.py"))
        for name in os.listdir(os.path.join(PACKAGING, "easybuild")):
            assigned = {target.id for statement in ast.parse(text("easybuild", name)).body for target in statement.targets}
            self.assertLessEqual({"easyblock", "name", "version", "homepage", "description", "toolchain", "sources",
                                  "dependencies", "sanity_check_paths", "moduleclass"}, assigned)

    def test_every_option_exists(self):
        """Recipes may only set options that the build has."""
        with open(os.path.join(BUILD, "CMakeCache.txt"), encoding="utf-8") as f:
            known = set(re.findall(r"^(LATECOMER_\w+):", f.read(), re.M))
        for path in ("debian/rules", "spack/package.py", "container/Containerfile", os.path.join("easybuild", os.listdir(os.path.join(PACKAGING, "easybuild"))[0])):
            used = set(re.findall(r"LATECOMER_[A-Z_]+", text(path)))
            self.assertTrue(used, path)
            self.assertLessEqual(used, known, path)

    def test_environment_module(self):
        """The module finds the prefix from its own place."""
        path = os.path.join(self.place, "usr", "share", "latecomer", "modulefiles", "latecomer", VERSION)
        with open(path, encoding="utf-8") as f:
            module = f.read()
        self.assertTrue(module.startswith("#%Module1.0"))
        self.assertNotIn("@", module)
        prefix = path
        for _ in re.findall(r"file dirname", module):
            prefix = os.path.dirname(prefix)
        self.assertEqual(prefix, os.path.join(self.place, "usr"))
        found = dict(re.findall(r"^prepend-path (\S+) \$prefix(\S*)$", module, re.M))
        self.assertEqual(sorted(found), ["CMAKE_PREFIX_PATH", "CPATH", "MANPATH", "PATH", "PKG_CONFIG_PATH"])
        for folder in found.values():
            self.assertTrue(os.path.isdir(prefix + folder), folder)
        tcl = shutil.which("tclsh")
        if tcl is None:
            return  # the rest is what Tcl itself makes of it
        script = ("proc module-whatis {args} {}; proc conflict {args} {}; proc prepend-path {name value} {puts \"$name $value\"}\n"
                  "set ModulesCurrentModulefile {%s}; source {%s}\n" % (path, path))
        done = subprocess.run([tcl], input=script, capture_output=True, text=True)
        self.assertEqual(dict(line.split(" ", 1) for line in done.stdout.splitlines()),
                         {name: prefix + folder for name, folder in found.items()}, done.stderr)

    def test_tarball(self):
        """cpack makes one that has the installation in it."""
        done = subprocess.run([os.path.join(os.path.dirname(CMAKE), "cpack"), "--config", os.path.join(BUILD, "CPackConfig.cmake"),
                               "-G", "TGZ", "-B", os.path.join(self.place, "tar")], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        path, = glob.glob(os.path.join(self.place, "tar", "latecomer-%s-*.tar.gz" % VERSION))
        with tarfile.open(path) as archive:
            names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
        self.assertLessEqual({re.sub("^usr/", "", name) for name in self.installed}, names)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
