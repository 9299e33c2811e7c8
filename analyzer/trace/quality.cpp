// SPDX-License-Identifier: BSD-3-Clause
// The table of data-quality counters.
#include "analyzer/trace/quality.hpp"

namespace latecomer::trace {

const QualityInfo& quality_info(Quality quality) {
  static constexpr std::array<QualityInfo, static_cast<std::size_t>(Quality::kCount)> kTable = {{
      {"missing_locations",
       "threads whose event file could not be opened: they are shown with zero time", true},
      {"truncated_locations",
       "threads whose event file ends early or is damaged: analyzed up to that point", true},
      {"unread_offsets",
       "threads whose local definitions (clock offsets) are missing or damaged: their times may "
       "be wrong",
       true},
      {"event_count_differs",
       "threads with more or fewer events than the archive announces: the file may be incomplete",
       true},
      {"unfinished_processes",
       "processes that never reached MPI_Finalize: their last calls may be missing", true},
      {"lost_records", "records that could not be stored while the program ran (disk full?)", true},
      {"unmatched_sends", "messages without a recorded receive: left out of the wait states", true},
      {"unmatched_receives", "receives without a recorded send: left out of the wait states", true},
      {"unmatched_collectives",
       "collective calls that not all processes of the communicator took part in: left out", true},
      {"unresolved_requests", "nonblocking operations whose completion is not in the trace", false},
      {"reversed_messages",
       "messages received before they were sent: the clocks disagree, small waits are uncertain",
       false},
      {"reversed_collectives",
       "collective calls left before the last process had entered: the clocks disagree", false},
      {"unbalanced_leaves", "leave records that fit no entered region: ignored", true},
      {"unclosed_regions", "regions that were still open at the end: closed at the end of the run",
       false},
      {"records_outside_mpi", "communication records outside any MPI call: ignored", false},
      {"unknown_references", "records that refer to something the archive does not define: ignored",
       true},
      {"unknown_records", "records of a kind that this OTF2 library does not know: ignored", false},
      {"flushes", "times a trace buffer was written to disk while the program ran", false},
      {"recording_pauses",
       "times recording was switched off: what happened then is not in the trace", false},
  }};
  return kTable[static_cast<std::size_t>(quality)];
}

}  // namespace latecomer::trace
