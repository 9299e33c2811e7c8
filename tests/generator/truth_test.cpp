// SPDX-License-Identifier: BSD-3-Clause
// Corrected times compared with the true ones, which only a generated trace has.
#include <mpi.h>

#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>
#include <filesystem>

#include "analyzer/clocks/correction.hpp"
#include "analyzer/clocks/latencies.hpp"
#include "analyzer/clocks/shared_clocks.hpp"
#include "analyzer/match/collectives.hpp"
#include "analyzer/trace/archive_reader.hpp"
#include "patterns/calls/collective_class.hpp"
#include "tests/generator/write_run.hpp"

using namespace latecomer;
using namespace latecomer::test;

namespace {

struct Errors {  // errors of the times of sends and of enters of collective operations, ns
  std::int64_t median = 0, most = 0, largest = 0;  // most: 99 of 100 are not larger
  std::int64_t violations = 0;                     // left at the end
};

// True times of a rank's sends, then of its allreduces and barriers.
std::vector<std::int64_t> true_times(const SyntheticRun& run, std::uint32_t rank) {
  std::vector<std::int64_t> times;
  for (std::uint32_t s = 0; s < run.steps(); ++s) {
    const auto t = run.step(rank, s);
    const std::size_t k = run.directions().size();
    for (std::size_t i = 0; run.has_halo() && i < k; ++i) {
      times.push_back(run.post(t.exchange, k + i));
    }
    if (run.has_shift()) times.push_back(t.shift);
  }
  for (std::uint32_t s = 0; s < run.steps(); ++s) {
    const auto t = run.step(rank, s);
    if (run.has_allreduce(s)) times.push_back(t.allreduce);
    if (run.has_barrier(s)) times.push_back(t.barrier);
  }
  return times;
}

std::vector<std::int64_t> found_times(const trace::LocationEvents& events) {
  std::vector<std::int64_t> times;
  for (const auto& send : events.sends) times.push_back(send.time);
  for (const auto& own : events.collectives) {
    const auto operation = events.kinds[own.kind].operation;
    using enum patterns::CollectiveOperation;
    const auto kind = static_cast<patterns::CollectiveOperation>(operation);
    if (kind == kAllreduce || kind == kBarrier) {
      times.push_back(own.begin);
    }
  }
  return times;
}

// One process reads all locations.
Errors errors_of(const std::filesystem::path& directory, const SyntheticRun& run,
                 replay::TimeCorrection most) {
  parallel::Processes alone(MPI_COMM_SELF);
  auto archive = trace::ArchiveReader::open(directory);
  REQUIRE(archive);
  const auto& definitions = archive->definitions();
  const replay::Partition partition(definitions, 1);
  const auto columns = partition.locations_of(definitions, 0);
  archive->select(columns);
  trace::CallTree tree(definitions.program_region);
  std::vector<trace::LocationEvents> mine;
  for (const auto l : columns) mine.push_back(archive->read(l, tree, [](std::uint64_t) {}));
  replay::MatchedMessages messages(definitions, partition, mine, alone);
  replay::count_instances(definitions, mine, alone);
  replay::CorrectionOptions options;
  options.latency_inside = 2e-6;  // the latency of the generator
  const auto topology = replay::find_topology(definitions, options, mine, messages, alone);
  const auto correction = replay::correct_times(definitions, partition, topology,
                                                replay::shared_clocks(*archive, columns, alone),
                                                most, mine, messages, alone);
  std::vector<std::int64_t> errors;
  for (std::uint32_t r = 0; r < mine.size(); ++r) {
    const auto truth = true_times(run, r);
    const auto found = found_times(mine[r]);
    REQUIRE(found.size() == truth.size());
    for (std::size_t i = 0; i < truth.size(); ++i) {
      // Node 0 has the true clock; trace times begin with the run.
      errors.push_back(std::abs(found[i] + run.begin() - truth[i]));
    }
  }
  std::ranges::sort(errors);
  return {errors[errors.size() / 2], errors[errors.size() * 99 / 100], errors.back(),
          correction.steps.back().violations.total().all()};
}

struct Case {
  const char* name;
  RunOptions run;
  const char* clocks;  // fields of a clock model; each node has its own seed
};

const Case kCases[] = {
    {"even drift", {.ranks = 16, .events = 200'000, .ranks_per_node = 4}, "drift=30ppm"},
    {"slow wander, dense traffic",
     {.ranks = 16, .events = 400'000, .ranks_per_node = 4},
     "offset=20ms drift=30ppm wander=5ppm/2ms"},
    {"wander, dense traffic",
     {.ranks = 16, .events = 400'000, .ranks_per_node = 4},
     "offset=20ms drift=30ppm wander=20ppm/2ms"},
    {"strong wander, dense traffic",
     {.ranks = 16, .events = 400'000, .ranks_per_node = 4},
     "offset=20ms drift=-30ppm wander=80ppm/2ms"},
    {"wander, halo only",
     {.ranks = 12, .events = 300'000, .pattern = Pattern::kHalo, .ranks_per_node = 2},
     "wander=20ppm/2ms"},
    {"wander, collectives only",
     {.ranks = 12, .events = 100'000, .pattern = Pattern::kAllreduce, .ranks_per_node = 2},
     "wander=20ppm/2ms"},
    {"wander, two metahosts",
     {.ranks = 16, .events = 400'000, .metahosts = 2, .ranks_per_node = 4},
     "offset=-1ms drift=10ppm wander=40ppm/5ms"},
    {"wander, sparse traffic",
     {.ranks = 16, .events = 8'000, .ranks_per_node = 4},
     "drift=5ppm wander=80ppm/1ms"},
    {"jumps", {.ranks = 16, .events = 400'000, .ranks_per_node = 4}, "jump=5us@10ms jump=2us@20ms"},
};

}  // namespace

TEST_CASE("corrected times are nearer to the truth than those that only offsets correct") {
  const auto directory =
      std::filesystem::temp_directory_path() / ("latecomer_truth_" + std::to_string(getpid()));
  std::printf("%-30s %26s %26s %26s\n", "median / 99 % / largest, ns", "linear", "messages", "clc");
  for (const auto& c : kCases) {
    const SyntheticRun run(c.run);
    std::string models;
    for (int n = 1; n < 8; ++n) {
      models += "node" + std::to_string(n) + " " + c.clocks + " seed=" + std::to_string(n) + "\n";
    }
    std::filesystem::remove_all(directory);
    write_run(run, directory, {models, 1000});
    const auto linear = errors_of(directory, run, replay::TimeCorrection::kLinear);
    const auto messages = errors_of(directory, run, replay::TimeCorrection::kMessages);
    const auto clc = errors_of(directory, run, replay::TimeCorrection::kClc);
    std::filesystem::remove_all(directory);
    std::printf("%-30s", c.name);
    for (const auto& e : {linear, messages, clc}) {
      std::printf(" %8ld %8ld %8ld", e.median, e.most, e.largest);
    }
    std::printf("\n");
    INFO(c.name);
    CHECK(clc.violations == 0);
    CHECK(clc.median <= linear.median);
    CHECK(clc.most <= linear.most);
    if (std::string_view(c.name) == "slow wander, dense traffic") {
      CHECK(4 * clc.median <= linear.median);
      CHECK(4 * clc.largest <= linear.largest);
    }
    CHECK(clc.largest <= linear.largest + (c.run.metahosts > 1 ? 50'000 : 2'000));  // + latency
  }
}
