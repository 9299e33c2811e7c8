// SPDX-License-Identifier: BSD-3-Clause
// Corrected times against the true ones, which only a generated trace knows.
#include <mpi.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>

#include "analyzer/replay/collectives.hpp"
#include "analyzer/replay/correction.hpp"
#include "analyzer/replay/latencies.hpp"
#include "analyzer/replay/shared_clocks.hpp"
#include "analyzer/trace/archive_reader.hpp"
#include "tests/generator/write_run.hpp"

using namespace latecomer;
using namespace latecomer::test;

namespace {

struct Errors {  // of the times at which messages were sent, ns
  std::int64_t median = 0, largest = 0;
  std::int64_t violations = 0;  // left at the end
};

std::vector<std::int64_t> true_sends(const SyntheticRun& run, std::uint32_t rank) {
  std::vector<std::int64_t> times;
  for (std::uint32_t s = 0; s < run.steps(); ++s) {
    const auto t = run.step(rank, s);
    const std::size_t k = run.directions().size();
    for (std::size_t i = 0; i < k; ++i) times.push_back(run.post(t.exchange, k + i));
    times.push_back(t.shift);
  }
  return times;
}

// One process reads all.
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
  replay::count_instances(definitions, mine);
  replay::CorrectionOptions options;
  options.latency_inside = 2e-6;  // as the generator has it
  const auto topology = replay::find_topology(definitions, options, mine, messages, alone);
  const auto correction = replay::correct_times(definitions, partition, topology,
                                                replay::shared_clocks(*archive, columns, alone),
                                                most, mine, messages, alone);
  std::vector<std::int64_t> errors;
  for (std::uint32_t r = 0; r < mine.size(); ++r) {
    const auto truth = true_sends(run, r);
    REQUIRE(mine[r].sends.size() == truth.size());
    for (std::size_t i = 0; i < truth.size(); ++i) {
      // Node 0 has the true clock; trace times begin with the run.
      errors.push_back(std::abs(mine[r].sends[i].time + run.begin() - truth[i]));
    }
  }
  std::ranges::sort(errors);
  return {errors[errors.size() / 2], errors.back(),
          correction.steps.back().violations.total().all()};
}

}  // namespace

TEST_CASE("times that messages correct are nearer to the truth than those that only offsets do") {
  const auto directory =
      std::filesystem::temp_directory_path() / ("latecomer_truth_" + std::to_string(getpid()));
  for (const char* wander : {"5ppm", "20ppm", "80ppm"}) {
    const SyntheticRun run({.ranks = 16, .events = 400'000, .ranks_per_node = 4});
    std::string models;
    for (int n = 1; n < 4; ++n) {
      models += "node" + std::to_string(n) + " offset=20ms drift=30ppm wander=" + wander +
                "/2ms seed=" + std::to_string(n) + "\n";
    }
    std::filesystem::remove_all(directory);
    write_run(run, directory, {models, 1000});
    const auto linear = errors_of(directory, run, replay::TimeCorrection::kLinear);
    const auto messages = errors_of(directory, run, replay::TimeCorrection::kMessages);
    const auto clc = errors_of(directory, run, replay::TimeCorrection::kClc);
    std::filesystem::remove_all(directory);
    INFO("wander " << wander << ", median / largest error, ns: linear " << linear.median << " / "
                   << linear.largest << ", messages " << messages.median << " / "
                   << messages.largest << ", clc " << clc.median << " / " << clc.largest);
    CHECK(clc.violations == 0);
    CHECK(messages.largest <= linear.largest);
    CHECK(messages.median <= linear.median);
    CHECK(clc.largest <= linear.largest);
    CHECK(clc.median <= linear.median);
  }
}
