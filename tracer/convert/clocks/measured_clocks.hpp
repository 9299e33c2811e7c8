// SPDX-License-Identifier: BSD-3-Clause
// Clocks of the run: offsets of each process, and what the archive states about them.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "sync/clock_tree.hpp"
#include "sync/latency.hpp"
#include "tracer/convert/clocks/clock_offsets.hpp"
#include "tracer/convert/definitions/unify.hpp"

namespace latecomer::convert {

// Evaluates the measurements in all logs. The offsets are those of the best scheme that was
// measured: hierarchical, otherwise flat, otherwise flat-single.
class Clocks {
 public:
  Clocks() = default;
  explicit Clocks(std::span<const ProcessInput> processes);

  // Offsets of a process; none if its clock is not known.
  [[nodiscard]] ClockOffsets offsets(std::uint32_t rank) const;

  [[nodiscard]] sync::Scheme scheme() const { return scheme_; }
  [[nodiscard]] const std::vector<sync::Latency>& latencies() const { return latencies_; }

  // Leaders by world rank, for processes whose clock is known.
  [[nodiscard]] const std::map<std::uint32_t, sync::ClockId>& leaders() const { return leaders_; }

  // In ascending order of child and moment.
  [[nodiscard]] const std::vector<sync::Measurement>& measurements() const { return measurements_; }

  // Sentences about measurements that were left out.
  [[nodiscard]] const std::vector<std::string>& notes() const { return corrections_.notes; }

 private:
  std::map<std::uint32_t, sync::ClockId> leaders_;
  std::map<std::uint32_t, Nanoseconds> bases_;  // a time of the clock of each process
  std::vector<sync::Measurement> measurements_;
  sync::Scheme scheme_ = sync::Scheme::kHierarchical;
  sync::Corrections corrections_;
  std::vector<sync::Latency> latencies_;
};

}  // namespace latecomer::convert
