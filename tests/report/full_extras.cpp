// SPDX-License-Identifier: BSD-3-Clause
// Fills the statements of a report with small numbers.
#include "tests/report/full_extras.hpp"

namespace latecomer::test {
namespace {

report::Clocks clocks() {
  report::Clocks out;
  out.count = 2;
  out.latency = {.node = 1e-9, .metahost = 2e-6, .external = 5e-4};
  out.scheme = "hierarchical";
  auto& step = out.steps.emplace_back();
  step.name = "linear";
  step.violations = {
      .messages = 12, .reversed_messages = 3, .collectives = 1, .reversed_collectives = 0};
  step.largest = 4e-5;
  step.sum = 9e-5;
  step.pairs.push_back({"bonn", "juelich", step.violations});
  out.moved = {
      .events = 4711, .largest_shift = 4.1e-5, .largest_growth = 1e-5, .interval_distortion = 0.4};
  out.logical_clock = {
      .jumps = 7, .largest_jump = 4e-5, .gamma = 0.999, .avalanche = false, .contradiction = true};
  return out;
}

report::LongerComputation longer_computation() {
  report::LongerComputation out{
      .call_path = 3,
      .location = 1,
      .delay_costs = 2.5,
      .not_computing = {.preempted = 0.05, .blocked = 0.04, .kernel = 0.03, .off_processor = 0.02},
      .page_faults = 128,
      .instructions = 1.5,
      .time_for_each = 1.25,
      .within = 4};
  out.blocked.push_back(
      {.function = "usleep", .caller = "relax", .file = "/a/heat.c", .line = 90, .seconds = 0.035});
  out.lines.push_back({.function = "relax",
                       .file = "/a/heat.c",
                       .line = 88,
                       .seconds = 1.9,
                       .error = 0.1,
                       .samples = 300});
  return out;
}

report::Computation computation() {
  report::Computation out;
  out.samples = 90;
  out.samples_elsewhere = 3;
  out.lost = 2;
  out.kernel_is_sampled = false;
  out.not_computing = {.preempted = 0.1, .blocked = 0.2, .kernel = 0.3, .off_processor = 0.4};
  out.periods = {0.01, 0.1};
  out.processor_seconds = 0.9;
  out.seconds = 1;
  out.unsampled = 0.05;
  out.functions.push_back({.name = "relax",
                           .file = "heat.c",
                           .self = 0.6,
                           .inclusive = 0.8,
                           .error = 0.08,
                           .inclusive_error = 0.09,
                           .samples = 60,
                           .inclusive_samples = 80,
                           .locations = {0.4, 0.2}});
  out.other_functions = 0.35;
  out.lines.push_back({.call_path = 3,
                       .function = "relax",
                       .file = "heat.c",
                       .line = 88,
                       .seconds = 0.5,
                       .error = 0.07,
                       .samples = 50,
                       .locations = {0.3, 0.2}});
  out.other_lines = 0.45;
  return out;
}

report::Efficiency efficiency() {
  report::Efficiency out;
  out.ratios = {.parallel = 0.6, .load_balance = 0.8, .communication = 0.75};
  out.run_time = 10;
  out.ideal = {.run_time = 8, .serialization = 0.9, .transfer = 0.8};
  out.useful = {.mean = 6, .largest = 7.5, .rank = 3, .thread = 1};
  out.contradictions = 2;
  out.hybrid = {.processes = {.parallel = 0.8, .load_balance = 0.9, .communication = 0.89},
                .threads = {.parallel = 0.75, .load_balance = 0.81, .synchronization = 0.92}};
  auto& phase = out.phases.emplace_back();
  phase.name = "solve";
  phase.call_path = 4;
  phase.ratios = out.ratios;
  phase.run_time = 5;
  phase.ideal = out.ideal;
  out.metahosts.push_back({"bonn", out.ratios});
  return out;
}

report::Measurement measurement() {
  return {.events = 120034,
          .seconds_per_event = 2.5e-8,
          .seconds = 0.003,
          .fraction = 0.0025,
          .processor_seconds = 1.2,
          .region_events = {{1000, 2e-5}},
          .filtered_events = {{50, 1e-6}},
          .stacks = {{20, 1e-4}},
          .samples = {{90, 2e-5}},
          .flushes = {{2, 3e-5}},
          .seconds_for_threads = 1e-5,
          .unsuccessful_polls = 300};
}

report::Compensation compensation() {
  return {.method = "parallel",
          .taken_out = {1, 2, 0.5, 0.25, 0.125},
          .stretches = 120000,
          .missing = 0.01,
          .inside = 0.02,
          .recorded = 12.5,
          .compensated = 11.5,
          .seconds_per_mpi_event = 1e-8,
          .seconds_per_region_event = 2e-8,
          .spread = 0.04,
          .contradictions = 1};
}

report::WaitStatistics late_sender() {
  report::WaitStatistics out{.count = 3,
                             .sum = 4.5,
                             .mean = 1.5,
                             .variance = 0.05,
                             .minimum = 1.2,
                             .quartile25 = 1.2,
                             .median = 1.5,
                             .quartile75 = 1.8,
                             .maximum = 1.8,
                             .worst = {}};
  auto& worst = out.worst.emplace_back();
  worst.seconds = 1.8;
  worst.longest = 1.8;
  worst.enter = 2;
  worst.exit = 4;
  worst.call_path = 7;
  worst.rank = 0;
  worst.waiting_ranks = 1;
  worst.cause_rank = 1;
  worst.cause_call_path = 2;
  worst.thread = 0;
  worst.cause_thread = 1;
  auto& timeline = worst.timeline.emplace();
  timeline.from = 1.5;
  timeline.to = 4.5;
  auto& lane = timeline.lanes.emplace_back();
  lane.calls.push_back({.begin = 0, .length = 500, .call_path = 7, .changes = 1});
  lane.waits.push_back({.begin = 100,
                        .length = 200,
                        .metric = "mpi_latesender",
                        .cause_rank = 1,
                        .cause_thread = {}});
  lane.waits.push_back({.begin = 300,
                        .length = 100,
                        .metric = "omp_ibarrier_wait",
                        .cause_rank = 0,
                        .cause_thread = 1});
  lane.waits.push_back({.begin = 400,
                        .length = 100,
                        .metric = "mpi_barrier_wait",
                        .cause_rank = {},
                        .cause_thread = {}});
  timeline.messages.push_back(
      {.from = 0, .to = 1, .sent = 10, .received = 20, .bytes = 1600, .tag = 7});
  return out;
}

report::Messages messages() {
  report::Messages out;
  out.ranks_per_block = 1;
  out.blocks = 2;
  out.pairs.push_back({.from = 0, .to = 1, .messages = 100, .bytes = 160000});
  report::Messages::Measured times{.shortest = 2e-6,
                                   .mean = 3e-6,
                                   .longest = 9e-6,
                                   .best_bandwidth = 8e8,
                                   .times = {{1.024e-6, 12}},
                                   .bandwidths = {{67108864.0, 5}}};
  out.sizes.push_back({.link = "node",
                       .from_bytes = 1024,
                       .messages = 100,
                       .bytes = 160000,
                       .measured = 12,
                       .together = 3,
                       .times = std::move(times)});
  return out;
}

report::Arrivals arrivals() {
  report::Arrivals out;
  out.operation = "barrier";
  out.communicator = "MPI_COMM_WORLD";
  out.processes = 2;
  out.operations = 10;
  out.first = {{1, 10}};
  out.last = {{0, 10}};
  auto& rank = out.ranks.emplace_back();
  rank.last = 10;
  rank.early_mean = 0.01;
  rank.places = {0, 10};
  out.early = {.mean = 0.05, .smallest = 0, .median = 0.04, .largest = 0.2, .deviation = 0.02};
  out.after = {.mean = 1e-5, .smallest = 0, .median = 1e-5, .largest = 1e-4, .deviation = 1e-6};
  return out;
}

}  // namespace

report::Extras full_extras() {
  report::Extras out;
  out.program = {"heat", {"200", "\xc3\xa4 \"quoted\""}};
  out.run = {4, 8, 2, {"bonn", "juelich"}, 12.5, 120034, "scan mpiexec -n 4 ./heat"};
  out.quality = {{"unmatched_sends", 3, "messages", true, {"0.evt", "1.evt"}, {"", "cut"}}};
  out.endings = {{report::Ending::State::kInCall, {1, 3}, {"heat", "MPI_Recv"}, 1.25}};
  out.partial = true;
  out.call_paths_from_stacks = true;
  out.origin = {"mean", {"a.cubex", "b.cubex"}, {4, 8}};
  auto& results = out.results.emplace();
  results.clocks = clocks();
  results.collectives.push_back(arrivals());
  results.computation = computation();
  results.file_uses.push_back({.call_path = 3,
                               .location = 1,
                               .file = "/a/out.bin",
                               .operations = 7,
                               .bytes_read = 10,
                               .bytes_written = 4096,
                               .reading = 0.1,
                               .writing = 0.2,
                               .storing = 0.3,
                               .opening = 0.4});
  results.other_file_uses = {.rows = 2, .bytes_read = 5, .bytes_written = 6, .seconds = 0.01};
  results.gains = {.recorded = 12.5,
                   .causes = {{.call_path = 3,
                               .balanced = 9.5,
                               .faster = 12.25,
                               .curve = {{0.9, 12.25}, {0.5, 11.25}}}},
                   .paths = {{.fixed = 10, .of_cause = {2.5}}},
                   .error = 0.125};
  results.longer_computation.push_back(longer_computation());
  results.efficiency = efficiency();
  results.compensation = compensation();
  results.measurement = measurement();
  results.messages = messages();
  results.statistics["mpi_latesender"] = late_sender();
  auto& slices = results.time_slices.emplace();
  slices.count = 2;
  slices.seconds = 6.25;
  slices.metrics["mpi_latesender"] = {{0, 4}, {0.5, 0}};
  results.unmatched.push_back({"send", "heat/main/MPI_Send", 3});
  return out;
}

}  // namespace latecomer::test
