// SPDX-License-Identifier: BSD-3-Clause
// Sorts the processes by rank and runs the parts of the unification.
#include "tracer/convert/definitions/unify.hpp"

#include <algorithm>

#include "tracer/convert/definitions/unify_parts.hpp"

namespace latecomer::convert {

Unified unify(std::span<const ProcessInput> processes, std::uint32_t size,
              std::span<const MpiFunction> functions, bool scalasca25) {
  Unified result;
  result.maps.resize(processes.size());
  ProcessOrder order;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    order.push_back({&processes[i], &result.maps[i]});
  }
  std::sort(order.begin(), order.end(), [](const OrderedProcess& a, const OrderedProcess& b) {
    return a.input->rank < b.input->rank;
  });
  unify_system(order, size, result.global);
  unify_regions(order, functions, result.global);
  unify_contexts(order, result.global);
  unify_counters(order, result.global);
  result.unknown_comms = unify_comms(order, size, scalasca25, result.global);
  unify_teams(order, result.global);
  unify_posix_threads(order, result.global);
  unify_windows(order, size, result.global);
  unify_files(order, result.global);
  return result;
}

}  // namespace latecomer::convert
