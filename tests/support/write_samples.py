#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""write_samples.py DIRECTORY: writes an archive with samples of the computation, with OTF2's own Python module."""
import sys

import otf2
from _otf2 import Archive_SetProperty
from otf2.enums import Base, CollectiveOp, GroupFlag, GroupType, InterruptGeneratorMode, Paradigm, RegionRole

UNDEFINED = 0xFFFFFFFF
MS = 10**6


def write(directory):
    """Two ranks: main > MPI_Init, ten times main > exchange > MPI_Barrier, main > MPI_Finalize. Between the barriers
    rank 0 computes for 90 ms and rank 1 for 40 ms, with a sample every 10 ms of processor time: two thirds of them
    in main > relax, the others in main > norm."""
    with otf2.writer.open(directory, timer_resolution=10**9) as trace:
        Archive_SetProperty(trace.handle, "LATECOMER::SAMPLES", "150", True)
        d = trace.definitions
        node = d.system_tree_node("node", parent=d.system_tree_node("machine"))
        generator = d.interrupt_generator("processor time", InterruptGeneratorMode.TIME, Base.DECIMAL, -9, 10 * MS)
        main, exchange, relax, norm = (d.region(name, source_file="heat.c", begin_line_number=line,
                                                paradigm=Paradigm.SAMPLING)
                                       for name, line in (("main", 10), ("exchange", 40), ("relax", 80), ("norm", 120)))
        init, finalize, barrier = (d.region(name, source_file="MPI", region_role=role, paradigm=Paradigm.MPI)
                                   for name, role in (("MPI_Init", RegionRole.FUNCTION),
                                                      ("MPI_Finalize", RegionRole.FUNCTION),
                                                      ("MPI_Barrier", RegionRole.BARRIER)))
        outer = d.calling_context(main, d.source_code_location("heat.c", 20), None)
        lines = [d.calling_context(region, d.source_code_location("heat.c", line), outer)
                 for region, line in ((relax, 88), (norm, 125), (relax, 90))]
        ranks = [trace.event_writer("thread", group=d.location_group("rank %d" % r, system_tree_parent=node))
                 for r in range(2)]
        # This group maps ranks to locations; pylint: disable=protected-access
        d.group("", GroupType.COMM_LOCATIONS, Paradigm.MPI, GroupFlag.NONE, [w._location for w in ranks])
        world = d.comm("world", group=d.group("", GroupType.COMM_GROUP, Paradigm.MPI, GroupFlag.NONE, [0, 1]))
        for rank, w in enumerate(ranks):
            w.enter(0, main)
            w.enter(MS, init)
            w.leave(2 * MS, init)
            sample = 0
            for step in range(10):
                begin = 2 * MS + step * 100 * MS
                end = begin + (90 if rank == 0 else 40) * MS
                for time in range(begin + 5 * MS, end, 10 * MS):
                    w.calling_context_sample(time, lines[sample % 3], 1, generator)
                    sample += 1
                w.enter(end, exchange)
                w.enter(end, barrier)
                w.mpi_collective_begin(end)
                w.calling_context_sample(end + MS, outer, 1, generator)
                w.mpi_collective_end(begin + 100 * MS, CollectiveOp.BARRIER, world, UNDEFINED, 0, 0)
                w.leave(begin + 100 * MS, barrier)
                w.leave(begin + 100 * MS, exchange)
            w.enter(1002 * MS, finalize)
            w.leave(1003 * MS, finalize)
            w.leave(1003 * MS, main)


write(sys.argv[1])
