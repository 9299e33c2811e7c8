// SPDX-License-Identifier: BSD-3-Clause
// The table of options of latecomer-analyzer.
#include "analyzer/cli/analyzer_options.hpp"

namespace latecomer::cli {

const std::vector<Option>& analyzer_options() {
  static const std::vector<Option> options = {
      {"output", "o", "FILE", "report to write (default: EXPERIMENT/analysis.cubex)"},
      {"time-correction",
       "",
       "STEP",
       "how far clocks are corrected where messages come too early: none (times as the clocks "
       "showed them), linear (measured offsets only), messages (and the drift that messages show) "
       "or clc (and the controlled logical clock; the default)",
       false,
       false,
       {"none", "linear", "messages", "clc"}},
      {"sync-scheme",
       "",
       "SCHEME",
       "use the offsets measured by this scheme (flat-single, flat or hierarchical), of a run that "
       "was recorded with LATECOMER_SYNC=all",
       false,
       false,
       {"flat-single", "flat", "hierarchical"}},
      {"write-corrected", "", "DIR",
       "write an archive with corrected times into this new directory, for any reader of OTF2"},
      {"timeline", "", "FILE",
       "instead of a report, write calls, messages and waits over time, for Perfetto"},
      {"from", "", "TIME", "begin of that timeline since the begin of the run: 1.5s, 200ms"},
      {"to", "", "TIME", "its end"},
      {"ranks", "", "LIST", "its ranks: 0-7,12"},
      {"what-if", "", "CHANGE",
       "instead of a report, print what a change of the run would bring: 'speed work x2', 'balance "
       "work', 'latency x0.5', 'bandwidth x2', 'no-wait-for-io', 'eager-limit 64K'",
       true},
      {"json", "", "", "print that prediction as JSON"},
      {"overhead",
       "",
       "METHOD",
       "what is taken out of the times that measuring took: none (the default), local (of each "
       "process its own), or parallel (and the delays that it handed on)",
       false,
       false,
       {"none", "local", "parallel"}},
      {"compensate", "", "", "short for --overhead parallel"},
      {"event-cost", "", "NS",
       "nanoseconds that each enter and leave took, for traces that do not say"},
      {"min-latency", "", "A[,B]",
       "shortest time of a message between nodes, or with a second value also between metahosts, "
       "e.g. 1.5us,500us (default: as measured)"},
      {"eager-limit", "", "BYTES",
       "bytes up to which MPI_Send never waits for its receiver (default: what the trace shows)"},
      {"memory", "", "SIZE",
       "memory of a node that the trace's data may take, such as 8G; the rest lies in a file "
       "(default: 80 % of what is available)"},
      {"spill-directory", "", "DIR",
       "where that file is (default: $TMPDIR if that is on a disk, else the report's directory)"},
      {"scalasca-compatible", "", "", "base rules wherever Latecomer's own would change a number"},
      {"verbose", "v", "", "print phases with seconds, events and memory"},
      {"quiet", "q", "", "print problems only"},
      {"progress", "", "", "show how far it is although stderr is no terminal"},
      {"help", "h", "", "print this text"},
      {"version", "", "", "print the version"},
  };
  return options;
}

}  // namespace latecomer::cli
