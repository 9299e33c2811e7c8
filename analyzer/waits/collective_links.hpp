// SPDX-License-Identifier: BSD-3-Clause
// Dependencies between processes in collective operations.
#pragma once

#include <cstddef>

#include "analyzer/causes/sync_points.hpp"
#include "analyzer/match/collectives.hpp"
#include "analyzer/waits/participant.hpp"

namespace latecomer::replay {

// Adds sync points of collective operations. They follow from the participation of one hosted
// location and the summary of all. In nonblocking operations one process waited for another one
// that started its part too late, whatever the class of the operation.
class CollectiveLinks {
 public:
  using WaitKind = patterns::WaitKind;
  using Who = CollectiveSummary::Who;

  explicit CollectiveLinks(causes::SyncPoints& points) : points_(points) {}

  // A barrier or N-to-N operation: no process left before the last one came. If the clocks
  // contradict this, no point is added. `completion` does not count as a process's own time.
  void meeting(WaitKind kind, const Participant& one, trace::Ticks wait, trace::Ticks completion,
               const Who& last, trace::Ticks earliest_end);
  // An operation in which one process waited for another one.
  void pair(WaitKind kind, const Participant& one, trace::Ticks wait, const Who& cause);
  // The two waits of the root of an N-to-1 operation, one after the other.
  struct RootWaits {
    trace::Ticks first = 0, last = 0;  // for the first contribution, then for the last one
  };
  // An N-to-1 operation. The critical path continues at the last sender.
  void reduction(const Participant& one, const CollectiveSummary& all, bool is_root,
                 const RootWaits& waits);

  // The wait of a call that completes a nonblocking operation. `polled`: the part of the wait in
  // tests before the call. `goes_on`: the root waits for the first contributor, and then for the
  // last one: last_contribution().
  void completion(WaitKind kind, const Participant& one, trace::Ticks wait, trace::Ticks polled,
                  const Who& cause, bool goes_on = false);
  void last_contribution(const Participant& one, trace::Ticks wait, trace::Ticks polled,
                         const Who& first, const Who& last);

 private:
  [[nodiscard]] static causes::Wait wait_of(WaitKind kind, const Participant& one,
                                            trace::Ticks wait, const Who& cause);
  void meet(WaitKind kind, const Participant& one, trace::Ticks wait, trace::Ticks over);
  [[nodiscard]] static trace::Ticks all_there(const Participant& one, const Who& last,
                                              trace::Ticks earliest_end);

  causes::SyncPoints& points_;
};

}  // namespace latecomer::replay
