// SPDX-License-Identifier: BSD-3-Clause
// Prints statistics of waits, and converts them to seconds for the report.
#include "analyzer/replay/statistics_output.hpp"

#include <array>
#include <cstdio>

namespace latecomer::replay {
namespace {

// Viewers of CUBE reports expect these columns only from so many values on.
constexpr std::int64_t kFewestForVariance = 2, kFewestForQuartiles = 5;

template <typename... T>
std::string printed(const char* format, T... values) {
  std::array<char, 512> text{};
  std::snprintf(text.data(), text.size(), format, values...);
  return text.data();
}

// Converts to seconds. All values derived from ticks use the same division.
class Seconds {
 public:
  explicit Seconds(std::uint64_t ticks_per_second)
      : ticks_per_second_(static_cast<double>(ticks_per_second)) {}
  [[nodiscard]] double of(trace::Ticks t) const {
    return static_cast<double>(t) / ticks_per_second_;
  }
  [[nodiscard]] double mean(const MetricStatistics& one) const {
    return of(one.sum) / static_cast<double>(one.count);
  }
  [[nodiscard]] double variance(const MetricStatistics& one) const {
    return one.variance / (ticks_per_second_ * ticks_per_second_);
  }

 private:
  double ticks_per_second_;
};

}  // namespace

std::string statistics_text(std::span<const MetricStatistics> statistics,
                            const patterns::MetricTree& metrics, std::uint64_t ticks_per_second) {
  const Seconds seconds(ticks_per_second);
  std::string text =
      "PatternName               Count      Mean    Median      Minimum      Maximum      Sum     "
      "Variance    Quartil25    Quartil75\n";
  for (const auto& one : statistics) {
    text += printed("%-26s %9lld %.10f %.10f %.10f %.10f %.10f", metrics[one.metric].name.c_str(),
                    static_cast<long long>(one.count), seconds.mean(one), seconds.of(one.median),
                    seconds.of(one.minimum), seconds.of(one.maximum), seconds.of(one.sum));
    if (one.count >= kFewestForVariance) text += printed(" %.10f", seconds.variance(one));
    if (one.count >= kFewestForQuartiles) {
      text += printed(" %.10f %.10f", seconds.of(one.quartile25), seconds.of(one.quartile75));
    }
    text += "\n";
    for (const auto& instance : one.by_path) {
      text += printed("- cnode %u enter: %.10f exit: %.10f duration: %.10f rank: %u\n",
                      instance.call_path, seconds.of(instance.enter), seconds.of(instance.exit),
                      seconds.of(instance.wait), instance.rank);
    }
    text += "\n";
  }
  return text;
}

report::AllWaitStatistics wait_statistics(std::span<const MetricStatistics> statistics,
                                          const patterns::MetricTree& metrics,
                                          std::uint64_t ticks_per_second) {
  const Seconds seconds(ticks_per_second);
  report::AllWaitStatistics all;
  for (const auto& one : statistics) {
    auto& to = all[metrics[one.metric].name];
    to = {.count = one.count,
          .sum = seconds.of(one.sum),
          .mean = seconds.mean(one),
          .variance = seconds.variance(one),
          .minimum = seconds.of(one.minimum),
          .quartile25 = seconds.of(one.quartile25),
          .median = seconds.of(one.median),
          .quartile75 = seconds.of(one.quartile75),
          .maximum = seconds.of(one.maximum),
          .worst = {}};
    for (const auto& instance : one.worst) {
      auto& wait = to.worst.emplace_back();
      wait.seconds = seconds.of(instance.wait);
      wait.longest = seconds.of(instance.longest);
      wait.enter = seconds.of(instance.enter);
      wait.exit = seconds.of(instance.exit);
      wait.call_path = instance.call_path;
      wait.rank = instance.rank;
      if (instance.cause != trace::kNone) wait.cause_rank = instance.cause;
      if (instance.comm != trace::kNone) wait.waiting_ranks = instance.waiting;
    }
  }
  return all;
}

}  // namespace latecomer::replay
