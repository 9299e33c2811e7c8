// SPDX-License-Identifier: BSD-3-Clause
// Draws metrics about wait states, mostly by changing the drawing of the wait state.
#include "patterns/derived/cause_drawings.hpp"

#include <algorithm>

#include "patterns/derived/drawings.hpp"
#include "patterns/derived/wait_state_of.hpp"

namespace latecomer::patterns {
namespace {

using enum Drawing::Kind;

// The parts of a chain of two waits that a metric counts.
struct Counted {
  bool cause = false, first = false, second = false;
};

// Rank 0 computes longer, so rank 1 waits. Therefore rank 1 is late for rank 2, which waits, too.
Drawing chain(const Counted& counted) {
  const auto wait = [](bool counts) { return counts ? kWait : kCall; };
  return {{"rank 0", "rank 1", "rank 2"},
          {{0, 0, 44, counted.cause ? kCause : kWork, "computes longer"},
           {0, 44, 54, kCall, ""},
           {0, 54, 100, kWork, ""},
           {1, 0, 16, kWork, ""},
           {1, 16, 44, wait(counted.first), "waits"},
           {1, 44, 58, kCall, ""},
           {1, 58, 70, kWork, ""},
           {1, 70, 80, kCall, ""},
           {1, 80, 100, kWork, ""},
           {2, 0, 26, kWork, ""},
           {2, 26, 70, wait(counted.second), "waits"},
           {2, 70, 84, kCall, ""},
           {2, 84, 100, kWork, ""}},
          {{0, 46, 1, 56}, {1, 72, 2, 82}},
          {}};
}

// The wait state with its cause: the bar with a text that ends when the wait does.
Drawing with_cause(Drawing drawing) {
  std::vector<int> ends;
  for (const auto& bar : drawing.bars) {
    if (bar.kind == kWait) ends.push_back(bar.to);
  }
  for (auto& bar : drawing.bars) {
    const bool ends_wait = std::ranges::find(ends, bar.to) != ends.end();
    if (bar.kind == kWork && !bar.text.empty() && ends_wait) bar.kind = kCause;
  }
  return drawing;
}

// The wait state, waited for by repeated tests.
Drawing with_tests(Drawing drawing) {
  for (auto& bar : drawing.bars) {
    if (bar.kind == kWait && !bar.text.empty()) bar.text = "polls";
  }
  return drawing;
}

// Work of three ranks between two barriers, compared with its mean. `above`, `below`: counted
// parts.
Drawing imbalance(bool above, bool below) {
  Drawing drawing{{"rank 0", "rank 1", "rank 2"},
                  {{0, 0, 52, kWork, "computes"},
                   {0, 52, 84, above ? kCause : kWork, "more"},
                   {0, 84, 94, kCall, ""},
                   {0, 94, 100, kWork, ""},
                   {1, 0, 44, kWork, "computes"},
                   {1, 44, 52, below ? kWait : kCall, ""},
                   {1, 52, 94, kCall, ""},
                   {1, 94, 100, kWork, ""},
                   {2, 0, 28, kWork, "computes"},
                   {2, 28, 52, below ? kWait : kCall, "less"},
                   {2, 52, 94, kCall, ""},
                   {2, 94, 100, kWork, ""}},
                  {},
                  {{52, "mean of all ranks"}}};
  return drawing;
}

// One rank of three does something alone, or does not take part. `alone`, `others`: counted parts.
Drawing participation(bool alone, bool others, bool one_works) {
  const auto works = one_works ? "works alone" : "takes part";
  return {{"rank 0", "rank 1", "rank 2"},
          {{0, 0, 70, alone ? kCause : kWork, works},
           {0, 70, 82, kCall, ""},
           {0, 82, 100, kWork, ""},
           {1, 0, 70,
            one_works && others ? kWait
            : one_works         ? kCall
                                : kWork,
            one_works ? "not in it" : "takes part"},
           {1, 70, 82, kCall, ""},
           {1, 82, 100, kWork, ""},
           {2, 0, 70, others ? kWait : kCall, "not in it"},
           {2, 70, 82, kCall, ""},
           {2, 82, 100, kWork, ""}},
          {},
          {}};
}

// The path that determines the end of the run goes from rank to rank. Everything beside it could be
// faster without any effect.
Drawing path(bool on_it, bool beside_it) {
  const auto on = on_it ? kCause : kWork, beside = beside_it ? kWait : kWork;
  return {{"rank 0", "rank 1", "rank 2"},
          {{0, 0, 44, on, "on the path"},
           {0, 44, 54, kCall, ""},
           {0, 54, 100, beside, "beside it"},
           {1, 0, 20, beside, ""},
           {1, 20, 56, kCall, "waits"},
           {1, 56, 72, on, ""},
           {1, 72, 80, kCall, ""},
           {1, 80, 100, beside, ""},
           {2, 0, 32, beside, "beside it"},
           {2, 32, 82, kCall, "waits"},
           {2, 82, 100, on, ""}},
          {{0, 46, 1, 55}, {1, 74, 2, 81}},
          {}};
}

// A wait whose cause is not in the records.
Drawing unknown_cause() {
  return {{"cause", "waits"},
          {{0, 0, 62, kCause, "not known"},
           {0, 62, 74, kCall, ""},
           {0, 74, 100, kWork, ""},
           {1, 0, 20, kWork, ""},
           {1, 20, 62, kWait, "waits"},
           {1, 62, 78, kCall, ""},
           {1, 78, 100, kWork, ""}},
          {{0, 64, 1, 76}},
          {}};
}

std::optional<Drawing> by_name(std::string_view metric) {
  if (metric == "delay_unknown") return unknown_cause();
  if (metric == "critical_path" || metric == "critical_path_activities" ||
      metric == "performance_impact_criticalpath") {
    return path(true, false);
  }
  if (metric == "performance_impact") return path(true, true);
  if (metric == "non_critical_path_activities") return path(false, true);
  if (metric == "critical_path_imbalance" || metric == "critical_imbalance_impact" ||
      metric == "intra_partition_imbalance" || metric == "inter_partition_imbalance" ||
      metric == "imbalance_above") {
    return imbalance(true, false);
  }
  if (metric == "imbalance") return imbalance(true, true);
  if (metric == "imbalance_below") return imbalance(false, true);
  if (metric == "imbalance_above_single") return participation(true, false, true);
  if (metric == "imbalance_below_singularity") return participation(false, true, true);
  if (metric == "imbalance_below_bypass") return participation(false, true, false);
  if (metric == "polling") return with_tests(*drawing_of("mpi_latesender"));
  return {};
}

}  // namespace

std::optional<Drawing> cause_drawing_of(std::string_view metric) {
  if (auto named = by_name(metric)) return named;
  const auto base = wait_state_of(metric);
  if (metric.starts_with("polling_")) {
    return base.empty() ? std::nullopt : std::optional(with_tests(*drawing_of(base)));
  }
  if (metric == "delay" || metric.starts_with("delay_")) {
    if (metric.ends_with("_longterm")) return chain({.cause = true, .second = true});
    // Groups of metrics, and metrics of short-term and long-term costs together.
    if (base.empty() || metric.ends_with("_aggregate")) {
      return chain({.cause = true, .first = true, .second = true});
    }
    return with_cause(*drawing_of(base));
  }
  if (metric.starts_with("waitstates_")) return chain({.first = true, .second = true});
  if (metric.starts_with("mpi_wait_propagating")) return chain({.first = true});
  if (metric.starts_with("mpi_wait_terminal")) return chain({.second = true});
  if (metric.starts_with("mpi_wait_direct")) return chain({.first = true});
  if (metric.starts_with("mpi_wait_indirect")) return chain({.second = true});
  return {};
}

}  // namespace latecomer::patterns
