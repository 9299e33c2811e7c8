// SPDX-License-Identifier: BSD-3-Clause
// Writes a report like that of a large run, to measure the page with: write_large_report REPORT
// [RANKS [CALL_PATHS [worst]]]
//
// 4 metahosts have nodes of 32 ranks. Every second call path computes, the others call MPI, with
// all wait states in turn. Every rank has a value at every call path for each metric that is
// possible there. All values are noise. Real programs have less: processes do not all wait in every
// call, most waits are divided one way only, and counts are equal on many ranks.
//
// "worst": every call path is an MPI_Sendrecv, the call with most metrics, and all wait both ways
// in it. Each wait state has ten worst instances with a large timeline.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <stdexcept>
#include <string>

#include "analyzer/report/cube/write_cube.hpp"
#include "patterns/derived/grid.hpp"
#include "patterns/metrics.hpp"
#include "patterns/waits/wait_state.hpp"

namespace {

using namespace latecomer;

// Pseudo-random numbers, the same on every machine.
class Noise {
 public:
  std::int64_t below(std::int64_t limit) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::int64_t>((state_ >> 33) % static_cast<std::uint64_t>(limit));
  }

 private:
  std::uint64_t state_ = 1;
};

const std::vector<patterns::Metahost> kMetahosts = {
    {0, "aachen"}, {1, "bonn"}, {2, "juelich"}, {3, "koeln"}};

// Ten worst instances of every wait state of the report, each with a timeline of the largest size.
nlohmann::json instances(const report::Definitions& d) {
  nlohmann::json all;
  constexpr std::int64_t kCalls = 80, kLength = 10'000'000;
  Noise noise;
  for (const auto& kind : patterns::wait_kinds()) {
    if (std::ranges::find(d.metrics, kind.wait, &patterns::Metric::name) == d.metrics.end())
      continue;
    nlohmann::json one = {{"count", 10},    {"sum", 5.0},
                          {"mean", 0.5},    {"variance", 0.01},
                          {"minimum", 0.3}, {"quartile25", 0.4},
                          {"median", 0.5},  {"quartile75", 0.55},
                          {"maximum", 0.8}, {"worst", nlohmann::json::array()}};
    for (int i = 0; i < 10; ++i) {
      auto lanes = nlohmann::json::array();
      for (std::int64_t rank = 0; rank < 8; ++rank) {
        auto calls = nlohmann::json::array();
        for (std::int64_t c = 0; c < kCalls; ++c) {
          const auto path = noise.below(static_cast<std::int64_t>(d.call_paths.size()));
          calls.push_back({c * kLength, kLength, path, 1 + c % 3});
        }
        lanes.push_back({{"rank", rank * 11},
                         {"thread", 0},
                         {"calls", std::move(calls)},
                         {"waits", {{20 * kLength, 40 * kLength, kind.wait, 77}}}});
      }
      one["worst"].push_back({{"seconds", 0.4},
                              {"longest", 0.4},
                              {"enter", 1.2 + i},
                              {"exit", 1.6 + i},
                              {"call_path", 1},
                              {"rank", 0},
                              {"cause_rank", 77},
                              {"cause_call_path", 2},
                              {"timeline",
                               {{"from", 1.0 + i},
                                {"to", 1.8 + i},
                                {"lanes", std::move(lanes)},
                                {"messages", nlohmann::json::array()}}}});
    }
    all[std::string(kind.wait)] = std::move(one);
  }
  return all;
}

report::Definitions definitions(std::uint32_t ranks, std::uint32_t call_paths) {
  report::Definitions d;
  d.metrics = patterns::computed_metrics(kMetahosts, {.files = true});
  for (std::uint32_t c = 0; c < call_paths; ++c) {
    const bool mpi = c % 2 == 1;
    d.regions.push_back({c == 0 ? "main" : (mpi ? "MPI_Function_" : "work_") + std::to_string(c),
                         "", mpi ? "MPI" : "large.c", mpi ? "mpi" : "user", "function"});
    // The depth of the tree grows slowly: MPI calls are leaves.
    d.call_paths.push_back({c == 0 ? report::kNone : (c - 1) / 6 * 2, c});
  }
  const std::uint32_t count = static_cast<std::uint32_t>(kMetahosts.size());
  for (const auto& metahost : kMetahosts) {
    d.system.push_back({metahost.name, "machine", report::kNone});
  }
  std::vector<std::uint32_t> nodes(ranks / 32 + 1, report::kNone);
  for (std::uint32_t r = 0; r < ranks; ++r) {
    auto& node = nodes[r / 32];
    if (node == report::kNone) {
      node = static_cast<std::uint32_t>(d.system.size());
      d.system.push_back({"node" + std::to_string(r / 32), "node", r / 32 % count});
    }
    d.processes.push_back({"MPI Rank " + std::to_string(r), r, node});
    d.locations.push_back({"Master thread", 0, r});
  }
  d.document = std::make_shared<const nlohmann::json>(
      nlohmann::json{{"schema_version", 1},
                     {"program", {{"name", "large"}, {"arguments", {"made", "up"}}}},
                     {"run", {{"ranks", ranks}, {"duration", 100.0}}},
                     {"statistics", instances(d)}});
  return d;
}

// Counts of the calls of each wait state. A call path is a function that computes, or an MPI call
// with one wait state.
const std::vector<std::vector<const char*>> kCounts = {
    {"comms_recv", "mpi_cls_count", "mpi_clswo_count", "bytes_rcvd"},
    {"comms_send", "mpi_clr_count", "bytes_sent"},
    {"syncs_coll"},
    {"comms_cxch", "bytes_cout", "bytes_cin"},
    {"comms_csrc", "comms_cdst", "bytes_cout", "bytes_cin"}};

// All values that a call path can have, on every rank.
class Values {
 public:
  explicit Values(const report::Definitions& d)
      : values_(d.metrics.size(), d.call_paths.size(), d.locations.size()), tree_(d.metrics) {}

  [[nodiscard]] report::Severities take() { return std::move(values_); }

  void at(std::uint32_t path, std::uint32_t rank) {
    path_ = path;
    rank_ = rank;
  }

  // Values that any call may have: it delays others, and is on the critical path or not.
  void activity() {
    add("visits", noise_.below(2000));
    for (const char* name :
         {"critical_path_imbalance", "critical_path_activities", "intra_partition_imbalance",
          "inter_partition_imbalance", "non_critical_path_activities"}) {
      add(name, seconds());
    }
  }

  void computation() {
    add("comp", seconds());
    for (const char* name : {"imbalance_above", "imbalance_below"}) add(name, seconds());
    for (const char* kind : {"latesender", "latereceiver", "n2n", "barrier"}) {
      add(std::string("delay_") + kind, seconds());
      add(std::string("delay_") + kind + "_longterm", seconds());
    }
  }

  // Time of a call. A part of it is waiting, which is divided in four ways.
  void call(const patterns::WaitKindNames& kind) {
    const std::string wait(kind.wait), chain(kind.chain), split(kind.split);
    const auto parent = tree_.parent(tree_.id(wait));
    const std::int64_t waited = seconds();
    add(wait, waited);
    add(tree_[parent].name, seconds());
    for (const auto& [name, other] :
         {std::pair("mpi_wait_propagating_" + chain, "mpi_wait_terminal_" + chain),
          {"mpi_wait_direct_" + split, "mpi_wait_indirect_" + split}}) {
      const std::int64_t part = noise_.below(waited + 1);
      add(name, part);
      add(other, waited - part);
    }
    if (const auto grid = tree_.id(patterns::grid_name(wait));
        grid != patterns::MetricTree::kNone) {
      add(tree_[grid].name, noise_.below(waited + 1));
      add(tree_[tree_.parent(grid)].name, seconds());
      std::int64_t left = waited;
      const auto count = static_cast<std::uint32_t>(kMetahosts.size());
      for (std::uint32_t other = 0; other < count; ++other) {
        const auto part = other + 1 < count ? noise_.below(left + 1) : left;
        add(patterns::pair_name(wait, rank_ / 32 % count, other), part);
        left -= part;
      }
    }
  }

  void counts(const std::vector<const char*>& names) {
    for (const char* name : names) add(name, noise_.below(1'000'000));
  }

 private:
  void add(const std::string& name, std::int64_t value) {
    const auto id = tree_.id(name);
    if (id == patterns::MetricTree::kNone) throw std::invalid_argument("no metric " + name);
    for (const auto m : tree_.path(id)) values_.add(m, path_, rank_, value);
  }
  // Nanoseconds to a second; most values lie within three decades.
  std::int64_t seconds() { return noise_.below(1'000'000'000) >> noise_.below(10); }

  report::Severities values_;
  patterns::MetricTree tree_;
  Noise noise_;
  std::uint32_t path_ = 0, rank_ = 0;
};

report::Severities severities(const report::Definitions& d, bool worst) {
  Values values(d);
  // Waits of threads are not divided.
  std::vector<patterns::WaitKindNames> kinds;
  for (const auto& kind : patterns::wait_kinds()) {
    if (!kind.split.empty()) kinds.push_back(kind);
  }
  for (std::uint32_t c = 0; c < d.call_paths.size(); ++c) {
    const auto& kind = kinds[c / 2 % kinds.size()];
    for (std::uint32_t r = 0; r < d.locations.size(); ++r) {
      values.at(c, r);
      values.activity();
      if (worst) {
        for (std::size_t k = 0; k < 2; ++k) {
          values.call(patterns::wait_kinds()[k]);
          values.counts(kCounts[k]);
        }
      } else if (c % 2 == 0) {
        values.computation();
      } else {
        values.call(kind);
        values.counts(kCounts[c / 2 % kCounts.size()]);
      }
    }
  }
  return values.take();
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int status = 2;
  if (argc >= 2) {
    parallel::Processes processes(MPI_COMM_WORLD);
    const auto ranks = argc > 2 ? static_cast<std::uint32_t>(std::atoi(argv[2])) : 1024U;
    const auto d =
        definitions(ranks, argc > 3 ? static_cast<std::uint32_t>(std::atoi(argv[3])) : 200U);
    std::vector<std::uint32_t> columns(d.locations.size());
    std::iota(columns.begin(), columns.end(), 0U);
    const bool worst = argc > 4 && std::string(argv[4]) == "worst";
    const auto written = report::write_cube(d, severities(d, worst), columns, processes, argv[1]);
    status = written ? 0 : 1;
    if (!written) std::fputs(written.problem().text().c_str(), stderr);
  }
  MPI_Finalize();
  return status;
}
