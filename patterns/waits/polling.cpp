// SPDX-License-Identifier: BSD-3-Clause
// The tree of polling, made from the wait states that can be polled for.
#include "patterns/waits/polling.hpp"

#include <algorithm>

#include "patterns/waits/wait_state.hpp"

namespace latecomer::patterns {
std::string polling_name(std::string_view base) {
  if (base.starts_with("mpi_")) base.remove_prefix(4);
  return std::string("polling_") += base;
}

std::vector<Metric> polling_metrics(std::span<const Metric> base) {
  constexpr auto s = Unit::kSeconds;
  std::vector<Metric> out = {
      {"polling", "Polling", "", s, "Time in the MPI_Test family, MPI_Iprobe and MPI_Improbe.",
       "Programs test requests to see whether they are complete, or probe for messages, and "
       "compute meanwhile. Below is the part in which the tests could not succeed, since the "
       "partner had not come yet: it is waiting like that in MPI_Wait, and a part of the wait "
       "states of the same names. The rest is the cost of testing and of the progress that MPI "
       "makes in it.\n"
       "What to try: much time in tests with little waiting says that they are called too often; "
       "much waiting says that there is not enough work between them: then MPI_Wait does the same "
       "and leaves the processor to others.\n"}};
  std::vector<const WaitStateRecord*> polled;
  for (const auto& record : wait_states()) {
    if (record.polling > 0) polled.push_back(&record);
  }
  std::ranges::sort(polled, {}, &WaitStateRecord::polling);
  for (const auto* record : polled) {
    const auto& name = record->metric.name;
    const auto found = std::ranges::find(base, name, &Metric::name);
    if (found == base.end()) continue;
    out.push_back(
        {polling_name(name), found->display, "polling", s,
         "The part of " + found->display + " that was spent in tests.",
         "Unsuccessful test calls, and the one that completed the request, up to the time when it "
         "could complete; the same of probes. Unsuccessful tests belong to the next one at the "
         "same call path that succeeds; which request they asked for is not recorded.\n" +
             found->explanation,
         "sum over the tests of the request of min(end of the wait, leave of the test) - enter of "
         "the test"});
  }
  return out;
}

}  // namespace latecomer::patterns
