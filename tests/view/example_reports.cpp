// SPDX-License-Identifier: BSD-3-Clause
// Small reports as the analyzer writes them. A value is added to a metric and to all its ancestors.
#include "tests/view/example_reports.hpp"

#include <bit>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "patterns/derived/grid.hpp"
#include "patterns/metrics.hpp"

namespace latecomer::test {
namespace {

class Builder {
 public:
  explicit Builder(std::span<const patterns::Metahost> metahosts,
                   const patterns::Paradigms& paradigms = {}) {
    d_.metrics = patterns::computed_metrics(metahosts, paradigms);
    d_.ticks_per_second = 1000;
  }

  // The index of a call path such as "main/solve/MPI_Send"; missing call paths are added.
  std::uint32_t call_path(const std::string& path) {
    const auto slash = path.rfind('/');
    const auto parent =
        slash == std::string::npos ? report::kNone : call_path(path.substr(0, slash));
    const auto name = slash == std::string::npos ? path : path.substr(slash + 1);
    for (std::uint32_t c = 0; c < d_.call_paths.size(); ++c) {
      if (d_.call_paths[c].parent == parent && d_.regions[d_.call_paths[c].region].name == name) {
        return c;
      }
    }
    const bool mpi = name.starts_with("MPI_");
    const char* const paradigm = mpi ? "mpi" : name.starts_with("!$omp") ? "openmp" : "compiler";
    d_.call_paths.push_back({parent, static_cast<std::uint32_t>(d_.regions.size())});
    d_.regions.push_back({name, name, mpi ? "MPI" : "app.c", paradigm, "function"});
    return static_cast<std::uint32_t>(d_.call_paths.size() - 1);
  }

  std::uint32_t node(const std::string& name, const std::string& class_name,
                     std::uint32_t parent = report::kNone) {
    d_.system.push_back({name, class_name, parent});
    return static_cast<std::uint32_t>(d_.system.size() - 1);
  }

  void ranks(std::uint32_t count, std::uint32_t node, std::uint32_t threads = 1) {
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto rank = static_cast<std::uint32_t>(d_.processes.size());
      d_.processes.push_back({"MPI Rank " + std::to_string(rank), rank, node});
      for (std::uint32_t t = 0; t < threads; ++t) {
        d_.locations.push_back({t == 0 ? "Master thread" : "Thread 1", t, rank});
      }
    }
  }

  // Adds milliseconds (or occurrences) of a metric at a call path, one value per location from the
  // first.
  void add(const std::string& metric, const std::string& path, std::vector<std::int64_t> values) {
    cells_.push_back({metric, call_path(path), std::move(values)});
  }

  ExampleReport build(const report::Extras& extras) {
    d_.extras = std::make_shared<const report::Extras>(extras);
    const patterns::MetricTree tree(d_.metrics);
    report::Severities severities(d_.metrics.size(), d_.call_paths.size(), d_.locations.size());
    for (const auto& cell : cells_) {
      auto id = tree.id(cell.metric);
      if (id == patterns::MetricTree::kNone) throw std::logic_error("no metric " + cell.metric);
      for (; id != patterns::MetricTree::kNone; id = tree.parent(id)) {
        for (std::size_t l = 0; l < cell.values.size(); ++l) {
          severities.add(id, cell.call_path, l, cell.values[l]);
        }
      }
    }
    return {std::move(d_), std::move(severities)};
  }

 private:
  struct Cell {
    std::string metric;
    std::uint32_t call_path;
    std::vector<std::int64_t> values;
  };
  report::Definitions d_;
  std::vector<Cell> cells_;
};

}  // namespace

namespace {

ExampleReport heat_with(std::int64_t longer) {
  Builder b({});
  const auto machine = b.node("Linux", "machine");
  b.ranks(2, b.node("n01", "node", machine));
  b.ranks(2, b.node("n02", "node", machine));
  b.add("comp", "heat/main/relax", {9000 + longer, 9500, 7000, 6500});
  b.add("mpi_point2point", "heat/main/exchange/MPI_Isend", {50, 50, 50, 50});
  b.add("mpi_point2point", "heat/main/exchange/MPI_Waitall", {500, 400, 300, 300});
  b.add("mpi_latesender", "heat/main/exchange/MPI_Waitall", {0, 500, 1500, 1200});
  b.add("mpi_latesender", "heat/main/gather_field/MPI_Recv", {1800 - longer / 4, 0, 0, 0});
  b.add("mpi_barrier_wait", "heat/main/MPI_Barrier",
        {0, 200 + longer / 4, 800 + longer / 4, 1000 + longer / 4});
  if (longer != 0) b.add("delay_barrier", "heat/main/relax", {longer / 4 * 3, 0, 0, 0});
  report::Extras extras;
  extras.program = {"heat", {"200", "200"}};
  extras.run = {4, 4, 2, {"Linux"}, 12.35, 120034};
  auto report = b.build(extras);
  auto document = nlohmann::json::parse(report::text_of(extras, {}));
  document["measurement"] = {
      {"events", 120034}, {"seconds_per_event", 25e-9}, {"fraction", 0.0025}};
  document["efficiency"] = {{"parallel", 0.6478},
                            {"load_balance", 0.8421},
                            {"communication", 0.7692},
                            {"serialization", 0.96},
                            {"transfer", 0.8013}};
  // Rank 1 waits from 2 to 2.4 itself, for rank 2.
  // The longest wait: rank 0 in MPI_Recv (call path 7) from 2 to 3.5 for rank 1, which relaxes (2)
  // until 3 and is in MPI_Isend (4) until 3.25. A shorter wait has no picture.
  auto& late = document["statistics"]["mpi_latesender"];
  late = {{"count", 3},       {"sum", 5.0},        {"mean", 5.0 / 3},
          {"variance", 0.05}, {"minimum", 1.2},    {"quartile25", 1.2},
          {"median", 1.5},    {"quartile75", 1.8}, {"maximum", 1.8}};
  constexpr std::int64_t kMs = 1'000'000;
  late["worst"] = {
      {{"seconds", 1.0},
       {"longest", 1.0},
       {"enter", 2.0},
       {"exit", 3.5},
       {"call_path", 7},
       {"rank", 0},
       {"cause_rank", 1},
       {"cause_call_path", 2},
       {"timeline",
        {{"from", 1.5},
         {"to", 4.0},
         {"lanes",
          {{{"rank", 0},
            {"thread", 0},
            {"calls",
             {{0, 500 * kMs, 2, 1}, {500 * kMs, 1500 * kMs, 7, 1}, {2000 * kMs, 500 * kMs, 1, 9}}},
            {"waits", {{500 * kMs, 1000 * kMs, "mpi_latesender", 1}}}},
           {{"rank", 1},
            {"thread", 0},
            {"calls",
             {{0, 1500 * kMs, 2, 1}, {1500 * kMs, 250 * kMs, 4, 1}, {1750 * kMs, 750 * kMs, 2, 1}}},
            {"waits", {{500 * kMs, 400 * kMs, "mpi_barrier_wait", 2}}}}}},
         {"messages", {{1, 1500 * kMs, 0, 2000 * kMs, 1600, 7}}}}}},
      {{"seconds", 0.5},
       {"longest", 0.5},
       {"enter", 6.0},
       {"exit", 6.5},
       {"call_path", 5},
       {"rank", 1},
       {"cause_rank", 0}}};
  // Ranks 1 to 3 wait 0.2, 0.8 and 1 s at one barrier: 2 s together.
  auto& barrier = document["statistics"]["mpi_barrier_wait"];
  barrier = {{"count", 3},       {"sum", 2.0},        {"mean", 2.0 / 3},
             {"variance", 0.11}, {"minimum", 0.2},    {"quartile25", 0.2},
             {"median", 0.8},    {"quartile75", 1.0}, {"maximum", 1.0}};
  barrier["worst"] = {{{"seconds", 2.0},
                       {"longest", 1.0},
                       {"waiting_ranks", 3},
                       {"enter", 8.0},
                       {"exit", 9.1},
                       {"call_path", 8},
                       {"rank", 3},
                       {"cause_rank", 0}}};
  // Two slices of time, each with half of the waiting at the barrier.
  auto& slices = document["time_slices"];
  slices = {{"count", 2}, {"seconds", 6.175}};
  slices["metrics"]["mpi_latesender"] = {{4.0, 1.0}};
  slices["metrics"]["mpi_barrier_wait"] = {{1.0, 1.0}};
  document["messages"] = {{"sizes",
                           {{{"link", "node"},
                             {"from_bytes", 1024},
                             {"messages", 300},
                             {"bytes", 480000},
                             {"measured", 20},
                             {"shortest", 2e-6},
                             {"mean", 3e-6},
                             {"longest", 9e-6},
                             {"best_bandwidth", 8e8},
                             {"times", {{1.024e-6, 12}, {2.048e-6, 8}}},
                             {"bandwidths", {{67108864.0, 5}, {536870912.0, 15}}}}}},
                          {"matrix",
                           {{"ranks_per_block", 1},
                            {"blocks", 4},
                            {"pairs", {{0, 1, 100, 160000}, {1, 0, 200, 320000}}}}}};
  document["collectives"] = {{{"operation", "barrier"},
                              {"communicator", "MPI_COMM_WORLD"},
                              {"communicator_id", 0},
                              {"processes", 4},
                              {"operations", 10},
                              {"early_mean", 0.05},
                              {"early_largest", 0.2},
                              {"early_smallest", 0.0},
                              {"early_median", 0.04},
                              {"early_deviation", 0.02},
                              {"after_mean", 1e-5},
                              {"after_largest", 1e-4},
                              {"first", {{3, 10}}},
                              {"ranks",
                               {{0, 0, 7, 0.01, {0, 1, 2, 7}},
                                {1, 0, 0, 0.06, {0, 8, 2, 0}},
                                {2, 0, 3, 0.02, {0, 1, 6, 3}},
                                {3, 10, 0, 0.11, {10, 0, 0, 0}}}},
                              {"last", {{0, 7}, {2, 3}}}}};
  report.definitions.extras = nullptr;
  report.definitions.document = std::make_shared<const nlohmann::json>(std::move(document));
  return report;
}

// Adds samples: norm, in line 120, has 4 s of the computation, and relax the rest without what is
// blocked.
ExampleReport sampled(ExampleReport report, double computation, double blocked) {
  auto document = *report.definitions.document;
  const double relax = computation - blocked - 4;
  static constexpr std::uint32_t kCallPath = 2;  // heat/main/relax
  const auto function = [](const char* name, double self, double inclusive) {
    return nlohmann::json{{"name", name},
                          {"file", "/home/me/heat.c"},
                          {"self", self},
                          {"samples", std::llround(100 * self)},
                          {"error", std::sqrt(self) / 10},
                          {"inclusive_error", std::sqrt(inclusive) / 10},
                          {"inclusive", inclusive},
                          {"inclusive_samples", std::llround(100 * inclusive)}};
  };
  const auto line = [](const char* name, int number, double seconds) {
    return nlohmann::json{{"call_path", kCallPath},
                          {"function", name},
                          {"file", "/home/me/heat.c"},
                          {"line", number},
                          {"error", std::sqrt(seconds) / 10},
                          {"seconds", seconds},
                          {"samples", std::llround(100 * seconds)}};
  };
  document["computation"] = {
      {"samples", std::llround(100 * (relax + 4))},
      {"lost", 5},
      {"periods", {0.01}},
      {"processor_seconds", relax + 4},
      {"seconds", computation},
      {"kernel_is_sampled", true},
      {"not_computing",
       {{"preempted", 0.0}, {"blocked", blocked}, {"kernel", 0.5}, {"off_processor", 0.0}}},
      {"functions", {function("relax", relax, relax + 4), function("norm", 4, 4)}},
      {"lines", {line("relax", 88, relax), line("norm", 120, 4)}}};
  if (blocked > 0) {
    document["longer_computation"] = {
        {{"call_path", kCallPath},
         {"location", 0},
         {"delay_costs", 3.0},
         {"within", kCallPath},
         {"not_computing", {{"blocked", blocked}}},
         {"lines",
          {{{"function", "relax"}, {"file", "/home/me/heat.c"}, {"line", 88}, {"seconds", 2.0}}}}}};
    const auto point = [](double part, double seconds) {
      return nlohmann::json{{"part", part}, {"run_time", seconds}};
    };
    // If the part p of relax and the part q of main remain: max(3 + 10 p + 3 q, 7 + 4 p + 3 q).
    document["gains"] = {
        {"recorded", 16.0},
        {"error", 0.0},
        {"paths",
         {{{"fixed", 3.0}, {"of_cause", {10.0, 3.0}}}, {{"fixed", 7.0}, {"of_cause", {4.0, 3.0}}}}},
        {"causes",
         {{{"call_path", kCallPath},
           {"balanced", 13.0},
           {"faster", 15.0},
           {"curve", {point(0.9, 15), point(0.75, 13.5), point(0.5, 12), point(0, 10)}}},
          {{"call_path", kCallPath - 1},
           {"balanced", 15.5},
           {"faster", 15.7},
           {"curve", {point(0.9, 15.7), point(0.75, 15.25), point(0.5, 14.5), point(0, 13)}}}}}};
  }
  report.definitions.document = std::make_shared<const nlohmann::json>(std::move(document));
  return report;
}

}  // namespace

ExampleReport heat() { return heat_with(0); }
ExampleReport heat_sampled() { return sampled(heat(), 32, 0); }
ExampleReport heat_sampled_changed() { return sampled(heat_changed(), 36, 1); }
ExampleReport heat_changed() { return heat_with(4000); }

ExampleReport coupled() {
  const std::vector<patterns::Metahost> metahosts = {{0, "bonn"}, {1, "j\xc3\xbclich"}};
  Builder b(metahosts);
  b.ranks(3, b.node("b1", "node", b.node("bonn", "machine")), 2);
  b.ranks(3, b.node("j1", "node", b.node("j\xc3\xbclich", "machine")), 2);
  const std::string ocean = "coupled/main/void ocean::step<double>(ocean::Field<double>&, int)/";
  b.add("comp", "coupled/main", {5000, 100, 5000, 100, 5000, 100, 4000, 100, 4000, 100, 4000, 100});
  const std::string exchange = ocean + "couple/send_boundary_to_partner/receive_boundary/MPI_Recv";
  const std::vector<std::int64_t> late = {0, 0, 300, 0, 0, 0, 1000, 0, 900, 0, 800, 0};
  b.add("mpi_latesender", exchange, late);
  b.add("grid_latesender", exchange, late);
  b.add("metahost_pairs_latesender_1_0", exchange, {0, 0, 0, 0, 0, 0, 1000, 0, 900, 0, 800, 0});
  b.add("metahost_pairs_latesender_0_1", exchange, {0, 0, 300, 0, 0, 0});
  const std::vector<std::int64_t> nxn = {50, 0, 60, 0, 70, 0, 0, 0, 20, 0, 30, 0};
  const std::string allreduce = "coupled/main/residual/MPI_Allreduce";
  b.add("mpi_wait_nxn", allreduce, nxn);
  b.add("grid_wait_nxn", allreduce, nxn);
  b.add("metahost_pairs_wait_nxn_0_1", allreduce, {50, 0, 60, 0, 70, 0});
  b.add("metahost_pairs_wait_nxn_1_1", allreduce, {0, 0, 0, 0, 0, 0, 0, 0, 20, 0, 30, 0});
  b.add("mpi_barrier_wait", "coupled/main/MPI_Barrier", {5, 0, 4, 0, 3});
  report::Extras extras;
  extras.program = {"coupled", {"--ocean", "400", "--atmosphere", "200", "--steps", "1000"}};
  extras.run = {6, 12, 2, {"bonn", "j\xc3\xbclich"}, 6.5, 20034};
  extras.quality = {
      {"truncated_locations",
       1,
       "thread whose event file ends early or is damaged: analyzed up to that point",
       true,
       {"traces/4294967297.evt"}},
      {"unmatched_sends",
       12000,
       "messages without a recorded receive: left out of the wait states",
       true,
       {}},
      {"reversed_messages", 3,
       "messages received before they were sent: the clocks disagree, small waits are uncertain"},
      {"flushes", 2, "times a trace buffer was written to disk while the program ran"}};
  extras.partial = true;
  return b.build(extras);
}

ExampleReport quiet() {
  Builder b({});
  b.ranks(1, b.node("n01", "node", b.node("Linux", "machine")));
  b.add("comp", "quiet/main", {3});
  b.add("mpi_init_exit", "quiet/MPI_Init", {1});
  report::Extras extras;
  extras.program = {"quiet", {}};
  extras.run = {1, 1, 1, {"Linux"}, 0.004, 10};
  return b.build(extras);
}

ExampleReport threaded() {
  Builder b({}, {.openmp = true});
  b.ranks(1, b.node("n01", "node", b.node("Linux", "machine")), 2);
  const std::string loop = "threaded/main/!$omp for @app.c:3";
  const std::string barrier = loop + "/!$omp implicit barrier @app.c:3";
  b.add("comp", "threaded/main", {1000, 0});
  b.add("omp_idle_threads", "threaded/main", {0, 1000});
  b.add("comp", loop, {2000, 6000});
  b.add("omp_ibarrier_wait", barrier, {4000, 0});
  b.add("delay_ompidle", "threaded/main", {1000, 0});
  b.add("delay_ompbarrier", loop, {0, 4000});
  report::Extras extras;
  extras.program = {"threaded", {}};
  extras.run = {1, 2, 1, {"Linux"}, 7, 20};
  // Useful are 1 + 2 and 6 s of 7 s outside MPI: 4.5 in the mean.
  auto& efficiency = extras.results.emplace().efficiency.emplace();
  efficiency.ratios = {4.5 / 7, 4.5 / 6, 6.0 / 7};
  efficiency.run_time = 7;
  efficiency.useful = {.mean = 4.5, .largest = 6, .rank = 0, .thread = 1};
  efficiency.hybrid = {.processes = {1.0, 1.0, 1.0}, .threads = {4.5 / 7, 4.5 / 6, 6.0 / 7}};
  return b.build(extras);
}

ExampleReport stencil(std::uint32_t ranks) {
  Builder b({});
  b.ranks(ranks, b.node("n01", "node", b.node("Linux", "machine")));
  const auto log = static_cast<std::int64_t>(std::bit_width(ranks)) - 1;
  const std::int64_t relax = 64'000 / ranks, setup = 250, halo = 500, sum = 2 * ranks * log;
  const auto each = [ranks](std::int64_t value) { return std::vector(ranks, value); };
  b.add("comp", "stencil/main/setup", each(setup));
  b.add("comp", "stencil/main/relax", each(relax));
  b.add("mpi_point2point", "stencil/main/exchange/MPI_Waitall", each(halo));
  b.add("mpi_collective", "stencil/main/residual/MPI_Allreduce", each(sum));
  report::Extras extras;
  extras.program = {"stencil", {}};
  const double run_time = static_cast<double>(setup + relax + halo + sum) / 1000;
  extras.run = {ranks, ranks, 1, {"Linux"}, run_time, 1000};
  auto& efficiency = extras.results.emplace().efficiency.emplace();
  const double parallel = static_cast<double>(setup + relax) / 1000 / run_time;
  efficiency.ratios = {parallel, 1.0, parallel};
  efficiency.ideal = {run_time, 1.0, parallel};
  return b.build(extras);
}

}  // namespace latecomer::test
