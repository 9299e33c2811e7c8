// SPDX-License-Identifier: BSD-3-Clause
// Finds the metric of each counter, and adds its values.
#include "analyzer/booking/counters.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <tuple>

#include "analyzer/trace/events/counters/counter_builder.hpp"
#include "archive/layout.hpp"

namespace latecomer::replay {
namespace {

using trace::Ticks;

struct KernelCounter {
  const char* counter;
  const char* metric;
  bool is_time;
};
constexpr std::array<KernelCounter, 4> kKernelCounters = {{
    {layout::kMetricPreempted, "comp_preempted", true},
    {layout::kMetricBlocked, "comp_blocked", true},
    {layout::kMetricPageFaults, "page_faults", false},
    {layout::kMetricMigrations, "migrations", false},
}};

const KernelCounter* kernel_counter(const trace::Counter& counter) {
  const auto found = std::ranges::find_if(kKernelCounters, [&](const KernelCounter& one) {
    return counter.name == one.counter && counter.is_time == one.is_time;
  });
  return counter.is_sum && found != kKernelCounters.end() ? &*found : nullptr;
}

// Letters, digits and underscores only.
std::string plain(const std::string& name) {
  std::string out;
  for (const char c : name) {
    const bool is_plain =
        (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    out += is_plain ? static_cast<char>(std::tolower(c)) : '_';
  }
  return out;
}

}  // namespace

std::vector<std::string> metrics_of_counters(const trace::Definitions& definitions) {
  // Counters that are the same, and their metric.
  std::map<std::tuple<std::string, bool, bool>, std::string> known;
  std::set<std::string> taken;
  std::vector<std::string> names;
  for (const auto& counter : definitions.counters) {
    std::string& name = names.emplace_back();
    if (!counter.is_sum || counter.name.empty()) continue;
    if (const KernelCounter* const of_kernel = kernel_counter(counter); of_kernel != nullptr) {
      name = of_kernel->metric;
      continue;
    }
    std::string& metric = known[{counter.name, counter.is_time, counter.is_bytes}];
    for (int i = 1; metric.empty(); ++i) {
      const auto next = "counter_" + plain(counter.name) + (i > 1 ? "_" + std::to_string(i) : "");
      if (taken.insert(next).second) metric = next;
    }
    name = metric;
  }
  return names;
}

std::string metric_of_instructions(const trace::Definitions& definitions) {
  const auto kinds = trace::stretch_counters(definitions);
  const auto found = std::ranges::find(kinds, trace::StretchCounter::kInstructions);
  if (found == kinds.end()) return "";
  return metrics_of_counters(definitions)[static_cast<std::size_t>(found - kinds.begin())];
}

bool has_kernel_counters(const trace::Definitions& definitions) {
  return std::ranges::any_of(definitions.counters, [](const trace::Counter& counter) {
    return kernel_counter(counter) != nullptr;
  });
}

std::vector<patterns::Metric> counter_metrics(const trace::Definitions& definitions) {
  std::vector<patterns::Metric> metrics;
  std::set<std::string> done;
  const auto names = metrics_of_counters(definitions);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto& counter = definitions.counters[i];
    const std::string& name = names[i];
    if (name.empty() || kernel_counter(counter) != nullptr || !done.insert(name).second) continue;
    const auto unit = counter.is_time    ? patterns::Unit::kSeconds
                      : counter.is_bytes ? patterns::Unit::kBytes
                                         : patterns::Unit::kOccurrences;
    const std::string description =
        counter.description.empty() ? "Counted by " + counter.name + "." : counter.description;
    metrics.push_back({name, counter.name, "", unit, description,
                       "A counter of the trace. What it counted between two of its values belongs "
                       "to the call path that was open meanwhile.\n",
                       "", ""});
  }
  return metrics;
}

trace::Ticks time_without_core(const Booking& booking, std::size_t location,
                               std::uint32_t call_path) {
  if (booking.map.blocked == patterns::MetricTree::kNone) return 0;
  return booking.value(booking.map.preempted, location, call_path) +
         booking.value(booking.map.blocked, location, call_path);
}

void book_counters(Booking& booking) {
  const MetricId computation = booking.metrics.id("comp");
  std::vector<MetricId> metrics;
  for (const std::string& name : metrics_of_counters(booking.definitions)) {
    metrics.push_back(name.empty() ? patterns::MetricTree::kNone : booking.metrics.id(name));
  }
  for (std::size_t l = 0; l < booking.mine.size(); ++l) {
    for (const trace::Counted& one : booking.mine[l].counted) {
      const MetricId metric = metrics[one.metric];
      if (metric == patterns::MetricTree::kNone) continue;
      if (booking.metrics.parent(metric) != computation) {
        booking.add_up(metric, l, one.node, one.value);
        continue;
      }
      const auto call_path = booking.tree.from_local[one.node];
      const Ticks left =
          booking.value(computation, l, call_path) - time_without_core(booking, l, call_path);
      booking.add(metric, l, one.node, std::clamp<Ticks>(one.value, 0, std::max<Ticks>(left, 0)));
    }
  }
}

}  // namespace latecomer::replay
