// SPDX-License-Identifier: BSD-3-Clause
// Names of the files of an experiment directory and of the OTF2 properties in an archive.
#pragma once

namespace latecomer::layout {

inline constexpr const char* kArchiveName = "traces";                // OTF2 archive name
inline constexpr const char* kAnchor = "traces.otf2";                // anchor file
inline constexpr const char* kReport = "analysis.cubex";             // the report
inline constexpr const char* kStatistics = "analysis.stat";          // for the Cube viewer
inline constexpr const char* kSuggestedFilter = "suggested.filter";  // for the next run
inline constexpr const char* kPage = "report.html";                  // the report for the browser
inline constexpr const char* kLog = "scan.log";                      // what scan ran and printed
inline constexpr const char* kOtherMpi =
    "other_mpi";  // of a program of another MPI; until scan says it
inline constexpr const char* kSettings = "latecomer.cfg";  // all settings used, sourceable
inline constexpr const char* kRunInSettings = "# run ";    // its line that names the run of scan
inline constexpr const char* kManifest = "MANIFEST.md";    // what is what
inline constexpr const char* kRecords = "records";         // raw records, until they are OTF2
inline constexpr const char* kApart =
    "apart";  // in records/: ranks that take no part; the others could not make the archive
inline constexpr const char* kEnded =
    "ended";  // in records/: when scan saw the run end (wall clock, ns)
inline constexpr const char* kReportExtras = "latecomer.json";  // member of the report

// The last section of the manifest, where an archive is in parts.
inline constexpr const char* kManifestOfParts = "## Part of an archive";

// Archive properties (OTF2_Archive_SetProperty). Score-P's standard ones are set beside these.
inline constexpr const char* kPropertyVersion = "LATECOMER::VERSION";
inline constexpr const char* kPropertyPartial = "LATECOMER::PARTIAL";  // bool: files missing
inline constexpr const char* kPropertyParts =
    "LATECOMER::PARTS";  // number of directories that hold parts of this archive; only if several
inline constexpr const char* kPropertyRecordsLost =
    "LATECOMER::RECORDS_LOST";  // number
                                // of a location group: of those that could not be stored; if any
inline constexpr const char* kPropertyRecordsLostWhy =
    "LATECOMER::RECORDS_LOST_WHY";  // text; only where a process could tell
inline constexpr const char* kPropertyUnfinished = "LATECOMER::UNFINISHED";  // number of processes
                                                                             // without MPI_Finalize
inline constexpr const char* kPropertyRecordsMended =
    "LATECOMER::RECORDS_MENDED";  // number of records left out and regions closed
inline constexpr const char* kPropertyLost = "LATECOMER::LOST::";  // and what: number
inline constexpr const char* kPropertyStacks =
    "LATECOMER::CALL_PATHS_FROM_STACKS";  // bool: functions are known at MPI calls only
inline constexpr const char* kPropertyEventCost =
    "LATECOMER::EVENT_COST";  // ns that recording an event took, mean of the processes
inline constexpr const char* kPropertyRegionEvents =
    "LATECOMER::REGION_EVENTS";  // number of events of the program's regions, from samples; if any
inline constexpr const char* kPropertyRegionEventCost =
    "LATECOMER::REGION_EVENT_COST";  // ns that recording them took, all of them, from samples
inline constexpr const char* kPropertyFilteredEvents =
    "LATECOMER::FILTERED_EVENTS";  // number of those that a filter left out, from samples; if any
inline constexpr const char* kPropertyFilteredEventCost =
    "LATECOMER::FILTERED_EVENT_COST";  // ns that they took all the same
inline constexpr const char* kPropertyProcessorTime =
    "LATECOMER::PROCESSOR_TIME";  // ns of all processes up to MPI_Finalize; only if all could tell
inline constexpr const char* kPropertyThreadsInTurn =
    "LATECOMER::THREADS_IN_TURN";  // number that went on in the location of one that ended; if any
inline constexpr const char* kPropertyThreadCost =
    "LATECOMER::THREAD_COST";  // ns that begin and end of recording threads took, sum of all; if
                               // any
inline constexpr const char* kPropertyStacksUnwound =
    "LATECOMER::STACKS_UNWOUND";  // number of stacks whose call path was not known, of all; if any
inline constexpr const char* kPropertyStackCost =
    "LATECOMER::STACK_COST";  // ns that unwinding them took, sum of all
inline constexpr const char* kPropertyFlushes =
    "LATECOMER::FLUSHES";  // number of full pieces of records that were stored, of all; if any
inline constexpr const char* kPropertyFlushCost =
    "LATECOMER::FLUSH_COST";  // ns that it took, sum of all
inline constexpr const char* kPropertyCallsInRows =
    "LATECOMER::CALLS_IN_ROWS";  // number of calls in vain that have no visit of their own, if any
inline constexpr const char* kPropertyFunctionsLeftOut =
    "LATECOMER::MPI_FUNCTIONS_LEFT_OUT";  // names, separated by commas; only if any
inline constexpr const char* kPropertyTimeLeftOut =
    "LATECOMER::MPI_TIME_LEFT_OUT";  // bool: some of them communicate or wait
inline constexpr const char* kPropertyFilterInVain =
    "LATECOMER::FILTER_IN_VAIN";  // bool: a filter that was to leave out regions of the program
                                  // met none that it names; only if so
inline constexpr const char* kPropertyAbsent =
    "LATECOMER::TOOK_NO_PART";  // ranks, as text: they ran without the measurement library; if any
inline constexpr const char* kPropertyLaunch =
    "LATECOMER::LAUNCH";  // how scan was called, as a shell takes it; only of its runs
// Machines of which cores are known, and these. Where more threads compute than there are cores: on
// how many machines; on the one with most threads to a core its ranks, their threads, its cores.
inline constexpr const char* kPropertyMachines = "LATECOMER::MACHINES";
inline constexpr const char* kPropertyCores = "LATECOMER::CORES";
inline constexpr const char* kPropertySharedMachines = "LATECOMER::SHARED_CORES::MACHINES";
inline constexpr const char* kPropertySharedRanks = "LATECOMER::SHARED_CORES::RANKS";
inline constexpr const char* kPropertySharedThreads = "LATECOMER::SHARED_CORES::THREADS";
inline constexpr const char* kPropertySharedCores = "LATECOMER::SHARED_CORES::CORES";
// Processes that had threads of OpenMP, and how many threads one had at most; only if any.
inline constexpr const char* kPropertyOpenMpProcesses = "LATECOMER::OPENMP::PROCESSES";
inline constexpr const char* kPropertyOpenMpThreads = "LATECOMER::OPENMP::THREADS";
inline constexpr const char* kPropertyCompat = "LATECOMER::COMPAT";  // reader that was catered for

// Clocks (docs/reference.md). The texts are those of sync/measurement.hpp and sync/latency.hpp.
inline constexpr const char* kPropertyClockScheme = "LATECOMER::CLOCKS::SCHEME";
inline constexpr const char* kPropertyLatencies = "LATECOMER::CLOCKS::MIN_LATENCIES";
inline constexpr const char* kPropertyClocksLeftOut = "LATECOMER::CLOCKS::LEFT_OUT";  // number

// How the times of a corrected archive came about: none, linear, messages or clc.
inline constexpr const char* kPropertyCorrected = "LATECOMER::CLOCKS::CORRECTED";

// Properties of location groups: the clock of a process (unsigned integer, the lowest rank that
// shares it); of those ranks, measurements at a moment, separated by semicolons.
inline constexpr const char* kPropertyClock = "LATECOMER::CLOCK";
inline constexpr const char* kPropertyMoment =
    "LATECOMER::CLOCK::";  // and the number of the moment

// Name of the node of processes of which nothing is known, not even their metahost.
inline constexpr const char* kUnknownHost = "unknown host";

// Attribute of the end of an Alltoallv or Alltoallw: this process sends something to everybody and
// gets something from everybody.
inline constexpr const char* kAttributeAllPositive = "LATECOMER::ALL_COUNTS_POSITIVE";

// Attribute of the end of an operation on a neighborhood, which has the operation code of Alltoallv
// or Alltoallw: 2 if this process gets data from each neighbor, 1 if perhaps not. Who the neighbors
// are is a property of the location group: with the id of the communicator behind its name, the
// ranks that this process gets data from, separated by commas.
inline constexpr const char* kAttributeNeighborhood = "LATECOMER::NEIGHBORHOOD";
inline constexpr const char* kPropertyNeighbors = "LATECOMER::NEIGHBORS::";

// Attribute of the completion of a persistent collective operation: how many were initialized on
// the communicator before it.
inline constexpr const char* kAttributePersistent = "LATECOMER::PERSISTENT";

// Attribute of the request or completion of an operation: it happened in a call that a filter left
// out. So the operation is not recorded, and what is in the trace says only where its place is.
inline constexpr const char* kAttributeLeftOut = "LATECOMER::LEFT_OUT";

// Attributes of the Leave of a function that completed nothing (MPI_Test, MPI_Iprobe and their
// like): the visit stands for so many calls in a row with nothing in between, the first of which
// began at its Enter; the calls took so many ticks of the archive's clock together, the rest of the
// visit belongs to the caller. Both unsigned, 64 bits.
inline constexpr const char* kAttributeCalls = "LATECOMER::CALLS";
inline constexpr const char* kAttributeCallTime = "LATECOMER::CALL_TIME";

// Event ParameterUnsignedInt while recording is off, or for calls that a filter left out: how many
// operations a process took part in meanwhile, on what its attributes (unsigned, 32 bits) say:
// operation (0 send, 1 receive, 2 collective operation, 3 the same on a window, 4 and 5 access and
// exposure epoch with a group, 6 lock, 7 transfer, 8 collective call on a file), communicator,
// window or handle, peer (of an epoch: its group), tag (of a persistent operation: its number).
inline constexpr const char* kParameterUnrecorded = "LATECOMER::UNRECORDED";
// Event ParameterUnsignedInt in a collective call that sets something of a file: its handle.
inline constexpr const char* kParameterFileCall = "LATECOMER::FILE_CALL";
inline constexpr const char* kAttributesUnrecorded[] = {
    "LATECOMER::UNRECORDED::OPERATION", "LATECOMER::UNRECORDED::OBJECT",
    "LATECOMER::UNRECORDED::PEER", "LATECOMER::UNRECORDED::TAG"};

// Property of the system tree node of a metahost (string or unsigned integer).
inline constexpr const char* kPropertyMetahostId = "LATECOMER::METAHOST_ID";

// Properties in the logs of processes (records/<rank>.def).
inline constexpr const char* kLogRun = "run";               // random number of the run
inline constexpr const char* kLogEventCost = "event_cost";  // nanoseconds, calibrated
inline constexpr const char* kLogRegionEvents =
    "region_events";  // number, entering and leaving the program's regions, from samples
inline constexpr const char* kLogRegionTicks = "region_ticks";  // that recording them took
inline constexpr const char* kLogFilteredEvents =
    "filtered_events";  // number of those that a filter left out, from samples
inline constexpr const char* kLogFilteredTicks = "filtered_ticks";  // that they took
inline constexpr const char* kLogProcessorTime = "processor_time";  // ns of the whole process
inline constexpr const char* kLogThreadCost =
    "thread_cost";  // nanoseconds, of all threads but the first
inline constexpr const char* kLogRecordsLostWhy = "records_lost_why";  // text
inline constexpr const char* kLogStacks = "stacks_unwound";            // number
inline constexpr const char* kLogStackCost = "stack_cost";             // nanoseconds, all of them
inline constexpr const char* kLogFunctionsLeftOut = "mpi_functions_left_out";  // names, commas
inline constexpr const char* kLogTimeLeftOut = "mpi_time_left_out";  // some of them communicate
inline constexpr const char* kLogFiltersRegions =
    "filters_regions";  // a filter is to leave out regions of the program
inline constexpr const char* kLogFilteredRegion = "filtered_region";  // and met one at least
inline constexpr const char* kLogAbsent = "absent";  // ranks that take no part, as text
inline constexpr const char* kLogLaunch = "launch";  // LATECOMER_LAUNCH; on rank 0
inline constexpr const char* kLogCores =
    "cores";  // "BOOT-ID 0-3,8", of the process; the last counts
inline constexpr const char* kLogOpenMpThreads = "openmp_threads";  // number, with the first one
inline constexpr const char* kLogParts = "parts";  // number of experiment directories of the run

}  // namespace latecomer::layout
