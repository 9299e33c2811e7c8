// SPDX-License-Identifier: BSD-3-Clause
// Exact statistics of the waits of each metric, and the worst waits.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "analyzer/memory/segmented_vector.hpp"
#include "analyzer/parallel/processes.hpp"
#include "analyzer/trace/definitions/definitions.hpp"
#include "analyzer/trace/events/location_events.hpp"
#include "patterns/metric/metric.hpp"

namespace latecomer::replay {

// One occurrence of a wait state: a call that waited, or a collective operation with all its waits.
struct Instance {
  trace::Ticks wait = 0;             // sum over all processes
  trace::Ticks enter = 0, exit = 0;  // times of the call; of an operation the extremes
  std::uint32_t call_path = 0;       // call path of `rank` in the report
  std::uint32_t rank = 0;  // world rank that waited; of an operation the one that waited longest
  std::uint32_t cause = trace::kNone;  // world rank
  // Location of `rank` that waited, and communicator of a collective operation.
  std::uint32_t location = trace::kNone, comm = trace::kNone;
  std::uint32_t waiting = 1;            // number of processes that waited
  trace::Ticks begin = 0, longest = 0;  // begin and length of the wait of `rank`
  // True for longer waits; ties go to the lowest rank, then to the earliest.
  [[nodiscard]] bool worse_than(const Instance& other) const;
};

// Statistics of one metric over all processes.
struct MetricStatistics {
  patterns::MetricId metric = 0;
  std::int64_t count = 0;
  trace::Ticks sum = 0, minimum = 0, maximum = 0;
  // Nearest rank: the smallest value that at least a quarter, half, ... of all do not exceed.
  trace::Ticks quartile25 = 0, median = 0, quartile75 = 0;
  double variance = 0;            // population variance in square ticks
  std::vector<Instance> worst;    // at most kWorst, at any call path
  std::vector<Instance> by_path;  // the worst at each call path, at most kPaths
};

// Collects waits. MT: one thread.
class Statistics {
 public:
  static constexpr std::size_t kWorst = 10, kPaths = 5;

  explicit Statistics(std::size_t metrics) : metrics_(metrics) {}

  // Values in four bytes each, if they fit.
  class Values {
   public:
    void push_back(trace::Ticks value) {
      if (value >= 0 && value <= UINT32_MAX) {
        short_.push_back(static_cast<std::uint32_t>(value));
      } else {
        long_.push_back(value);
      }
    }
    [[nodiscard]] std::size_t size() const { return short_.size() + long_.size(); }
    [[nodiscard]] bool empty() const { return size() == 0; }
    // Calls f(value) for each value, in no particular order.
    template <typename F>
    void for_each(F&& f) const {
      short_.for_each([&](std::uint32_t value) { f(trace::Ticks{value}); });
      long_.for_each(f);
    }

   private:
    trace::SegmentedVector<std::uint32_t, memory::Life::kValues> short_;
    trace::SegmentedVector<trace::Ticks, memory::Life::kValues> long_;
  };

  // Adds a single wait of a process.
  void add(patterns::MetricId metric, trace::Ticks wait) { metrics_[metric].waits.push_back(wait); }
  // Sets all single waits of a metric.
  void set(patterns::MetricId metric, Values waits) { metrics_[metric].waits = std::move(waits); }
  // False if a wait of this length is certainly not among the worst. Most are not.
  [[nodiscard]] bool may_keep(patterns::MetricId metric, std::uint32_t call_path,
                              trace::Ticks wait) const {
    const Waits& of = metrics_[metric];
    if (of.worst.size() < kWorst || wait >= of.worst.back().wait) return true;
    if (call_path >= of.path_index.size()) return true;
    const auto index = of.path_index[call_path];
    return index == trace::kNone || wait >= of.by_path[index].wait;
  }
  // Adds a candidate for the worst waits.
  void add(patterns::MetricId metric, const Instance& instance) {
    keep_worst(metrics_[metric], instance);
    keep_by_path(metrics_[metric], instance);
  }

  // The statistics of all metrics with waits, in document order; the same on every process.
  // Collective.
  [[nodiscard]] std::vector<MetricStatistics> find(parallel::Processes& processes) const;

 private:
  // Collected data of one metric.
  struct Waits {
    Values waits;
    std::vector<Instance> worst;    // at most kWorst, sorted
    std::vector<Instance> by_path;  // the worst at each call path, unsorted; found by path_index
    std::vector<std::uint32_t> path_index;
  };
  static void keep_worst(Waits& to, const Instance& instance);
  static void keep_by_path(Waits& to, const Instance& instance);

  std::vector<Waits> metrics_;
};

}  // namespace latecomer::replay
