#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""write_contexts.py DIRECTORY: writes an archive whose events name whole call paths, with OTF2's
own Python module."""
import sys

import otf2
from otf2.enums import CollectiveOp, GroupFlag, GroupType, Paradigm, RegionRole

UNDEFINED = 0xFFFFFFFF


def write(directory):
    """Two ranks: main > MPI_Init, three times main > solve > exchange > MPI_Barrier, main > MPI_Finalize."""
    with otf2.writer.open(directory, timer_resolution=10**9) as trace:
        d = trace.definitions
        node = d.system_tree_node("node", parent=d.system_tree_node("machine"))
        place = d.source_code_location("app.c", 1)
        main = d.calling_context(d.region("main"), place, None)
        solve = d.calling_context(d.region("solve", paradigm=Paradigm.SAMPLING), place, main)
        exchange = d.calling_context(d.region("exchange", paradigm=Paradigm.SAMPLING), place, solve)
        init, finalize, barrier = (
            d.calling_context(d.region(name, source_file="MPI", region_role=role, paradigm=Paradigm.MPI), place, parent)
            for name, role, parent in (("MPI_Init", RegionRole.FUNCTION, main),
                                       ("MPI_Finalize", RegionRole.FUNCTION, main),
                                       ("MPI_Barrier", RegionRole.BARRIER, exchange)))
        ranks = [trace.event_writer("thread", group=d.location_group("rank %d" % r, system_tree_parent=node))
                 for r in range(2)]
        # This group maps ranks to locations; pylint: disable=protected-access
        d.group("", GroupType.COMM_LOCATIONS, Paradigm.MPI, GroupFlag.NONE, [w._location for w in ranks])
        world = d.comm("world", group=d.group("", GroupType.COMM_GROUP, Paradigm.MPI, GroupFlag.NONE, [0, 1]))
        for rank, w in enumerate(ranks):
            w.calling_context_enter(1000, main, 1)
            w.calling_context_enter(2000, init, 2)
            w.calling_context_leave(3000, init)
            for begin in (10000, 20000, 30000):
                # Solve and exchange are entered the first time; then they continue.
                enter = begin + 3000 * rank
                w.calling_context_enter(enter, barrier, 4 if begin == 10000 else 2)
                w.mpi_collective_begin(enter)
                w.mpi_collective_end(begin + 4000, CollectiveOp.BARRIER, world, UNDEFINED, 0, 0)
                w.calling_context_leave(begin + 4000, barrier)
            w.calling_context_enter(50000, finalize, 2)
            w.calling_context_leave(51000, finalize)
            w.calling_context_leave(52000, main)


write(sys.argv[1])
