// SPDX-License-Identifier: BSD-3-Clause
// The costs of delays, from each wait to the call paths that caused it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "analyzer/attribution/cause_metrics.hpp"
#include "analyzer/booking/booking.hpp"
#include "analyzer/causes/delays.hpp"
#include "analyzer/causes/wait_graph.hpp"
#include "analyzer/memory/flat_index.hpp"
#include "analyzer/parallel/processes.hpp"

namespace latecomer::replay {

// The known parts of the delay costs of a location at a call path. Each delay has its own part in
// it: cause minus waiter, since both were last in step.
struct DelayPart {
  causes::ExcessParts sums;
  causes::PlaceSums places;
};
// Parts by hosted location and call path of the global call tree. A call path that is missing has
// no cost of which anything is known.
using DelayParts = std::vector<std::unordered_map<std::uint32_t, DelayPart>>;

// Sums of costs. Book waits in portions with book(), then call end() once.
class DelayCosts {
 public:
  DelayCosts(Booking& booking, const causes::SyncPoints& points, const causes::Delays& delays,
             const CauseMetrics& metrics);

  // Books the next waits, up to number `last` from the end. `chains` has the costs they carry.
  void book(std::size_t last, const causes::Chains& chains);
  // Sends costs to the processes that host their causes. Call after all waits. Returns what is
  // known of the parts of delay costs. Collective.
  [[nodiscard]] DelayParts end(parallel::Processes& processes);

 private:
  // Slots of sums, one range per kind of sum and one slot per kind of waits. Costs may belong to
  // any location and are sent at the end. The other slots describe hosted waits.
  static constexpr std::size_t kKinds = patterns::kWaitKindCount;
  static constexpr std::size_t kShort = 0, kLong = kKinds, kIndirect = 2 * kKinds,
                               kPropagating = 3 * kKinds, kUnknown = 4 * kKinds,
                               kSlots = kUnknown + 1;
  // Sums of a location in a slot, for kInRow successive call paths.
  static constexpr std::uint32_t kInRow = 32;
  struct Row {
    std::uint32_t location = 0, slot = 0, first = 0;
    std::array<trace::Ticks, kInRow> sums{};
  };
  // A sum on its way to the process that hosts its location.
  struct Cost {
    std::uint32_t location = 0, slot = 0, call_path = 0;
    trace::Ticks value = 0;
  };
  [[nodiscard]] Row& row_of(std::uint32_t location, std::size_t slot, std::uint32_t call_path);
  void add(std::uint32_t location, std::size_t slot, std::uint32_t call_path, trace::Ticks value) {
    if (value != 0) row_of(location, slot, call_path).sums[call_path % kInRow] += value;
  }
  void add_costs(std::size_t wait, std::uint32_t location, std::size_t slot, trace::Ticks cost);
  [[nodiscard]] patterns::MetricId metric_of(std::uint32_t slot) const;
  void add_parts(std::uint32_t location, std::uint32_t call_path, const causes::ExcessParts& parts,
                 std::span<const causes::ExcessPlace> places, trace::Ticks charged,
                 trace::Ticks cost, trace::Ticks sum);
  void send(parallel::Processes& processes);
  [[nodiscard]] DelayParts send_parts(parallel::Processes& processes);
  void book_rest();

  Booking& booking_;
  const causes::SyncPoints& points_;
  const causes::Delays& delays_;
  const CauseMetrics& metrics_;
  std::size_t booked_ = 0;
  trace::FlatIndex<trace::IntKey> index_;
  std::vector<Row> rows_;
  // Parts of delay costs of a location at a call path.
  struct Parts {
    std::uint32_t location = 0, call_path = 0;
    DelayPart all;
  };
  trace::FlatIndex<trace::IntKey> parts_index_;
  std::vector<Parts> parts_;
};

}  // namespace latecomer::replay
