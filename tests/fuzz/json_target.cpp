// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: JSON from untrusted sources: the JSON member of a report, exported runs, baselines.
// After the first line "--fail" there are conditions, one per line.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "analyzer/report/cube/read_cube.hpp"
#include "analyzer/report/extras/extras.hpp"
#include "analyzer/report/extras/parse_json.hpp"
#include "analyzer/view/check/verdict.hpp"
#include "analyzer/view/metrics/export.hpp"
#include "tests/fuzz/target.hpp"

namespace latecomer::fuzz {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kWords[] = {"{"sv,
                                       "}"sv,
                                       "["sv,
                                       "]"sv,
                                       ","sv,
                                       ":"sv,
                                       "null"sv,
                                       "true"sv,
                                       "\"\""sv,
                                       "1e999"sv,
                                       "-0"sv,
                                       "0.1"sv,
                                       "18446744073709551616"sv,
                                       "\"\\ud800\""sv,
                                       "\"\\u0000\""sv,
                                       "\"x\":"sv,
                                       "\"quality\":"sv,
                                       "\"endings\":"sv,
                                       "\"call_path\":"sv,
                                       "\"metrics\":"sv,
                                       "\"unique_name\":"sv,
                                       "\"total\":"sv,
                                       "\"mean\":"sv,
                                       "\"runs\":"sv,
                                       "\"ranks\":"sv,
                                       "\"unit\":"sv,
                                       "\"schema_version\":"sv,
                                       "\"program\":"sv,
                                       "\"since\":"sv,
                                       "\n--fail\n"sv,
                                       "mpi_latesender>+5%\n"sv,
                                       "time<20s\n"sv,
                                       "waiting>+0.5s"sv,
                                       "visits>1e3"sv,
                                       "%"sv,
                                       "MB"sv,
                                       "<"sv,
                                       ">"sv};

constexpr std::string_view kConditions = "\n--fail\n";

}  // namespace

void run(std::span<const std::uint8_t> input) {
  const std::string all = text_of(input);
  const std::size_t end = std::min(all.find(kConditions), all.size());
  nlohmann::json json = report::parse_json(std::string_view(all).substr(0, end));
  std::vector<view::Condition> conditions;
  if (end < all.size()) {
    std::istringstream lines(all.substr(end + kConditions.size()));
    for (std::string line; std::getline(lines, line) && conditions.size() < 20;) {
      auto condition = view::parse_condition(line, "--fail");
      must(condition.ok() || !condition.problem().what.empty(), "a problem has words");
      if (condition) conditions.push_back(std::move(*condition));
    }
  }
  if (json.is_discarded()) return;
  report::make_printable(json);
  const report::Extras extras = report::extras_from_json(json);
  const auto text = report::text_of(extras, extras.stored_metrics);
  const auto again = report::extras_from_json(report::parse_json(text));
  must(report::text_of(again, again.stored_metrics) == text,
       "what was read is written and read again as it is");
  const auto run = view::run_values(json, "run.json");
  must(run.ok() || !run.problem().what.empty(), "a problem has words");
  std::optional<view::Baseline> baseline;
  if (view::is_baseline(json)) {
    auto read = view::baseline_from_json(json, "base.json");
    must(read.ok() || !read.problem().what.empty(), "a problem has words");
    if (read) baseline = std::move(*read);
  }
  view::RunValues now;
  if (run) {
    now = *run;
  } else if (baseline) {
    for (const auto& [name, spread] : baseline->metrics)
      now.metrics[name] = {name, spread.unit, spread.mean};
    now.ranks = baseline->ranks;
  }
  const auto judgement = view::judge(now, baseline, conditions, {});
  if (!judgement) return;
  static_cast<void>(view::markdown(*judgement));
  static_cast<void>(view::junit(*judgement));
}

std::vector<Bytes> seeds() {
  report::Extras extras;
  extras.program = {"heat", {"200", "a b"}};
  extras.run = {4, 8, 2, {"bonn", "juelich"}, 12.5, 1000, "mpiexec -n 4 heat"};
  extras.quality = {{"unmatched_sends", 3, "messages", true, {"0.evt", "1.evt"}, {"", "cut"}}};
  extras.endings = {{report::Ending::State::kInCall, {1, 3}, {"heat", "MPI_Recv"}, 1.25}};
  std::vector<view::RunValues> runs(3);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    runs[i].program = "heat";
    runs[i].ranks = 4;
    runs[i].metrics = {{"time", {"Time", "sec", 10.0 + static_cast<double>(i)}},
                       {"mpi_latesender", {"Late Sender", "sec", 1}}};
  }
  const auto baseline = view::baseline_of(runs);
  must(baseline.ok(), "a baseline of three equal runs");
  auto report = report::Report::open(LATECOMER_EXAMPLE_REPORT);
  must(report.ok(), "the example report can be read");
  std::ostringstream exported;
  must(view::export_json(*report, exported).ok(), "and exported");
  const std::string conditions = "\n--fail\nmpi_latesender>+5%\ntime<20s\n";
  return {bytes_of(report::text_of(extras, {"time"})),
          bytes_of(view::to_json(*baseline).dump(1) + conditions),
          bytes_of(exported.str() + conditions)};
}

void mutate(Bytes& input, Random& random) { mutate_text(input, random, kWords); }

}  // namespace latecomer::fuzz
