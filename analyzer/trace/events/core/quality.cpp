// SPDX-License-Identifier: BSD-3-Clause
// The table of data-quality counters.
#include "analyzer/trace/events/core/quality.hpp"

namespace latecomer::trace {

const QualityInfo& quality_info(Quality quality) {
  static constexpr std::array<QualityInfo, static_cast<std::size_t>(Quality::kCount)> kTable = {{
      {"missing_locations", "thread whose event file could not be opened",
       "threads whose event file could not be opened", "shown with zero time", true},
      {"truncated_locations", "thread whose event file ends early or is damaged",
       "threads whose event file ends early or is damaged", "analyzed up to that point", true},
      {"unread_offsets", "thread whose local definitions (clock offsets) are missing or damaged",
       "threads whose local definitions (clock offsets) are missing or damaged",
       "times may be wrong", true},
      {"event_count_differs", "thread with more or fewer events than the archive announces",
       "threads with more or fewer events than the archive announces", "the file may be incomplete",
       true},
      {"unfinished_processes", "process that never reached MPI_Finalize",
       "processes that never reached MPI_Finalize", "the last calls may be missing", true},
      {"lost_records", "record that could not be stored while the program ran",
       "records that could not be stored while the program ran",
       "a full disk, or too many open files", true},
      {"unmatched_sends", "message without a recorded receive",
       "messages without a recorded receive", "left out of the wait states", true},
      {"unmatched_receives", "receive without a recorded send", "receives without a recorded send",
       "left out of the wait states", true},
      {"unmatched_collectives",
       "collective call that not all processes of the communicator took part in",
       "collective calls that not all processes of the communicator took part in", "left out",
       true},
      {"unresolved_requests", "nonblocking operation whose completion is not in the trace",
       "nonblocking operations whose completion is not in the trace", "", false},
      {"reversed_messages", "message received before it was sent",
       "messages received before they were sent", "the clocks disagree, small waits are uncertain",
       false},
      {"reversed_collectives", "collective call left before the last process had entered",
       "collective calls left before the last process had entered", "the clocks disagree", false},
      {"unbalanced_leaves", "leave record that fits no entered region",
       "leave records that fit no entered region", "ignored", true},
      {"unclosed_regions", "call or function in which the trace ends",
       "calls and functions in which the trace ends", "their time goes up to there", false},
      {"records_outside_mpi", "communication record outside any MPI call",
       "communication records outside any MPI call", "ignored", false},
      {"unknown_references", "record that refers to something the archive does not define",
       "records that refer to something the archive does not define", "ignored", true},
      {"unknown_records", "record of a kind that this OTF2 library does not know",
       "records of a kind that this OTF2 library does not know", "ignored", false},
      {"flushes", "time a trace buffer was written to disk while the program ran",
       "times a trace buffer was written to disk while the program ran", "", false},
      {"recording_pauses", "time recording was off", "times recording was off",
       "what happened then is not in the trace", false},
      {"edge_messages", "message that was recorded on one side only",
       "messages that were recorded on one side only", "the other side did not record", false},
      {"edge_collectives", "collective call that not all of its processes recorded",
       "collective calls that not all of their processes recorded", "the others did not record",
       false},
      {"edge_epochs", "one-sided epoch that not all of its processes recorded",
       "one-sided epochs that not all of their processes recorded", "left out of the wait states",
       false},
      {"unseen_one_sided", "one-sided transfer or lock that was not recorded",
       "one-sided transfers and locks that were not recorded", "waits for them are not seen",
       false},
      {"uneven_gaps", "channel whose messages that were not recorded differ between its sides",
       "channels whose messages that were not recorded differ between their sides",
       "waits on them may be those of other messages", true},
      {"unknown_file_groups", "collective call on a file of which the archive names no processes",
       "collective calls on files of which the archive names no processes",
       "left out of the wait states", false},
      {"other_locations", "event of a device, metric or other location that is no thread",
       "events of devices, metrics and other locations that are no threads", "not analyzed", false},
  }};
  return kTable[static_cast<std::size_t>(quality)];
}

std::string QualityInfo::text(std::int64_t count, const std::string& instead) const {
  const std::string what = count == 1 ? one : many;
  return instead.empty() ? what : what + ": " + instead;
}

}  // namespace latecomer::trace
