// SPDX-License-Identifier: BSD-3-Clause
// Drawings of wait states: there is one for each, and it is consistent.
#include "patterns/drawings/drawing.hpp"
#include "patterns/derived/drawings.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "patterns/derived/wait_state_of.hpp"
#include "patterns/metrics.hpp"

using namespace latecomer::patterns;

namespace {

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// All metrics that Latecomer computes with metahosts, threads, and polling.
std::vector<Metric> all_metrics() {
  const std::vector<Metahost> metahosts = {{0, "a"}, {1, "b"}};
  return computed_metrics(metahosts, Paradigms::all());
}

bool has(const Drawing& drawing, Drawing::Kind kind) {
  return std::ranges::any_of(drawing.bars, [&](const auto& bar) { return bar.kind == kind; });
}

// True if the metric needs an explanation of how it arises: it is neither a sum of several nor a
// count.
bool is_wait_or_cause(const Metric& metric, const std::vector<Metric>& all) {
  if (metric.unit != Unit::kSeconds) return false;
  const auto waits = wait_state_names();
  for (const Metric* m = &metric; m != nullptr;) {
    for (const char* root :
         {"delay", "waitstates_propagating_vs_terminal", "waitstates_direct_vs_indirect",
          "critical_path", "performance_impact", "imbalance", "polling", "omp_idle_threads"}) {
      if (m->name == root) return true;
    }
    if (std::ranges::find(waits, m->name) != waits.end()) return true;
    const auto parent = std::ranges::find(all, m->parent, &Metric::name);
    m = parent == all.end() ? nullptr : &*parent;
  }
  for (const char* part : {"barrier_wait", "lock_contention", "_completion", "metahost_pairs_"}) {
    if (metric.name.find(part) != std::string::npos && metric.name != "metahost_pairs") return true;
  }
  return false;
}

}  // namespace

TEST_CASE("no wait state and no cause lacks a drawing") {
  const auto all = all_metrics();
  std::size_t count = 0;
  for (const auto& metric : all) {
    if (!is_wait_or_cause(metric, all)) continue;
    INFO(metric.name);
    const auto drawing = drawing_of(metric.name);
    REQUIRE(drawing);
    CHECK((has(*drawing, Drawing::Kind::kWait) || has(*drawing, Drawing::Kind::kCause)));
    ++count;
  }
  CHECK(count > 150);
  for (const auto& metric : all) {  // no count is drawn as if it were a time
    if (metric.unit != Unit::kSeconds) CHECK_FALSE(drawing_of(metric.name));
  }
}

TEST_CASE("costs show their cause, chains the waits that they count") {
  CHECK(has(*drawing_of("delay_latesender"), Drawing::Kind::kCause));
  CHECK(has(*drawing_of("delay_rma_lock"), Drawing::Kind::kCause));
  for (const auto& metric : all_metrics()) {
    if (!metric.name.starts_with("delay")) continue;
    INFO(metric.name);
    CHECK(has(*drawing_of(metric.name), Drawing::Kind::kCause));
    CHECK(has(*drawing_of(metric.name), Drawing::Kind::kWait));
  }
  const auto waiting_lane = [](const char* metric) {
    const auto drawing = *drawing_of(metric);
    return std::ranges::find(drawing.bars, Drawing::Kind::kWait, &Drawing::Bar::kind)->lane;
  };
  CHECK(waiting_lane("mpi_wait_direct_barrier") == 1);
  CHECK(waiting_lane("mpi_wait_indirect_barrier") == 2);
  CHECK(waiting_lane("mpi_wait_propagating") == 1);
  CHECK(waiting_lane("mpi_wait_terminal") == 2);
}

TEST_CASE("the wait state that a metric is about") {
  for (const auto& [name, wait_state] :
       {std::pair("delay_latesender_longterm", "mpi_latesender"),
        {"delay_n2n_aggregate", "mpi_wait_nxn"},
        {"mpi_wait_indirect_latesender", "mpi_latesender"},
        {"mpi_wait_propagating_ls", "mpi_latesender"},
        {"mpi_wait_terminal_rma_lock", "mpi_rma_sync_lock_competition"},
        {"polling_wait_nxn", "mpi_wait_nxn"},
        {"grid_latesender", "mpi_latesender"},
        {"metahost_pairs_wait_nxn_0_1", "mpi_wait_nxn"},
        {"mpi_lswo_different", "mpi_latesender_wo"},
        {"mpi_slr_count", "mpi_latereceiver"},
        {"omp_ibarrier_wait", "omp_ibarrier_wait"},
        {"delay_ompbarrier_longterm", "omp_ibarrier_wait"},
        {"delay_ompidle", "omp_idle_threads"},
        {"delay_pthreadlock_aggregate", "pthread_lock_contention_mutex_lock"},
        {"mpi_wait_nxn", "mpi_wait_nxn"},
        {"delay_unknown", ""},
        {"mpi_wait_direct", ""},
        {"comp", ""}}) {
    INFO(name);
    CHECK(wait_state_of(name) == wait_state);
  }
  // The page of a wait state has every metric of these trees that names it.
  for (const auto& metric : all_metrics()) {
    for (const char* prefix : {"delay_latesender", "delay_barrier", "mpi_wait_direct_", "polling_",
                               "mpi_wait_terminal_", "grid_wait"}) {
      INFO(metric.name);
      if (metric.name.starts_with(prefix)) CHECK(wait_state_of(metric.name) != "");
    }
  }
}

TEST_CASE("drawings make sense") {
  for (const auto& metric : all_metrics()) {
    const auto& name = metric.name;
    const auto drawing = drawing_of(name);
    if (!drawing) continue;
    INFO(name);
    CHECK(drawing->lanes.size() >= 2);
    std::map<int, int> end;  // bars of a lane follow each other and fill the whole time
    for (const auto& bar : drawing->bars) {
      CHECK(bar.lane < static_cast<int>(drawing->lanes.size()));
      CHECK(bar.from >= end[bar.lane]);
      CHECK(bar.to > bar.from);
      end[bar.lane] = bar.to;
    }
    CHECK(end.size() == drawing->lanes.size());
    for (const auto& [lane, last] : end) CHECK(last == 100);
    for (const auto& arrow : drawing->arrows) {
      CHECK(arrow.lane != arrow.to_lane);
      CHECK(arrow.to > arrow.from);  // messages do not travel back in time
    }
  }
  CHECK_FALSE(drawing_of("visits"));
  CHECK_FALSE(drawing_of(""));
}

TEST_CASE("the picture has all bars, arrows and marks, and is closed") {
  const Drawing drawing{
      {"a < b", "c"},
      {{0, 0, 100, Drawing::Kind::kWork, "R&D"}, {1, 0, 50, Drawing::Kind::kWait, ""}},
      {{0, 10, 1, 40}},
      {{50, "now"}}};
  const auto picture = svg(drawing);
  CHECK(count_of(picture, "<rect class=\"wo") + count_of(picture, "<rect class=\"wait\"") == 2);
  CHECK(count_of(picture, "<line class=\"arrow\"") == 1);
  CHECK(count_of(picture, "<line class=\"mark\"") == 1);
  CHECK(count_of(picture, ">a &lt; b</text>") == 1);
  CHECK(count_of(picture, ">R&amp;D</text>") == 1);
  CHECK(count_of(picture, ">now</text>") == 1);
  CHECK(picture.starts_with("<svg xmlns="));
  CHECK(picture.ends_with("</svg>\n"));
  CHECK(count_of(picture, "<text") == count_of(picture, "</text>"));
}

TEST_CASE("the drawing for a terminal has a line for each lane, and says what its letters mean") {
  const auto text = plain_text(*drawing_of("mpi_latesender"));
  CHECK(text.starts_with("sender    ------------still computes------------===send===------"));
  CHECK(count_of(text, "~waits~") == 1);
  CHECK(count_of(text, "\n") == 3);
  CHECK(text.ends_with("- computes   = in the call   ~ lost time\n"));
  CHECK(count_of(plain_text(*drawing_of("delay_latesender")), "* counts here\n") == 1);
}
