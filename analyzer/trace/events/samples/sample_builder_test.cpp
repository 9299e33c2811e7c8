// SPDX-License-Identifier: BSD-3-Clause
// Samples of the computation: their call paths below the open regions, their numbers and weights.
#include "analyzer/trace/events/samples/sample_builder.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "analyzer/trace/events/location_builder.hpp"

using namespace latecomer::trace;

namespace {

enum RegionId : std::uint32_t { kProgram, kMain, kSolve, kPhase, kRelax, kNorm, kRecv, kBarrier };
constexpr std::uint32_t kFast = 3, kSlow = 4, kCounter = 5;  // ids of interrupt generators

struct Fixture {
  Definitions definitions;
  CallTree tree{kProgram};
  LocationBuilder builder;

  Fixture() : builder(make(definitions), tree, 0) {}
  static Definitions& make(Definitions& d) {
    for (const char* name :
         {"prog", "main", "solve", "phase", "relax", "norm", "MPI_Recv", "!$omp barrier"}) {
      Region region;
      region.name = name;
      region.mpi = region.name.starts_with("MPI_");
      region.computation = !region.mpi && !region.name.starts_with("!");
      d.region_ids.add(d.regions.size());
      d.regions.push_back(region);
    }
    d.program_region = kProgram;
    d.off_region = d.flush_region = kNone;
    d.processes.resize(1);
    d.locations.resize(1);
    d.locations[0].process = 0;
    d.properties["LATECOMER::SAMPLES"] = "1";
    for (const std::uint32_t id : {kFast, kSlow, kCounter}) d.generator_ids.add(id);
    d.sample_clocks = {{1'000'000}, {10'000'000, true}, {0}};
    return d;
  }

  // The id of a context with these functions, and a line of the innermost one.
  std::uint32_t stack(const std::vector<RegionId>& functions, std::uint32_t line = kNone) {
    std::uint32_t parent = kNone;
    for (const auto region : functions) {
      const auto id = static_cast<std::uint32_t>(definitions.contexts.size());
      const auto depth = parent == kNone ? 0 : definitions.contexts[parent].depth + 1;
      const bool inside =
          parent != kNone && (definitions.contexts[parent].inside_mpi ||
                              definitions.regions[definitions.contexts[parent].region].mpi);
      definitions.context_ids.add(id);
      definitions.contexts.push_back(
          {.region = region, .parent = parent, .inside_mpi = inside, .depth = depth});
      parent = id;
    }
    definitions.contexts.back().source = line;
    return parent;
  }
  std::string path(std::uint32_t node) const {
    std::string text;
    for (; node != 0; node = tree.nodes()[node].parent) {
      text = "/" + definitions.regions[tree.nodes()[node].region].name + text;
    }
    return text;
  }
  // "call path with the time: call path, function:line count weight in ms", sorted.
  std::vector<std::string> text(const LocationEvents& events) const {
    std::vector<std::string> lines;
    for (const auto& place : events.sampled) {
      const auto function = place.region == kNone ? "?" : definitions.regions[place.region].name;
      lines.push_back(path(place.node) + ": " + path(place.at) + ", " + function + ":" +
                      (place.source == kNone ? "?" : std::to_string(place.source)) + " " +
                      std::to_string(place.count) + " " + std::to_string(place.weight / 1'000'000));
    }
    return lines;
  }
};

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("samples continue the open regions") {
  Fixture f;
  const auto relax = f.stack({kMain, kSolve, kRelax}, 88), main = f.stack({kMain}, 12),
             norm = f.stack({kMain, kSolve, kRelax, kNorm}, 5);
  f.builder.enter(0, kMain);
  f.builder.samples.sample(1, main, kFast);
  f.builder.samples.sample(2, relax, kFast);  // solve is not open: it is below main
  f.builder.enter(3, kSolve);
  f.builder.samples.sample(4, relax, kFast);
  f.builder.samples.sample(5, relax, kSlow);
  f.builder.enter(6, kPhase);  // a region that is no function on the stack
  f.builder.samples.sample(7, norm, kFast);
  f.builder.samples.sample(8, main, kFast);  // solve is no more on the stack, but it is open
  f.builder.leave(9, kPhase);
  f.builder.leave(9, kSolve);
  f.builder.leave(10, kMain);
  auto events = f.builder.finish();
  CHECK(f.text(events) == Lines{"/main: /main, main:12 1 1",
                                "/main: /main/solve/relax, relax:88 1 1",
                                "/main/solve: /main/solve/relax, relax:88 2 11",
                                "/main/solve/phase: /main/solve/phase/relax/norm, norm:5 1 1",
                                "/main/solve/phase: /main/solve/phase, main:12 1 1"});
  CHECK(events.samples_elsewhere == 0);
  // The slow ones are samples in the kernel.
  CHECK(events.sampled[2].in_kernel == 10'000'000);
  CHECK(events.sampled[1].in_kernel == 0);
  CHECK(events.events == 12);
  CHECK(events.quality.values() == QualityCounts().values());
  CHECK(events.time.size() == f.tree.size());
  CHECK(events.visits.back() == 0);
}

TEST_CASE("functions that two calls have in common are not open where a stack lacks them") {
  Fixture f;
  f.definitions.properties["LATECOMER::CALL_PATHS_FROM_STACKS"] = "true";
  for (auto& region : f.definitions.regions) region.paradigm = "compiler";
  f.definitions.regions[kPhase].paradigm = "user";
  const auto sample = [&](const std::vector<RegionId>& functions) {
    f.builder.samples.sample(1, f.stack(functions, 7), kFast);
  };
  f.builder.enter(0, kMain);
  f.builder.enter(0, kPhase);
  f.builder.enter(0, kSolve);
  sample({kMain, kRelax});  // the phase is open, since the program says so; solve is not
  sample({kMain});
  sample({kMain, kSolve, kRelax});
  sample({kRelax});            // nothing is known of its callers
  f.builder.enter(0, kPhase);  // so solve is open
  sample({kMain, kRelax});
  auto events = f.builder.finish();
  const std::string solve = "/main/phase/solve";
  CHECK(f.text(events) == Lines{solve + ": /main/phase/relax, relax:7 1 1",
                                solve + ": /main/phase, main:7 1 1",
                                solve + ": " + solve + "/relax, relax:7 2 2",
                                solve + "/phase: " + solve + "/phase/relax, relax:7 1 1"});
}

TEST_CASE("stacks that are cut, recursive, or end in MPI") {
  Fixture f;
  f.builder.enter(0, kMain);
  f.builder.enter(0, kSolve);
  f.builder.enter(0, kSolve);
  const auto sample = [&](const std::vector<RegionId>& functions) {
    f.builder.samples.sample(1, f.stack(functions, 7), kFast);
  };
  sample({kSolve, kRelax});                       // cut at its outer end
  sample({kMain, kSolve, kSolve, kSolve});        // one more than are open
  sample({kNorm, kMain, kRelax, kSolve, kNorm});  // norm and relax are before an open region
  sample({kMain, kSolve, kSolve, kRecv, kNorm});  // just before the call is recorded
  sample({kRecv});
  sample({});
  auto events = f.builder.finish();
  const std::string open = "/main/solve/solve";
  CHECK(f.text(events) ==
        Lines{open + ": " + open + "/relax, relax:7 1 1",
              open + ": " + open + "/solve, solve:7 1 1", open + ": " + open + "/norm, norm:7 1 1",
              open + ": " + open + ", solve:? 1 1", open + ": " + open + ", ?:? 2 2"});
}

TEST_CASE("samples in calls are only counted, and do not divide rows of polls") {
  Fixture f;
  const auto main = f.stack({kMain}, 12);
  f.builder.samples.sample(0, main, kFast);  // before the first region
  f.builder.enter(10, kMain);
  f.builder.enter(20, kRecv);
  f.builder.samples.sample(25, main, kFast);
  CHECK(f.builder.regions.last() == 20);
  f.builder.leave(30, kRecv);
  f.builder.enter(40, kBarrier);
  f.builder.samples.sample(45, main, kFast);
  f.builder.leave(50, kBarrier);
  f.builder.enter(60, kRecv);
  f.builder.samples.sample(65, main, kFast);
  f.builder.regions.leave_row(70, kRecv, 4, 8);  // four calls, which took 8 together
  auto events = f.builder.finish();
  CHECK(events.visits == std::vector<std::int64_t>{1, 1, 1 + 4, 1});
  CHECK(events.samples_elsewhere == 3);
  CHECK(events.events == 11);
  CHECK(f.text(events) == Lines{": /main, main:12 1 1"});
  // Program, main, MPI_Recv, barrier. Of the row 2 are those of main.
  CHECK(events.time == std::vector<Ticks>{10, 20 + 10 + 2, 10 + 8, 10});
}

TEST_CASE("undefined stacks and periods are counted, and functions have several regions") {
  Fixture f;
  f.definitions.functions = {0, 1, 2, 3, 4, 1, 6, 7};  // "norm" is main with another line
  f.builder.enter(0, kMain);
  f.builder.samples.sample(1, f.stack({kNorm, kRelax}, 3), kFast);
  f.builder.samples.sample(1, 77, kFast);
  f.builder.samples.sample(1, f.stack({kMain}, 3), 99);
  f.builder.samples.sample(1, f.stack({kMain}, 3), kCounter);
  auto events = f.builder.finish();
  CHECK(f.text(events) == Lines{"/main: /main/relax, relax:3 1 1", "/main: /main, ?:? 1 1",
                                "/main: /main, main:3 2 0"});
  CHECK(events.sampled.back().weight == 2);
  CHECK(events.quality[Quality::kUnknownReferences] == 3);
}

TEST_CASE("very deep stacks and call paths cost no more than their samples") {
  Fixture f;
  // Every function of a stack of 20,000 is sampled, in regions nested as deeply.
  const auto innermost = f.stack(std::vector<RegionId>(20'000, kSolve), 1);
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    f.builder.enter(i, kSolve);
    f.builder.samples.sample(i, innermost - i, kFast);
  }
  f.builder.enter(20'000, kMain);
  for (int i = 0; i < 20'000; ++i) {
    f.builder.samples.sample(20'000 + i, innermost - static_cast<std::uint32_t>(i), kFast);
  }
  auto events = f.builder.finish();
  std::uint64_t count = 0;
  for (const auto& place : events.sampled) count += place.count;
  CHECK(count == 40'000);
}
