#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The folders are rooms: no circle of includes between them, no include that runs up, no crowd, a README in each.
And no two sources have the same name, so that a name without its folder says which file is meant. Each source has a
unit test beside it, x_test.cpp beside x.cpp, or tested_elsewhere.tsv says where it is tested.

  rooms_test.py SOURCE_DIRECTORY
"""
import collections
import os
import re
import sys
import tempfile
import unittest

# The floors from the top down. An include runs down this list, so there are no circles. "folder/*" is the floor of all
# folders in it that are not listed themselves; they do not include each other.
FLOORS = """
analyzer/cli/pages
analyzer/cli
analyzer/inspect
analyzer/view/html
analyzer/view/check
analyzer/view/difference
analyzer/view/scaling
analyzer/view/metrics
analyzer/view/summary
analyzer/view/words
analyzer/view/archive
analyzer/view/text
analyzer/replay
analyzer/predict
analyzer/attribution/computation
analyzer/attribution
analyzer/waits
analyzer/overhead
analyzer/clocks
analyzer/scenes
analyzer/match
analyzer/booking
analyzer/causes
analyzer/engine
analyzer/trace/copy
analyzer/trace
analyzer/trace/events
analyzer/trace/events/*
analyzer/trace/events/contexts
analyzer/trace/events/samples
analyzer/trace/events/threads
analyzer/trace/events/files
analyzer/trace/events/windows
analyzer/trace/events/collectives
analyzer/trace/events/messages
analyzer/trace/events/core
analyzer/trace/definitions
analyzer/report/watched
analyzer/report/algebra
analyzer/report/cube
analyzer/report/formula
analyzer/report/model
analyzer/report/extras
analyzer/report/container
analyzer/parallel
analyzer/memory
tracer/watch/view
tracer/watch/gather
tracer/watch/live
tracer/watch
patterns
patterns/derived
patterns/waits
patterns/drawings
patterns/metric
patterns/calls
tracer
tracer/yield
tracer/sources/*
tracer/sources/blocking
tracer/sources/user
tracer/sources/mpi
tracer/sources/mpi/calls
tracer/sources/mpi/objects
tracer/sources/mpi/layers
tracer/session
tracer/session/agreement
tracer/session/process
tracer/session/clocks
tracer/session/job
tracer/state
tracer/callpath
tracer/callpath/python
tracer/stuck
tracer/convert
tracer/convert/events
tracer/convert/clocks
tracer/convert/definitions
tracer/exchange
tracer/symbols
tracer/filter
tracer/functions
tracer/follow
tracer/record
sync
archive/http
archive/otf2
archive/experiment
archive/output
archive
tracer/include
""".split()

# Folders of more files, with the reason.
MOST_FILES = 25
CROWDS = {
    "analyzer/waits": "one family: each pair of files finds the wait states of one kind of operation",
    "analyzer/report/extras": "one document: each pair of files is one of its sections",
    "patterns/waits": "one family: each pair of files is one wait state",
}
# Names that sources in several folders have, with the reason.
SAME_STEMS = {
    "extras": "what a report has beside its severities: collected in replay, stored in the report",
}
ROOTS = ("analyzer", "archive", "patterns", "sync", "tracer")
SOURCES = (".cpp", ".hpp", ".c", ".h")
# Unit tests are beside what they test. They do not count as files of a folder and include what they need.
TESTS = "_test.cpp"
TESTED_ELSEWHERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tested_elsewhere.tsv")


def folders_of(root):
    """{folder: [(file, included folder, included file)]}, and {folder: number of source files}."""
    includes, sizes = collections.defaultdict(list), collections.Counter()
    for top in ROOTS:
        for folder, _, names in os.walk(os.path.join(root, top)):
            place = os.path.relpath(folder, root)
            for name in names:
                if not name.endswith(SOURCES) or name.endswith(TESTS):
                    continue
                sizes[place] += 1
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    for path in re.findall(r'^\s*#\s*include "([^"]+)"', file.read(), re.MULTILINE):
                        # Generated headers are not in the tree, but their folders are.
                        target = os.path.dirname(path)
                        if target not in ("", place) and os.path.isdir(os.path.join(root, target)):
                            includes[place].append((name, target, path))
    return includes, sizes


def stems_of(root):
    """{name without ending: folders in which a source has it}. A source and its header have the same one."""
    folders = collections.defaultdict(set)
    for top in ROOTS:
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in names:
                if name.endswith(SOURCES):
                    folders[name.split(".")[0]].add(os.path.relpath(folder, root))
    return folders


def problems_of_names(root, known=SAME_STEMS):
    """Sentences about names that sources in several folders have."""
    stems = stems_of(root)
    several = {stem: folders for stem, folders in stems.items() if len(folders) > 1}
    found = ["%s is a source in %s" % (stem, " and ".join(sorted(folders)))
             for stem, folders in several.items() if stem not in known]
    found += ["%s is in one folder: take it out of the table" % stem for stem in known if stem not in several]
    return sorted(found)


def tests_elsewhere(path):
    """{module: where it is tested} of a table: folder, modules, tests."""
    found = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            if not line.startswith("#"):
                folder, modules, tests = line.rstrip("\n").split("\t")
                found.update({os.path.join(folder, module): tests.split() for module in modules.split()})
    return found


def problems_of_tests(root, elsewhere):
    """Sentences about modules without a test of their name."""
    found, without = [], set()
    for top in ROOTS:
        for folder, _, names in os.walk(os.path.join(root, top)):
            place = os.path.relpath(folder, root)
            for name in names:
                module = os.path.join(place, name[:-4])
                if name.endswith(".cpp") and not name.endswith(TESTS) and not os.path.isfile(
                        os.path.join(root, module + TESTS)):
                    without.add(module)
    found += ["%s has neither a test beside it nor a line in the table" % module for module in without
              if module not in elsewhere]
    for module, places in elsewhere.items():
        if module not in without:
            found.append("%s has a test beside it, or is gone: take it out of the table" % module)
        found += ["%s is tested by %s, which does not exist" % (module, place) for place in places
                  if not os.path.exists(os.path.join(root, place))]
    return sorted(found)


def problems(root, floors=FLOORS, crowds=CROWDS):
    """Sentences about what is wrong. A strict order of folders leaves no room for circles."""
    includes, sizes = folders_of(root)
    numbers = {folder: number for number, folder in enumerate(floors)}

    def floor(folder):
        return numbers.get(folder, numbers.get(os.path.dirname(folder) + "/*"))

    found = ["%s is not in the list of floors" % folder for folder in sizes if floor(folder) is None]
    for folder, list_of_includes in includes.items():
        for name, target, path in list_of_includes:
            if path.startswith("tests/"):
                found.append("%s/%s includes %s, which is a test's" % (folder, name, path))
            here, there = floor(folder), floor(target)
            if here is None or there is None or there > here:
                continue
            found.append("%s/%s includes %s, which is on %s floor" %
                         (folder, name, path, "the same" if there == here else "a higher"))
    for folder, count in sizes.items():
        if count > MOST_FILES and folder not in crowds:
            found.append("%s has %d source files, more than %d" % (folder, count, MOST_FILES))
        if not os.path.isfile(os.path.join(root, folder, "README.md")):
            found.append("%s has no README.md" % folder)
    found += ["%s has not more than %d files: take it out of the table" % (folder, MOST_FILES)
              for folder in crowds if sizes[folder] <= MOST_FILES]
    return sorted(found)


def missing_names(root, document):
    """Sources that a document names and that do not exist: `x.cpp` anywhere, `x` in a column of places. After a colon
    such a column names functions, which stand in one of these sources."""
    paths = collections.defaultdict(list)
    for top in ROOTS:
        for folder, _, files in os.walk(os.path.join(root, top)):
            for name in files:
                paths[name].append(os.path.join(folder, name))
                paths[name.split(".")[0]].append(os.path.join(folder, name))
    with open(os.path.join(root, document), encoding="utf-8") as file:
        text = file.read()
    missing = [name for name in re.findall(r"`([a-z0-9_]+\.(?:cpp|hpp|tsv|js))`", text) if name not in paths]
    for cell in re.findall(r"^\| \d+ \| ([^|]*) \|", text, re.MULTILINE):
        places, _, functions = cell.partition("`:")
        sources = re.findall(r"`([a-z0-9_.]+)", places)
        missing += [name for name in sources if "." not in name and name not in paths]
        code = ""
        for path in (path for name in sources for path in paths.get(name, []) if functions):
            with open(path, encoding="utf-8") as file:
                code += file.read()
        missing += [name for name in re.findall(r"`([\w:]+)`", functions) if not re.search(r"\b%s\b" % name, code)]
    return missing


class Rooms(unittest.TestCase):
    def test_documents_name_sources_that_exist(self):
        documents = ["docs/architecture.md"]
        documents += ["docs/architecture/" + name for name in os.listdir(os.path.join(ROOT, "docs/architecture"))]
        for top in ROOTS:
            for folder, _, names in os.walk(os.path.join(ROOT, top)):
                documents += [os.path.relpath(os.path.join(folder, name), ROOT) for name in names if name == "README.md"]
        self.assertGreater(len(documents), 50)
        self.assertEqual({one: missing_names(ROOT, one) for one in documents if missing_names(ROOT, one)}, {})

    def test_a_document_that_names_what_is_gone_is_found(self):
        files = {"sync/a.hpp": "", "sync/doc.md": "`a.hpp` calls `f` of `b.cpp`\n"}
        self.check_made_up(files, ["b.cpp"], lambda root: missing_names(root, "sync/doc.md"))
        files["sync/doc.md"] = "| 1 | `a`, `c` | what |\n"
        self.check_made_up(files, ["c"], lambda root: missing_names(root, "sync/doc.md"))

    def test_a_function_that_is_somewhere_else_is_found(self):
        files = {"sync/a.hpp": "void f();\n", "sync/b.cpp": "void A::g() {}\n",
                 "sync/doc.md": "| 1 | `a.hpp`: `f` | what |\n| 2 | `a`: `A::g` | |\n| 3 | `b`: `A::g`, on rank 1 | |\n"}
        self.check_made_up(files, ["A::g"], lambda root: missing_names(root, "sync/doc.md"))

    def test_this_tree(self):
        self.assertEqual(problems(ROOT), [])

    def test_names_of_this_tree(self):
        self.assertEqual(problems_of_names(ROOT), [])

    def test_modules_of_this_tree_are_tested(self):
        self.assertEqual(problems_of_tests(ROOT, tests_elsewhere(TESTED_ELSEWHERE)), [])

    def test_all_floors_exist(self):
        self.assertEqual([floor for floor in FLOORS
                          if not floor.endswith("/*") and not os.path.isdir(os.path.join(ROOT, floor))], [])

    def check_made_up(self, files, expected, find=lambda root: problems(root, ["sync", "tracer/*", "archive"], {})):
        with tempfile.TemporaryDirectory() as root:
            for path, text in files.items():
                os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
                with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                    file.write(text)
            self.assertEqual(find(root), expected)

    def test_an_include_that_runs_up_is_found(self):
        files = {"sync/a.hpp": "", "sync/README.md": "", "archive/b.cpp": '#include "sync/a.hpp"\n',
                 "archive/README.md": ""}
        self.check_made_up(files, ["archive/b.cpp includes sync/a.hpp, which is on a higher floor"])

    def test_of_a_circle_one_side_runs_up(self):
        files = {"sync/a.hpp": '#include "archive/b.hpp"\n', "sync/README.md": "",
                 "archive/b.hpp": '#include "sync/a.hpp"\n', "archive/README.md": ""}
        self.check_made_up(files, ["archive/b.hpp includes sync/a.hpp, which is on a higher floor"])

    def test_folders_of_one_floor_do_not_include_each_other(self):
        files = {"tracer/a/a.hpp": '#include "archive/c.hpp"\n', "tracer/a/README.md": "", "archive/c.hpp": "",
                 "tracer/b/b.hpp": '#include "tracer/a/a.hpp"\n', "tracer/b/README.md": "", "archive/README.md": "",
                 "sync/s.hpp": '#include "tracer/b/b.hpp"\n', "sync/README.md": ""}
        self.check_made_up(files, ["tracer/b/b.hpp includes tracer/a/a.hpp, which is on the same floor"])

    def test_crowds_unknown_folders_and_missing_readmes_are_found(self):
        files = {"sync/%d.cpp" % i: "" for i in range(MOST_FILES + 1)}
        files["tracer/x.c"] = ""
        self.check_made_up(files, ["sync has 26 source files, more than 25", "sync has no README.md",
                                   "tracer has no README.md", "tracer is not in the list of floors"])

    def test_a_name_in_two_folders_is_found(self):
        files = {"sync/a.hpp": "", "sync/a.cpp": "", "archive/a.cpp": "", "archive/b.cpp": ""}
        self.check_made_up(files, ["a is a source in archive and sync"], lambda root: problems_of_names(root, {}))
        self.check_made_up(files, ["b is in one folder: take it out of the table"],
                           lambda root: problems_of_names(root, {"a": "", "b": ""}))

    def test_a_test_may_include_what_it_needs_but_nothing_else_includes_a_test(self):
        files = {"archive/a_test.cpp": '#include "sync/a.hpp"\n#include "tests/b.hpp"\n', "sync/a.hpp": "",
                 "sync/c.cpp": '#include "tests/b.hpp"\n', "tests/b.hpp": "", "sync/README.md": ""}
        self.check_made_up(files, ["sync/c.cpp includes tests/b.hpp, which is a test's"])

    def test_modules_without_a_test_are_found(self):
        files = {"sync/a.cpp": "", "sync/a_test.cpp": "", "sync/b.cpp": "", "sync/c.cpp": "", "tests/x.py": ""}
        self.check_made_up(files, ["sync/b has neither a test beside it nor a line in the table"],
                           lambda root: problems_of_tests(root, {"sync/c": ["tests/x.py"]}))
        self.check_made_up(files, ["sync/a has a test beside it, or is gone: take it out of the table",
                                   "sync/c is tested by tests/y.py, which does not exist"],
                           lambda root: problems_of_tests(root, {"sync/a": ["tests/x.py"], "sync/b": ["tests/x.py"],
                                                                 "sync/c": ["tests/y.py"]}))


if __name__ == "__main__":
    ROOT = sys.argv.pop(1)
    unittest.main()
