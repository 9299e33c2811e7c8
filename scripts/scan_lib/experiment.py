# SPDX-License-Identifier: BSD-3-Clause
"""Manages the experiment directory: its name, its content, and scan's own files in it."""
import fcntl
import os
import shlex
import shutil
import time

from . import plain_file
from .checks import Refused
from .output import quoted

# Parts of an experiment, and files that scan writes into it. The measurement library, which decides
# if scan is not used, has the same lists in tracer/session/agreement/directory.cpp.
PARTS = ("traces.otf2", "traces.def", "traces", "analysis.cubex", "analysis.stat", "report.html", "records", "watch.json",
         "watch.json.part")
TRACE = ("traces.otf2", "traces.def", "traces", "records")
OTHER_MPI = "other_mpi"  # made by the measurement library, removed after the run
FILES_OF_SCAN = ("scan.log", "latecomer.cfg", "MANIFEST.md", "agents", OTHER_MPI)
SUGGESTED_FILTER = "suggested.filter"  # kept when a run replaces an experiment, because that run may use it
RECORD_HEADER = 4096
_taken = {}  # directories of this scan, with descriptors whose locks end with the process
ONLY_WATCHED = "# only watched"  # line in latecomer.cfg, which other programs look for (archive/experiment)


class Occupied(Refused):
    """The directory `path` already holds an experiment."""

    def __init__(self, path):
        super().__init__("experiment directory %s exists already" % path,
                         "--next takes a fresh number, --overwrite replaces it, -e DIR chooses another one")
        self.path = path


def name_for(command):
    """latecomer_<program>_<ranks>_trace, without the number if the command does not state it."""
    number = "_%d" % command.ranks if command.ranks else ""
    return "latecomer_%s%s_trace" % (os.path.basename(command.segments[0].target), number)


def kind_of(path):
    """Kind of what is at a path: "missing", "free" (may be used), "experiment", or "foreign" (holds other files)."""
    if not os.path.lexists(path):
        return "missing"
    if not os.path.isdir(path):
        return "foreign"
    try:
        names = set(os.listdir(path))
    except OSError:
        return "foreign"
    if names - set(PARTS) - set(FILES_OF_SCAN) - {SUGGESTED_FILTER}:
        return "foreign"
    return "experiment" if names & set(PARTS) else "free"


def choose(path, overwrite, take_next):
    """The absolute path of the directory to use. An experiment is never overwritten without a
    request."""
    wanted, number = os.path.abspath(path), 2
    path = wanted
    while take_next and kind_of(path) in ("experiment", "foreign"):
        path, number = "%s_%d" % (wanted, number), number + 1
    kind = kind_of(path)
    if kind == "foreign":
        raise Refused("%s exists and is not an experiment directory" % path,
                      "choose another one: -e DIR; files that are not Latecomer's are never removed")
    if kind == "experiment" and not overwrite:
        raise Occupied(path)
    existing = path
    while not os.path.isdir(existing):
        existing = os.path.dirname(existing)
    if not os.access(existing, os.W_OK | os.X_OK):
        read_only = os.statvfs(existing).f_flag & os.ST_RDONLY
        raise Refused("experiment directory %s: %s %s" % (
            path, "read-only file system:" if read_only else "no permission to write in", existing),
                      "choose a place where you may write: -e DIR")
    return path


class Experiment:
    """A directory that was chosen or given. Nothing is created before prepare()."""

    def __init__(self, path):
        self.path = path

    def file(self, name):
        return os.path.join(self.path, name)

    def take(self):
        """Locks the directory until this scan ends; false if another scan of this host has. It would remove what that one
        makes. A file system without locks refuses nobody."""
        if self.path in _taken:
            return True
        number = None
        try:
            number = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(number)
            return False
        except OSError:
            pass
        _taken[self.path] = number
        return True

    @property
    def has_trace(self):
        """True if there is an anchor, which is written last. A process that was killed between
        creating and filling it left an empty one."""
        anchor = self.file("traces.otf2")
        return os.path.exists(anchor) and (os.path.getsize(anchor) > 0 or not self.has_records)

    @property
    def has_records(self):
        """True if a run that did not end well left events: a record file is longer than its header."""
        records = self.file("records")
        try:
            return any(name.endswith(".rec") and
                       os.path.getsize(os.path.join(records, name)) > RECORD_HEADER
                       for name in os.listdir(records))
        except OSError:
            return False

    @property
    def has_events(self):
        """True if there is anything of a trace, whole or not. The archive of another tool may have
        another name."""
        try:
            names = os.listdir(self.path)
        except OSError:
            return True  # the analyzer will say why
        return bool(set(TRACE) & set(names)) or any(name.endswith(".otf2") for name in names)

    @property
    def has_report_only(self):
        """True if the trace was deleted, as --clean does."""
        return os.path.exists(self.file("analysis.cubex")) and not self.has_events

    @property
    def was_finalized(self):
        """True if all processes whose records are here have reached MPI_Finalize."""
        records = self.file("records")
        try:
            logs = [name for name in os.listdir(records) if name.endswith(".def")]
            return bool(logs) and all(last_line(os.path.join(records, name)) == b"end" for name in logs)
        except OSError:
            return False

    @property
    def lacks_ranks(self):
        """True if some ranks took no part, so that the others could not make the archive together."""
        return os.path.exists(self.file("records/apart"))

    @property
    def was_only_watched(self):
        """True if the run has no trace since scan only watched it."""
        try:
            with plain_file.reading(self.file("latecomer.cfg")) as f:
                return ONLY_WATCHED in f.read().splitlines()
        except (OSError, ValueError):
            return False

    def describe_watched(self):
        """Writes MANIFEST.md of a run that was only watched. One with a trace has that of the trace."""
        rows = [("analysis.cubex", "the report of what was seen (CUBE), for `latecomer show`, `diff` and `check`"),
                ("watch.json", "who waited for whom, as it was seen while the program ran (`latecomer watch`)"),
                ("latecomer.cfg", "settings of the run, as shell commands"), ("scan.log", "what `scan` ran and said")]
        try:
            with plain_file.writing(self.file("MANIFEST.md")) as f:
                f.write("# A run that was watched\n\nThere is no trace: the program was only watched while it ran "
                        "(`scan --watch`).\n\n| file | content |\n|---|---|\n" +
                        "".join("| `%s` | %s |\n" % row for row in rows if os.path.exists(self.file(row[0]))))
        except OSError:
            pass  # it is only a convenience

    def prepare(self, settings, table, run, only_watched=False):
        """Makes the directory, removes the content of an older experiment, and notes the settings."""
        try:
            os.makedirs(self.path, exist_ok=True)
            if not self.take():
                raise Refused("experiment directory %s: another scan records or analyzes there" % self.path,
                              "wait for its end, or choose another one: -e DIR")
            # The old trace is removed now, not at MPI_Init: if the program ended before that, it
            # would pass for the new one.
            remove(self.path, PARTS + (OTHER_MPI, "MANIFEST.md", "agents"))
            with plain_file.writing(self.file("latecomer.cfg")) as f:
                f.write("# Settings of this experiment; source this file to use them again.\n# run %s\n" % run)
                if only_watched:
                    f.write(ONLY_WATCHED + "\n")
                for row in table:
                    name, value = row["variable"], settings.get(row["variable"], "")
                    f.write("export %s=%s\n" % (name, shlex.quote(value)) if value else
                            "# %s was not set%s\n" % (name, row["default"] and
                                                      " (default: %s)" % row["default"]))
            with plain_file.writing(self.file("scan.log")) as f:
                f.write("# What scan ran and said.\n")
        except OSError as error:
            raise Refused("experiment directory %s: %s" % (self.path, error.strerror),
                          "choose a place where there is room and you may write: -e DIR")

    def log(self, text):
        stamp = time.strftime("%Y-%m-%d %H:%M:%S ")
        try:
            with plain_file.appending(self.file("scan.log")) as f:
                f.write("".join(stamp + line + "\n" for line in text.rstrip("\n").split("\n")))
        except OSError:
            pass  # a full disk, or an experiment of another user: the terminal has the same lines

    def text_of_log(self):
        try:
            with plain_file.reading(self.file("scan.log")) as f:
                return f.read()
        except OSError:
            return ""

    def take_other_mpi(self):
        """The MPI of the program, if the measurement library found another one than its own and did
        not record; otherwise ""."""
        try:
            with plain_file.reading(self.file(OTHER_MPI)) as f:
                name = f.read(100)
            os.unlink(self.file(OTHER_MPI))
            return name
        except OSError:
            return ""

    def remove_if_empty(self):
        """Removes the directory if nothing was recorded in it: it is not an experiment."""
        if not self.has_trace and not self.has_records:
            try:
                remove(self.path, ("records",) + FILES_OF_SCAN)
                os.rmdir(self.path)
                number = _taken.pop(self.path, None)
                if number is not None:
                    os.close(number)
            except OSError:
                pass

    def remove_trace(self):
        """Removes everything that a report does not need any more."""
        remove(self.path, TRACE)
        try:
            with plain_file.reading(self.file("MANIFEST.md")) as f:
                lines = [line for line in f if not any(line.startswith("| `%s" % name) for name in TRACE)]
            with plain_file.writing(self.file("MANIFEST.md")) as f:
                f.write("".join(lines) + "\nThe trace was deleted when it had been analyzed (`scan --clean`).\n")
        except OSError:
            pass

    def list_file(self, name, what):
        """Adds a row for a file to MANIFEST.md, after that of scan.log, unless it has one."""
        try:
            with plain_file.reading(self.file("MANIFEST.md")) as f:
                text = f.read()
            before, found, after = text.partition("| `scan.log` |")
            row, _, rest = after.partition("\n")
            if found and "| `%s` |" % name not in text:
                with plain_file.writing(self.file("MANIFEST.md")) as f:
                    f.write("%s%s%s\n| `%s` | %s |\n%s" % (before, found, row, name, what, rest))
        except OSError:
            pass

    def note_end(self, wall):
        """Notes the end of the run for latecomer-repair, because a process that was killed could
        not record it."""
        if self.has_records and not self.has_trace:
            try:
                with plain_file.writing(self.file("records/ended")) as f:
                    f.write("%d\n" % wall)
            except OSError:
                pass  # then the last event of any process is the end

    def what_is_left(self):
        if self.has_trace:
            return "the trace is complete: scan -a %s analyzes it" % quoted(self.path)
        if self.has_records:
            return "records up to that moment are in %s: scan -a %s analyzes them" % (
                self.path, quoted(self.path))
        return "nothing was recorded"


def last_line(path):
    """The last line of a log. Zeros follow it if the process could not cut the file, as after setuid()."""
    block, longest = 1 << 16, 100
    with plain_file.reading(path, "rb") as f:
        end = os.path.getsize(path)
        while end > 0:
            begin = max(0, end - block)
            f.seek(begin)
            found = f.read(end - begin).rstrip(b"\0")
            if found:
                f.seek(max(0, begin + len(found) - longest))
                return f.read(longest).rstrip(b"\0").splitlines()[-1]
            end = begin
    return b""


def remove(directory, names):
    for name in names:
        path = os.path.join(directory, name)
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        elif os.path.lexists(path):
            os.remove(path)
