// SPDX-License-Identifier: BSD-3-Clause
// Writes a report as of a large run, to measure the page with: write_large_report REPORT [RANKS
// [CALL_PATHS]]
//
// 4 metahosts with nodes of 32 ranks. Every second call path computes, the others call MPI; each of
// them has times of its own on every rank, a wait state in two thirds of the ranks, and counts. All
// metrics. Of each wait state ten worst instances with a large timeline.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>

#include "analyzer/report/write_cube.hpp"
#include "patterns/metrics.hpp"
#include "patterns/wait_kind.hpp"

namespace {

using namespace latecomer;

// Any numbers without pattern, the same on every machine.
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

// Ten worst instances of every wait state, each with as large a timeline as there can be.
void add_instances(report::Definitions& d) {
  constexpr std::int64_t kCalls = 80, kLength = 10'000'000;
  Noise noise;
  for (const auto& kind : patterns::kWaitKinds) {
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
    d.extras["statistics"][std::string(kind.wait)] = std::move(one);
  }
}

report::Definitions definitions(std::uint32_t ranks, std::uint32_t call_paths) {
  report::Definitions d;
  d.metrics = patterns::computed_metrics(kMetahosts);
  for (std::uint32_t c = 0; c < call_paths; ++c) {
    const bool mpi = c % 2 == 1;
    d.regions.push_back({c == 0 ? "main" : (mpi ? "MPI_Function_" : "work_") + std::to_string(c),
                         "", mpi ? "MPI" : "large.c", mpi ? "mpi" : "user", "function"});
    // A tree whose depth grows slowly: MPI calls are leaves.
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
  d.extras = {{"schema_version", 1},
              {"program", {{"name", "large"}, {"arguments", {"made", "up"}}}},
              {"run", {{"ranks", ranks}, {"duration", 100.0}}}};
  add_instances(d);
  return d;
}

report::Severities severities(const report::Definitions& d) {
  report::Severities s(d.metrics.size(), d.call_paths.size(), d.locations.size());
  const patterns::MetricTree tree(d.metrics);
  // Metrics that no other is a part of: in them time ends up.
  std::vector<std::uint32_t> waits, counts;
  for (std::uint32_t m = 0; m < d.metrics.size(); ++m) {
    bool leaf = true;
    for (const auto& other : d.metrics) leaf = leaf && other.parent != d.metrics[m].name;
    if (!leaf || d.metrics[m].name == "comp") continue;
    (d.metrics[m].unit == patterns::Unit::kSeconds ? waits : counts).push_back(m);
  }
  Noise noise;
  const auto add = [&](std::uint32_t metric, std::uint32_t path, std::uint32_t rank,
                       std::int64_t v) {
    for (const auto m : tree.path(metric)) s.add(m, path, rank, v);
  };
  for (std::uint32_t c = 0; c < d.call_paths.size(); ++c) {
    for (std::uint32_t r = 0; r < d.locations.size(); ++r) {
      s.add(tree.id("visits"), c, r, 1 + noise.below(2000));
      if (c % 2 == 0) {
        add(tree.id("comp"), c, r, noise.below(1'000'000'000));
        continue;
      }
      add(tree.parent(waits[c % waits.size()]), c, r, noise.below(50'000'000));
      // Two wait states and four counts for each call path, of all that there are in turn.
      for (std::uint32_t k = 0; k < 2; ++k) {
        if (noise.below(3) > 0) {
          add(waits[(2 * c + k) % waits.size()], c, r, noise.below(20'000'000));
        }
      }
      for (std::uint32_t k = 0; k < 4; ++k) {
        add(counts[(4 * c + k) % counts.size()], c, r, noise.below(100'000));
      }
    }
  }
  return s;
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
    const auto written = report::write_cube(d, severities(d), columns, processes, argv[1]);
    status = written ? 0 : 1;
    if (!written) std::fputs(written.problem().text().c_str(), stderr);
  }
  MPI_Finalize();
  return status;
}
