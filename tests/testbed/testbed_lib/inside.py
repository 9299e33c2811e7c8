# SPDX-License-Identifier: BSD-3-Clause
"""The first process of the testbed's process namespace: when it ends, everything ends."""
import os
import shlex
import signal
import subprocess

from scan_lib import run

from . import hosts
from . import namespaces as ns

FILES = "/dev/shm/testbed"  # in a file system that only the testbed sees
ENTER = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))), "enter")


def serve(options, tools):
    """Sets everything up and runs the command; returns its exit status."""
    directory = os.getcwd()
    own_mounts()
    holders = start_nodes(options.computer, options.own_directory)
    write_files(options.computer, holders)
    with Router(tools.router, options.computer, holders):
        # A shell changes the directory after the mounts of the node exist.
        line = "cd %s && exec %s" % (shlex.quote(directory), shlex.join(options.command))
        words = ["nsenter"] + holders[0].spaces + ["--", "env"] + environment(options, tools)
        return run.run(words + ["sh", "-c", line])


def own_mounts():
    """Separate mounts and System V memory: /proc of our processes, an empty /dev/shm."""
    ns.unshare(ns.NEWNS | ns.NEWIPC, "mounts")
    ns.mount("none", "/", flags=ns.MS_REC | ns.MS_PRIVATE)
    ns.mount("proc", "/proc", "proc")
    ns.mount("tmpfs", "/dev/shm", "tmpfs", options="mode=1777")
    os.makedirs(FILES + "/nodes")


def start_nodes(computer, own_directory):
    # Names must be known before the mounts of the nodes are separated.
    with open(FILES + "/hosts", "w") as f:
        f.write("127.0.0.1 localhost\n" +
                "".join("%s %s\n" % (node.address, node.name) for node in computer.nodes))
    ns.mount(FILES + "/hosts", "/etc/hosts", flags=ns.MS_BIND)
    holders = []
    for space in computer.spaces:
        first = None
        for node in space:
            own = own_directory and (own_directory, os.path.join(own_directory, node.metahost.name))
            holders.append(hosts.start(node, first, own))
            first = first or holders[-1]
    return holders


def write_files(computer, holders):
    """Writes the files that enter and mpiexec read."""
    with open(FILES + "/hostfile", "w") as f:
        f.write("".join("%s:%d\n" % (node.name, node.slots) for node in computer.nodes))
    with open(FILES + "/hostfile.openmpi", "w") as f:
        f.write("".join("%s slots=%d\n" % (node.name, node.slots) for node in computer.nodes))
    for holder in holders:
        node = holder.node
        for name in (node.name, node.address):
            with open("%s/nodes/%s" % (FILES, name), "w") as f:
                f.write("spaces='%s'\nidentity='%s'\n" % (" ".join(holder.spaces), " ".join(identity(node))))


def identity(node):
    """Variables by which the measurement identifies a node."""
    return ["LATECOMER_METAHOST_ID=%d" % node.metahost.number, "LATECOMER_METAHOST_NAME=" + node.metahost.name,
            "LATECOMER_NODE=" + node.name]


def environment(options, tools):
    """Variables of the command; enter adds those of a node."""
    values = {
        "HYDRA_LAUNCHER": "ssh", "HYDRA_LAUNCHER_EXEC": ENTER, "HYDRA_LAUNCHER_AUTOFORK": "0",
        "HYDRA_HOST_FILE": FILES + "/hostfile",
        "UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "wan0",
        "TESTBED_FILES": FILES,
    }
    values.update(("OMPI_MCA_" + name, value) for name, value in {
        "plm_rsh_agent": ENTER, "plm_rsh_no_tree_spawn": "1", "orte_default_hostfile": FILES + "/hostfile.openmpi",
        "orte_keep_fqdn_hostnames": "1", "oob_tcp_if_include": "wan0",
        "pml": "ob1", "btl": "tcp,self", "btl_tcp_if_include": "wan0"}.items())
    libraries = [library for library in (tools.hook, tools.yield_library) if library]
    values["LD_PRELOAD"] = ":".join(libraries + os.environ.get("LD_PRELOAD", "").split())
    if any(node.shift for node in options.computer.nodes):
        values["LATECOMER_TIMER"] = "monotonic"  # the time stamp counter is not shifted
    if options.clocks:
        values["LATECOMER_TIMER_EMULATION"] = options.clocks
    # Open MPI's mpiexec does not enter its own node, and does not pass these variables on.
    own = identity(options.computer.nodes[0]) if tools.mpi == "Open MPI" else []
    return ["%s=%s" % item for item in values.items()] + own


class Router:
    """Packets flow while this context is active."""

    def __init__(self, program, computer, holders):
        by_node = {holder.node: holder.process for holder in holders}
        table = computer.router_table([by_node[space[0]] for space in computer.spaces])
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        start_new_session=True)
        self.process.stdin.write(table.encode())
        self.process.stdin.close()
        self.process.stdout.read()  # ends when the router is ready
        self.process.stdout.close()

    def __enter__(self):
        try:
            status = self.process.wait(0.01)
        except subprocess.TimeoutExpired:
            return self
        raise hosts.Failed("the router ended with status %d" % status)

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(2)  # it may have a message
        except subprocess.TimeoutExpired:
            pass
