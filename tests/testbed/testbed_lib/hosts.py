# SPDX-License-Identifier: BSD-3-Clause
"""Nodes as sets of namespaces, each kept alive by a process that does nothing else."""
import os
import signal
import socket

from . import namespaces as ns


class Failed(Exception):
    """The machine cannot run the testbed; the text says why."""


class Holder:
    """A running node. process: its namespaces are the node's; spaces: words for nsenter."""

    def __init__(self, node, process):
        self.node, self.process = node, process
        self.spaces = ["--target=%d" % process, "--net", "--uts", "--mount"]
        if node.shift:
            self.spaces.append("--time")


def start(node, first, own_directory):
    """The Holder of the node.

    first: the Holder whose network and mounts it shares, or None for new ones
    own_directory: (directory, directory that is mounted over it), or None
    """
    done, tell = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(done)
        try:
            become(node, first, own_directory)
            os.write(tell, b"%d" % os.getpid())
            os.close(tell)
            while True:
                signal.pause()
        except OSError as error:
            os.write(tell, str(error.strerror).encode())
        finally:
            os._exit(1)
    os.close(tell)
    with os.fdopen(done) as f:
        answer = f.read()
    if not answer.isdigit():
        raise Failed("node %s: %s" % (node.name, answer or "its process died"))
    return Holder(node, int(answer))


def become(node, first, own_directory):
    os.setsid()  # Ctrl-C is for the command
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    if first:
        ns.enter(first.process, "net")
        ns.enter(first.process, "mnt")
    else:
        ns.unshare(ns.NEWNET | ns.NEWNS, "network and mounts")
        ns.mount("sysfs", "/sys", "sysfs")  # shows the devices of this network, which UCX reads
        tune_network()
        if own_directory:
            ns.mount(own_directory[1], own_directory[0], flags=ns.MS_BIND)
    ns.unshare(ns.NEWUTS, "the host name")
    socket.sethostname(node.name)
    if node.shift:
        shift_clock(node.shift)


def tune_network():
    """A pause between messages must not slow down the next ones, and there must be no other
    traffic."""
    for path, value in (("ipv4/tcp_slow_start_after_idle", "0"), ("ipv4/tcp_no_metrics_save", "1"),
                        ("ipv6/conf/all/disable_ipv6", "1"),
                        ("ipv6/conf/default/disable_ipv6", "1")):
        try:
            with open("/proc/sys/net/" + path, "w") as f:
                f.write(value)
        except OSError:
            pass  # an optimization that some kernels lack


def shift_clock(nanoseconds):
    """Creates a time namespace. It holds for child processes, and the rest of this process runs in
    one."""
    ns.unshare(ns.NEWTIME, "the clock")
    with open("/proc/self/timens_offsets", "w") as f:
        f.write("monotonic %d %d\n" % divmod(nanoseconds, 1_000_000_000))
    if os.fork() != 0:
        os._exit(0)
