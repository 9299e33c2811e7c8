# SPDX-License-Identifier: BSD-3-Clause
"""scripts/testbed from start to end.

   this process -- first process of a process namespace -- nodes, router, COMMAND
                   (inside.py)
When the first process of a process namespace dies, the kernel kills all others. With the last process of a namespace
its devices and mounts vanish. The first process dies with this one, so even SIGKILL leaves nothing.
"""
import os
import signal
import shutil

from scan_lib import output, run
from scan_lib.tools import Tools, first

from . import hosts, inside
from . import namespaces as ns
from .options import HELP, Options, UsageError

EXIT_USAGE, EXIT_CANNOT = 2, 77


def complain(what, hint):
    output.complain("testbed: %s" % what, hint)


def main(called, words):
    output.begin()
    try:
        options = Options(words)
    except UsageError as error:
        complain(error, "testbed --help lists the options")
        return EXIT_USAGE
    if options.help:
        return 0 if output.answer(HELP.rstrip("\n")) else EXIT_USAGE
    tools = find_tools(called)
    try:
        check_machine(tools.router)
        ns.unshare(ns.NEWPID, "processes")
    except (OSError, hosts.Failed) as error:
        complain(getattr(error, "strerror", None) or error, "see tests/testbed/README.md, 'Needs'")
        return EXIT_CANNOT
    if tools.mpi == "Open MPI":
        options.computer.part_nodes()
    own = OwnDirectories(options)
    try:
        return supervise(options, tools)
    finally:
        own.remove_empty()


def find_tools(called):
    """The tools that scan uses, the router, and the library for programs in the testbed."""
    tools = Tools(called)
    tools.router = tools.hook = None
    if tools.analyzer is not None:
        root = os.path.dirname(os.path.dirname(tools.analyzer))
        tools.router = first(root, "bin/testbed-router")
        tools.hook = first(root, "lib/liblatecomer-testbed.so")
    return tools


def check_machine(router):
    if os.geteuid() != 0:
        raise hosts.Failed("needs root for network namespaces and devices")
    if not os.path.exists("/dev/net/tun"):
        raise hosts.Failed("no TUN: /dev/net/tun does not exist")
    try:
        os.close(os.open("/dev/net/tun", os.O_RDWR))
    except OSError as error:
        raise hosts.Failed("no TUN: /dev/net/tun: " + error.strerror) from None
    if shutil.which("nsenter") is None:
        raise hosts.Failed("nsenter (package util-linux) was not found")
    if router is None:
        raise hosts.Failed("testbed-router was not found: build Latecomer with its tests")


class OwnDirectories:
    """DIR/METAHOST for every metahost; empty ones are removed at the end."""

    def __init__(self, options):
        self.made = []
        for metahost in options.computer.metahosts if options.own_directory else ():
            path = os.path.join(options.own_directory, metahost.name)
            if not os.path.isdir(path):
                os.mkdir(path)
                self.made.append(path)

    def remove_empty(self):
        for path in self.made:
            try:
                os.rmdir(path)
            except OSError:
                pass  # the metahost has written something


def supervise(options, tools):
    """Starts the first process of the namespace, passes signals on, and waits for it."""
    signals = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD}
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    alive, parent = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(parent)
        os._exit(be_first(options, tools, alive, signals))
    os.close(alive)
    while True:
        info = signal.sigwaitinfo(signals)
        if info.si_signo == signal.SIGCHLD:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                code = os.waitstatus_to_exitcode(status)
                return code if code >= 0 else 128 - code
        elif info.si_code <= 0:  # from a process; the terminal signals the child itself
            os.kill(child, info.si_signo)


def be_first(options, tools, alive, signals):
    try:
        ns.die_with_parent(signal.SIGKILL)
        os.set_blocking(alive, False)
        try:
            if os.read(alive, 1) == b"":
                return EXIT_CANNOT  # the parent died before the request to die with it
        except BlockingIOError:
            pass
        run.begin()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, signals)
        return inside.serve(options, tools)
    except run.Interrupted as interrupted:
        return 128 + interrupted.number
    except (OSError, hosts.Failed) as error:
        complain(getattr(error, "strerror", None) or error, "see tests/testbed/README.md, 'Needs'")
        return EXIT_CANNOT
