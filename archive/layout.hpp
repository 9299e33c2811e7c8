// SPDX-License-Identifier: BSD-3-Clause
// Names of the files of an experiment directory and of the OTF2 properties in an archive.
#pragma once

namespace latecomer::layout {

inline constexpr const char* kArchiveName = "traces";        // name of the OTF2 archive
inline constexpr const char* kAnchor = "traces.otf2";        // anchor file
inline constexpr const char* kReport = "analysis.cubex";     // report
inline constexpr const char* kStatistics = "analysis.stat";  // statistics for the Cube viewer
inline constexpr const char* kSuggestedFilter = "suggested.filter";  // filter for the next run
inline constexpr const char* kPage = "report.html";                  // report for the browser
inline constexpr const char* kLog = "scan.log";                      // what scan ran and printed
// The program uses another MPI; the file exists until scan has told the user.
inline constexpr const char* kOtherMpi = "other_mpi";
// All settings in use; a shell can source it.
inline constexpr const char* kSettings = "latecomer.cfg";
// Begin of its line that names the run of scan.
inline constexpr const char* kRunInSettings = "# run ";
inline constexpr const char* kManifest = "MANIFEST.md";  // describes the files
inline constexpr const char* kRecords = "records";  // raw records, until they are in the archive
// In records/: ranks that take no part, so that the others could not make the archive.
inline constexpr const char* kApart = "apart";
// In records/: when scan saw the run end (wall clock, ns).
inline constexpr const char* kEnded = "ended";
inline constexpr const char* kReportExtras = "latecomer.json";  // member of the report

// Title of the last section of the manifest, if an archive is in parts.
inline constexpr const char* kManifestOfParts = "## Part of an archive";

// Archive properties (OTF2_Archive_SetProperty). Score-P's standard ones are set as well.
inline constexpr const char* kPropertyVersion = "LATECOMER::VERSION";
inline constexpr const char* kPropertyPartial = "LATECOMER::PARTIAL";  // bool: files are missing
// Number of directories that hold parts of this archive; only if there are several.
inline constexpr const char* kPropertyParts = "LATECOMER::PARTS";
// Number of lost records. As a property of a location group: those that could not be stored, if
// any.
inline constexpr const char* kPropertyRecordsLost = "LATECOMER::RECORDS_LOST";
// Text; only if a process knew the reason.
inline constexpr const char* kPropertyRecordsLostWhy = "LATECOMER::RECORDS_LOST_WHY";
// Number of processes that did not reach MPI_Finalize.
inline constexpr const char* kPropertyUnfinished = "LATECOMER::UNFINISHED";
// Number of records left out and regions closed.
inline constexpr const char* kPropertyRecordsMended = "LATECOMER::RECORDS_MENDED";
// Followed by what was lost: number.
inline constexpr const char* kPropertyLost = "LATECOMER::LOST::";
// bool: functions are known at MPI calls only.
inline constexpr const char* kPropertyStacks = "LATECOMER::CALL_PATHS_FROM_STACKS";
// Nanoseconds for recording an event, mean of the processes.
inline constexpr const char* kPropertyEventCost = "LATECOMER::EVENT_COST";
// Number of events of the program's regions, from samples; if any.
inline constexpr const char* kPropertyRegionEvents = "LATECOMER::REGION_EVENTS";
// Nanoseconds for recording all of them, from samples.
inline constexpr const char* kPropertyRegionEventCost = "LATECOMER::REGION_EVENT_COST";
// Number of events that a filter left out, from samples; if any.
inline constexpr const char* kPropertyFilteredEvents = "LATECOMER::FILTERED_EVENTS";
// Nanoseconds that these events took nevertheless.
inline constexpr const char* kPropertyFilteredEventCost = "LATECOMER::FILTERED_EVENT_COST";
// Processor time in ns of all processes up to MPI_Finalize; only if all stated it.
inline constexpr const char* kPropertyProcessorTime = "LATECOMER::PROCESSOR_TIME";
// Number of threads that used the location of an ended one; if any.
inline constexpr const char* kPropertyThreadsInTurn = "LATECOMER::THREADS_IN_TURN";
// Nanoseconds for the begin and end of recording threads, sum of all processes; if any.
inline constexpr const char* kPropertyThreadCost = "LATECOMER::THREAD_COST";
// Number of stacks whose call path was not known, of all processes; if any.
inline constexpr const char* kPropertyStacksUnwound = "LATECOMER::STACKS_UNWOUND";
// Nanoseconds for unwinding them, sum of all processes.
inline constexpr const char* kPropertyStackCost = "LATECOMER::STACK_COST";
// Number of samples of the computation; if any. CallingContextSample events then say where the
// computation was, and open and close no regions.
inline constexpr const char* kPropertySamples = "LATECOMER::SAMPLES";
// Number of samples for which there was no room; if any.
inline constexpr const char* kPropertySamplesLost = "LATECOMER::SAMPLES_LOST";
// Number of processes that the kernel did not sample, and why; only if so.
inline constexpr const char* kPropertySamplesRefused = "LATECOMER::SAMPLES_REFUSED";
inline constexpr const char* kPropertySamplesRefusedWhy = "LATECOMER::SAMPLES_REFUSED_WHY";
// Number of processes with samples by timer signals, and why the kernel took none; only if so.
inline constexpr const char* kPropertySamplesBySignals = "LATECOMER::SAMPLES_BY_SIGNALS";
inline constexpr const char* kPropertySamplesBySignalsWhy = "LATECOMER::SAMPLES_BY_SIGNALS_WHY";
// Versions of Python of which only the interpreter's functions are known, not those of the script.
// Separated by commas; and the number of processes. Only if there are any.
inline constexpr const char* kPropertyUnknownPython = "LATECOMER::UNKNOWN_PYTHON";
inline constexpr const char* kPropertyUnknownPythons = "LATECOMER::UNKNOWN_PYTHON::PROCESSES";
// Nanoseconds for taking samples out of their buffers, sum of all processes.
inline constexpr const char* kPropertySampleCost = "LATECOMER::SAMPLE_COST";
// Number of processes that could not count what the user chose, and why; only if so.
inline constexpr const char* kPropertyCountersRefused = "LATECOMER::COUNTERS_REFUSED";
inline constexpr const char* kPropertyCountersRefusedWhy = "LATECOMER::COUNTERS_REFUSED_WHY";
// Number of processes in which counters took turns, so that values are scaled; if any.
inline constexpr const char* kPropertyCountersScaled = "LATECOMER::COUNTERS_SCALED";
// Number of threads without counters in processes that count; if any.
inline constexpr const char* kPropertyCountersLost = "LATECOMER::COUNTERS_LOST";
// Names of the clocks of samples: outside of the kernel and, where it can be seen, in it.
inline constexpr const char* kSampleClock = "processor time";
inline constexpr const char* kKernelSampleClock = "processor time in the kernel";
// Name of the clock of samples that say where a thread was blocked, and their attribute: for how
// many nanoseconds, as a part of the metric `blocked`.
inline constexpr const char* kBlockedClock = "blocked";
inline constexpr const char* kAttributeBlocked = "LATECOMER::BLOCKED_NANOSECONDS";
// Number of processes in which processor time in the kernel is not sampled; if any.
inline constexpr const char* kPropertySamplesUserOnly = "LATECOMER::SAMPLES_USER_ONLY";
// Number of stretches between two calls, and of threads, without all switches of cores; if any.
inline constexpr const char* kPropertySwitchesLost = "LATECOMER::SWITCHES_LOST";
// Metrics of what the kernel did, in OTF2's metric events.
inline constexpr const char* kMetricPreempted = "preempted";
inline constexpr const char* kMetricBlocked = "blocked";
inline constexpr const char* kMetricPageFaults = "page faults";
inline constexpr const char* kMetricMigrations = "migrations";
// Number of operations on files outside MPI, of all processes; if any.
inline constexpr const char* kPropertyFileOperations = "LATECOMER::FILE_OPERATIONS";
// Numbers of calls on files outside MPI that have no record, of all processes; if any. Those on
// streams that used memory only, and those where nothing could be recorded.
inline constexpr const char* kPropertyBufferedCalls = "LATECOMER::FILE_CALLS_IN_MEMORY";
inline constexpr const char* kPropertyFileCallsLeftOut = "LATECOMER::FILE_CALLS_LEFT_OUT";
// Number of full chunks that were stored, of all processes; if any.
inline constexpr const char* kPropertyFlushes = "LATECOMER::FLUSHES";
// Nanoseconds for storing them, sum of all processes.
inline constexpr const char* kPropertyFlushCost = "LATECOMER::FLUSH_COST";
// Number of unsuccessful polls without a visit of their own; if any.
inline constexpr const char* kPropertyCallsInRows = "LATECOMER::CALLS_IN_ROWS";
// Names of MPI functions that a filter left out, separated by commas; if any.
inline constexpr const char* kPropertyFunctionsLeftOut = "LATECOMER::MPI_FUNCTIONS_LEFT_OUT";
// bool: some of them communicate or wait.
inline constexpr const char* kPropertyTimeLeftOut = "LATECOMER::MPI_TIME_LEFT_OUT";
// bool: a filter for regions of the program met none that it excludes; only if so.
inline constexpr const char* kPropertyFilterUnmatched = "LATECOMER::FILTER_UNMATCHED";
// Its name in archives of version 0.1.
inline constexpr const char* kPropertyFilterUnmatchedOld = "LATECOMER::FILTER_IN_VAIN";
// Ranks, as text, that ran without the measurement library; if any.
inline constexpr const char* kPropertyAbsent = "LATECOMER::TOOK_NO_PART";
// Command line of scan, as a shell takes it; only for runs of scan.
inline constexpr const char* kPropertyLaunch = "LATECOMER::LAUNCH";
// Number of machines whose cores are known, and of these cores. SHARED_CORES: number of machines
// with more computing threads than cores; on the one with the most threads per core, the ranks,
// their threads and the cores.
inline constexpr const char* kPropertyMachines = "LATECOMER::MACHINES";
inline constexpr const char* kPropertyCores = "LATECOMER::CORES";
inline constexpr const char* kPropertySharedMachines = "LATECOMER::SHARED_CORES::MACHINES";
inline constexpr const char* kPropertySharedRanks = "LATECOMER::SHARED_CORES::RANKS";
inline constexpr const char* kPropertySharedThreads = "LATECOMER::SHARED_CORES::THREADS";
inline constexpr const char* kPropertySharedCores = "LATECOMER::SHARED_CORES::CORES";
// Number of processes with OpenMP threads, and the most threads in one process; only if any.
inline constexpr const char* kPropertyOpenMpProcesses = "LATECOMER::OPENMP::PROCESSES";
inline constexpr const char* kPropertyOpenMpThreads = "LATECOMER::OPENMP::THREADS";
// Reader for which the archive was written.
inline constexpr const char* kPropertyCompat = "LATECOMER::COMPAT";

// Clocks (docs/reference.md). The texts are those of sync/measurement.hpp and sync/latency.hpp.
inline constexpr const char* kPropertyClockScheme = "LATECOMER::CLOCKS::SCHEME";
inline constexpr const char* kPropertyLatencies = "LATECOMER::CLOCKS::MIN_LATENCIES";
inline constexpr const char* kPropertyClocksLeftOut = "LATECOMER::CLOCKS::LEFT_OUT";  // number

// Correction of the times in a corrected archive: none, linear, messages or clc.
inline constexpr const char* kPropertyCorrected = "LATECOMER::CLOCKS::CORRECTED";

// Properties of location groups: the clock of a process (unsigned integer, the lowest rank that
// shares it). For those ranks: the measurements at a moment, separated by semicolons.
inline constexpr const char* kPropertyClock = "LATECOMER::CLOCK";
// Followed by the number of the moment.
inline constexpr const char* kPropertyMoment = "LATECOMER::CLOCK::";

// Name of the node of processes about which nothing is known, not even their metahost.
inline constexpr const char* kUnknownHost = "unknown host";

// Attribute of the end of an Alltoallv or Alltoallw: this process sends data to all processes and
// receives data from all processes.
inline constexpr const char* kAttributeAllPositive = "LATECOMER::ALL_COUNTS_POSITIVE";

// Attribute of the end of a neighborhood operation, which has the operation code of Alltoallv or
// Alltoallw: 2 if this process receives data from each neighbor, 1 if perhaps not. The neighbors
// are a property of the location group. Its name ends with the id of the communicator; its value is
// the ranks from which this process receives data, separated by commas.
inline constexpr const char* kAttributeNeighborhood = "LATECOMER::NEIGHBORHOOD";
inline constexpr const char* kPropertyNeighbors = "LATECOMER::NEIGHBORS::";

// Attribute of the completion of a persistent collective operation: number of those that were
// initialized on the communicator before it.
inline constexpr const char* kAttributePersistent = "LATECOMER::PERSISTENT";

// Attribute of the request or completion of an operation in a call that a filter left out. The
// operation is not recorded; the event only shows its place.
inline constexpr const char* kAttributeLeftOut = "LATECOMER::LEFT_OUT";

// Attributes of the Leave of a visit that consists of unsuccessful polls (MPI_Test, MPI_Iprobe,
// ...). CALLS is the number of consecutive calls without an event in between; the first one began
// at the Enter. CALL_TIME is their total time in ticks of the archive's clock; the rest of the
// visit belongs to the caller. Both are unsigned, 64 bits.
inline constexpr const char* kAttributeCalls = "LATECOMER::CALLS";
inline constexpr const char* kAttributeCallTime = "LATECOMER::CALL_TIME";

// Event ParameterUnsignedInt while recording is off, or for calls that a filter left out: number of
// operations in which a process took part meanwhile. Its attributes (unsigned, 32 bits) describe
// these operations:
//
//   OPERATION   0 send, 1 receive, 2 collective operation, 3 collective operation on a window,
//               4 access epoch and 5 exposure epoch with a group, 6 lock, 7 transfer,
//               8 collective call on a file
//   OBJECT      communicator, window or handle
//   PEER        peer; for an epoch its group
//   TAG         tag; for a persistent operation its number
inline constexpr const char* kParameterUnrecorded = "LATECOMER::UNRECORDED";
// Parameters about POSIX threads: a thread lets others go on that wait for an object, went on, or
// arrived at a barrier. The value is the number of the object in its process | a number << 32.
inline constexpr const char* kParametersOfThreads[] = {
    "LATECOMER::THREADS::WAKES", "LATECOMER::THREADS::WOKEN", "LATECOMER::THREADS::ROUND"};
// Event ParameterUnsignedInt in a collective call that sets a property of a file: its handle.
inline constexpr const char* kParameterFileCall = "LATECOMER::FILE_CALL";
inline constexpr const char* kAttributesUnrecorded[] = {
    "LATECOMER::UNRECORDED::OPERATION", "LATECOMER::UNRECORDED::OBJECT",
    "LATECOMER::UNRECORDED::PEER", "LATECOMER::UNRECORDED::TAG"};

// Property of the system tree node of a metahost (string or unsigned integer).
inline constexpr const char* kPropertyMetahostId = "LATECOMER::METAHOST_ID";

// Properties in the logs of processes (records/<rank>.def).
inline constexpr const char* kLogRun = "run";               // random number of the run
inline constexpr const char* kLogEventCost = "event_cost";  // nanoseconds, calibrated
// Number of enters and leaves of the program's regions, from samples.
inline constexpr const char* kLogRegionEvents = "region_events";
inline constexpr const char* kLogRegionTicks = "region_ticks";  // ticks for recording them
// Number of those that a filter left out, from samples.
inline constexpr const char* kLogFilteredEvents = "filtered_events";
inline constexpr const char* kLogFilteredTicks = "filtered_ticks";  // ticks that they took
inline constexpr const char* kLogProcessorTime = "processor_time";  // ns of the whole process
// Nanoseconds, all threads except the first.
inline constexpr const char* kLogThreadCost = "thread_cost";
inline constexpr const char* kLogRecordsLostWhy = "records_lost_why";  // text
inline constexpr const char* kLogStacks = "stacks_unwound";            // number
inline constexpr const char* kLogStackCost = "stack_cost";            // nanoseconds for all of them
inline constexpr const char* kLogSamplesLost = "samples_lost";        // number
inline constexpr const char* kLogSamplesRefused = "samples_refused";  // text
inline constexpr const char* kLogSamplesBySignals = "samples_by_signals";  // text
inline constexpr const char* kLogSampleCost = "sample_cost";               // nanoseconds
inline constexpr const char* kLogSamplesUserOnly = "samples_user_only";    // 1
inline constexpr const char* kLogSwitchesLost = "switches_lost";           // stretches, threads
inline constexpr const char* kLogCounters = "counters";                 // the chosen ones, as text
inline constexpr const char* kLogCountersRefused = "counters_refused";  // text
inline constexpr const char* kLogCountersScaled = "counters_scaled";    // 1
inline constexpr const char* kLogCountersLost = "counters_lost";        // threads
inline constexpr const char* kLogUnknownPython = "unknown_python";      // version
// Calls on files outside MPI: on streams, without access to the file; without a record.
inline constexpr const char* kLogBufferedCalls = "file_calls_in_memory";
inline constexpr const char* kLogFileCallsLeftOut = "file_calls_left_out";
// Names, separated by commas.
inline constexpr const char* kLogFunctionsLeftOut = "mpi_functions_left_out";
inline constexpr const char* kLogTimeLeftOut = "mpi_time_left_out";  // some of them communicate
// A filter is to leave out regions of the program.
inline constexpr const char* kLogFiltersRegions = "filters_regions";
inline constexpr const char* kLogFilteredRegion = "filtered_region";  // and met at least one
inline constexpr const char* kLogAbsent = "absent";  // ranks that take no part, as text
inline constexpr const char* kLogLaunch = "launch";  // LATECOMER_LAUNCH; on rank 0
// "BOOT-ID 0-3,8", cores of the process; the last line counts.
inline constexpr const char* kLogCores = "cores";
// Number, including the first one.
inline constexpr const char* kLogOpenMpThreads = "openmp_threads";
inline constexpr const char* kLogTeams = "teams";  // number of recorded teams of threads
inline constexpr const char* kLogParts = "parts";  // number of experiment directories of the run

}  // namespace latecomer::layout
