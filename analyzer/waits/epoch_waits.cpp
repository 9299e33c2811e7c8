// SPDX-License-Identifier: BSD-3-Clause
// Books the waits of matched epochs, on the side of the origin and on that of the target.
#include "analyzer/waits/epoch_waits.hpp"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "analyzer/match/epochs.hpp"
#include "analyzer/waits/last_transfers.hpp"
#include "patterns/waits/early_wait.hpp"
#include "patterns/waits/late_post.hpp"

namespace latecomer::replay {
namespace {

using trace::WindowEvent;

// Books the waits of the hosted locations.
class EpochWaits {
 public:
  EpochWaits(Booking& booking, causes::SyncPoints& points, ClockCheck& clocks,
             std::set<std::uint32_t> incomplete)
      : booking_(booking), points_(points), clocks_(clocks), incomplete_(std::move(incomplete)) {
    for (std::size_t l = 0; l < booking.mine.size(); ++l) column_[booking.mine[l].location] = l;
  }

  // An origin waits for the last post in the first call that was open then. MPI may wait at the
  // start, at a transfer or at the end of the epoch.
  void book(const Epochs::Access& access) {
    const std::size_t l = column_.at(access.location);
    const auto& events = booking_.mine[l];
    const auto& first = events.window_events[access.start];
    std::vector<std::uint32_t> targets;
    for (std::uint32_t i = access.start + 1; i < access.complete; ++i) {
      const auto& step = events.window_events[i];
      if (step.is_transfer() && step.window == first.window) targets.push_back(step.other);
    }
    std::ranges::sort(targets);
    const auto repeated = std::ranges::unique(targets);
    if (knows_all(first)) {
      count_unneeded(l, {access.start, access.complete}, targets.size() - repeated.size());
    }
    const auto late = [&](const WindowEvent& step) {
      const auto& call = events.calls[step.call];
      return patterns::late_post(call.enter, call.leave, access.last_post);
    };
    for (const auto index : {access.complete, access.start}) {
      const auto& step = events.window_events[index];
      if (late(step) == 0) continue;
      return book(booking_.map[patterns::WaitState::kLatePost], l, step.call, late(step),
                  cause_of(access));
    }
    for (std::uint32_t i = access.start + 1; i < access.complete; ++i) {
      const auto& step = events.window_events[i];
      if (!step.is_transfer() || step.window != first.window || late(step) == 0) continue;
      return book(booking_.map[patterns::WaitState::kLatePostOfTransfer], l, step.call, late(step),
                  cause_of(access));
    }
  }

  // A target waits for the last MPI_Win_complete. The part after the last transfer is late
  // completion.
  void book(const Epochs::Exposure& exposure) {
    const std::size_t l = column_.at(exposure.location);
    const auto& events = booking_.mine[l];
    const auto& step = events.window_events[exposure.wait];
    if (knows_all(step)) count_unneeded(l, {exposure.post, exposure.wait}, exposure.origins);
    if (exposure.rank != booking_.rank_of(l)) clocks_.on_needed(step.time, exposure.last_complete);
    if (step.kind != WindowEvent::Kind::kWait) return;  // a test never waits
    const auto& call = events.calls[step.call];
    const Cause cause{exposure.rank, exposure.cause_location, exposure.cause_event,
                      exposure.last_complete};
    const auto wait = patterns::early_wait(call.enter, call.leave, exposure.last_complete);
    book(booking_.map[patterns::WaitState::kEarlyWait], l, step.call, wait, cause);
    if (!knows_all(step)) return;
    const auto complete =
        patterns::late_complete(call.enter, exposure.last_complete, exposure.last_transfer, wait);
    book(booking_.map[patterns::WaitState::kLateComplete], l, step.call, complete, cause);
  }

  void count_edge(std::uint32_t location) {
    booking_.count(trace::Quality::kEdgeEpochs, column_.at(location));
  }

 private:
  // True if all transfers on the window of this step were recorded.
  [[nodiscard]] bool knows_all(const WindowEvent& step) const {
    return !incomplete_.contains(booking_.definitions.windows[step.window].comm);
  }
  // The process and event that were waited for.
  struct Cause {
    std::uint32_t rank, location, event;  // index of window_events
    trace::Ticks time;
  };
  static Cause cause_of(const Epochs::Access& access) {
    return {access.rank, access.cause_location, access.cause_event, access.last_post};
  }
  // Both calls of an epoch synchronize with the whole group, although only `partners` were needed.
  void count_unneeded(std::size_t l, std::initializer_list<std::uint32_t> steps,
                      std::size_t partners) {
    const auto& events = booking_.mine[l];
    for (const auto index : steps) {
      const auto& step = events.window_events[index];
      const auto members = booking_.definitions.groups[step.other].size();
      booking_.add(booking_.map.unneeded, l, events.calls[step.call].node,
                   static_cast<std::int64_t>(members - std::min(partners, members)));
    }
  }
  void book(const WaitMetrics& metrics, std::size_t l, std::uint32_t call, trace::Ticks wait,
            const Cause& cause) {
    const auto& events = booking_.mine[l];
    const bool grid = booking_.metahost_of(cause.rank) != booking_.metahost_of(booking_.rank_of(l));
    booking_.part(metrics, {l, events.calls[call], wait, grid, cause.rank});
    if (metrics.kind) {
      points_.add_wait_for(*metrics.kind, static_cast<std::uint32_t>(l), call, wait,
                           {cause.location, cause.event, cause.time});
    }
  }

  Booking& booking_;
  causes::SyncPoints& points_;
  ClockCheck& clocks_;
  std::map<std::uint32_t, std::size_t> column_;
  std::set<std::uint32_t> incomplete_;  // comms of windows with unrecorded transfers
};

}  // namespace

void book_epoch_waits(Booking& booking, causes::SyncPoints& points, const Partition& partition,
                      ClockCheck& clocks, parallel::Processes& processes) {
  const auto epochs = match_epochs(booking.definitions, partition, booking.mine, processes);
  if (booking.definitions.windows.empty()) return;
  EpochWaits waits(booking, points, clocks,
                   comms_with_unseen_transfers(booking.definitions, booking.mine, processes));
  for (const auto& edge : epochs.edges) waits.count_edge(edge.location);
  for (const auto& access : epochs.accesses) waits.book(access);
  for (const auto& exposure : epochs.exposures) waits.book(exposure);
}

}  // namespace latecomer::replay
