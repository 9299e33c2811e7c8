// SPDX-License-Identifier: BSD-3-Clause
// What delays cost: from each wait to the call paths that caused it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzer/causes/delays.hpp"
#include "analyzer/causes/wait_graph.hpp"
#include "analyzer/parallel/processes.hpp"
#include "analyzer/replay/booking.hpp"
#include "analyzer/replay/cause_metrics.hpp"
#include "analyzer/trace/flat_index.hpp"

namespace latecomer::replay {

class DelayCosts {
 public:
  DelayCosts(Booking& booking, const causes::SyncPoints& points, const causes::Delays& delays,
             const CauseMetrics& metrics);

  // The next waits, up to number `last` from the end; `chains` tells what they carry.
  void book(std::size_t last, const causes::Chains& chains);
  // After all waits: costs go to the hosts of those that caused them. Collective.
  void end(parallel::Processes& processes);

 private:
  // Costs of locations anywhere, summed before they travel. Slots: kinds of waits, short-term
  // costs first.
  struct Cost {
    std::uint32_t location = 0, slot = 0, call_path = 0;
    trace::Ticks value = 0;
  };
  void add(std::uint32_t location, std::size_t slot, std::uint32_t call_path, trace::Ticks value);
  void send(parallel::Processes& processes);
  void book_rest();

  Booking& booking_;
  const causes::SyncPoints& points_;
  const causes::Delays& delays_;
  const CauseMetrics& metrics_;
  std::size_t booked_ = 0;
  trace::FlatIndex<trace::IntKey> index_;
  std::vector<Cost> costs_;
};

}  // namespace latecomer::replay
