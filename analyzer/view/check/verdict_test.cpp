// SPDX-License-Identifier: BSD-3-Clause
// Verdicts of `latecomer check`.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "analyzer/view/check/verdict.hpp"
#include "tests/view/run_with.hpp"

using namespace latecomer;
using namespace latecomer::view;
using test::baseline;
using test::run_with;

namespace {

Condition condition(const std::string& text) {
  const auto parsed = parse_condition(text, "--fail");
  if (!parsed) FAIL(parsed.problem().text());
  return *parsed;
}

Verdict::State state(double now, const std::vector<double>& before, const std::string& fail) {
  const auto judged = judge(run_with(now), baseline(before), {condition(fail)}, {});
  if (!judged) FAIL(judged.problem().text());
  return judged->verdicts.at(0).state;
}

std::string problem(const std::string& text, const std::optional<Baseline>& base = std::nullopt) {
  const auto judged = judge(run_with(1), base, {condition(text)}, {});
  return judged ? "" : judged.problem().what;
}

constexpr auto kOk = Verdict::State::kOk, kUndecided = Verdict::State::kUndecided,
               kFailed = Verdict::State::kFailed;

}  // namespace

TEST_CASE("a change fails beyond its bound, if runs do not differ as much by chance") {
  CHECK(state(1.04, {1, 1}, "mpi_latesender>+5%") == kOk);
  CHECK(state(1.06, {1, 1}, "mpi_latesender>+5%") == kFailed);
  CHECK(state(0.5, {1, 1}, "mpi_latesender>+5%") == kOk);
  CHECK(state(0.5, {1, 1}, "mpi_latesender<-5%") == kFailed);
  CHECK(state(1.4, {1, 1}, "mpi_latesender>+0.5s") == kOk);
  CHECK(state(1.6, {1, 1}, "mpi_latesender>+0.5s") == kFailed);
  // Mean 1, deviation 0.1: noise 7.173 * 0.1 * sqrt(1.2) = 0.79
  const std::vector<double> spread = {0.9, 1.1, 0.9, 1.1, 1};
  CHECK(state(1.5, spread, "mpi_latesender>+5%") == kUndecided);
  CHECK(state(1.9, spread, "mpi_latesender>+5%") == kFailed);
  CHECK(state(1.5, spread, "mpi_latesender>1.2s") == kFailed);  // no change: no noise
  // A bound below the noise can only be kept by chance; the verdict says so even if it is kept.
  CHECK(state(1.01, spread, "mpi_latesender>+5%") == kUndecided);
  CHECK(state(0.2, spread, "mpi_latesender<-10%") == kFailed);  // 0.8 less: beyond the noise
  CHECK(state(0.5, spread, "mpi_latesender<-10%") == kUndecided);
  CHECK(state(1.01, spread, "mpi_latesender>+80%") == kOk);
  // A budget that is missed by more than the noise: 0.9 less was required.
  const auto missed =
      judge(run_with(1.01), baseline(spread), {}, {condition("mpi_latesender<-90%")});
  REQUIRE(missed);
  CHECK(missed->verdicts[0].state == kFailed);
  // A metric that the baseline lacks counts as 0 there.
  CHECK(state(1, {0, 0}, "mpi_latesender>+5%") == kFailed);
  CHECK(state(0, {0, 0}, "mpi_latesender>+5%") == kOk);
}

TEST_CASE("of one run nobody knows how much runs differ by chance") {
  // A value beyond the bound fails, by chance or not. A value within it may be there by chance.
  CHECK(state(1.06, {1}, "mpi_latesender>+5%") == kFailed);
  CHECK(state(1.04, {1}, "mpi_latesender>+5%") == kUndecided);
  CHECK(state(0.5, {1}, "mpi_latesender<-5%") == kFailed);
  CHECK(state(1.04, {1}, "mpi_latesender<2s") == kFailed);  // no change: no noise
  const auto judged = judge(run_with(1.04), baseline({1}), {condition("mpi_latesender>+5%")}, {});
  REQUIRE(judged);
  const auto text = markdown(*judged);
  CHECK(text.starts_with("### latecomer check: undecided\n"));
  CHECK(text.find("| undecided | Late Sender") != std::string::npos);
  CHECK(text.find("The baseline is one run") != std::string::npos);
  CHECK(text.find("smallest bound") == std::string::npos);
  CHECK(junit(*judged).find("undecided: the baseline is one run") != std::string::npos);
}

TEST_CASE("what is undecided is skipped for CI servers, and fails only if that is asked for") {
  auto judged = judge(run_with(1.04), baseline({1}),
                      {condition("mpi_latesender>+5%"), condition("visits<1")}, {});
  REQUIRE(judged);
  CHECK(judged->failed() == 0);
  CHECK(markdown(*judged).starts_with("### latecomer check: ok, 1 of 2 undecided\n"));
  auto xml = junit(*judged);
  CHECK(xml.find("tests=\"2\" failures=\"0\" errors=\"0\" skipped=\"1\"") != std::string::npos);
  CHECK(xml.find("<skipped message=\"Late Sender is 1.040 s") != std::string::npos);
  judged->strict = true;
  CHECK(judged->failed() == 1);
  CHECK(markdown(*judged).starts_with(
      "### latecomer check: 1 of 2 failed, 1 of them undecided (--strict)\n"));
  CHECK(markdown(*judged).find("| **failed** (undecided) | Late Sender") != std::string::npos);
  xml = junit(*judged);
  CHECK(xml.find("tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\"") != std::string::npos);
  CHECK(xml.find("<failure message=\"Late Sender is 1.040 s") != std::string::npos);
}

TEST_CASE("the smallest bound that can be decided is told, and can be") {
  const std::vector<double> spread = {0.9, 1.1, 0.9, 1.1, 1};
  for (const std::string bound : {"+5%", "+10ms", "+0.1s"}) {
    const auto judged =
        judge(run_with(1.01), baseline(spread), {condition("mpi_latesender>" + bound)}, {});
    REQUIRE(judged);
    CHECK(judged->failed() == 0);
    CHECK(judged->undecided() == 1);
    const auto& decidable = judged->verdicts[0].decidable;
    CHECK(decidable == (bound == "+5%" ? "mpi_latesender>+79%" : "mpi_latesender>+790.0ms"));
    const auto text = markdown(*judged);
    CHECK(text.starts_with("### latecomer check: undecided\n"));
    CHECK(text.find("can decide: `" + decidable + "`") != std::string::npos);
    CHECK(junit(*judged).find("undecided: the smallest bound") != std::string::npos);
    CHECK(state(1.01, spread, decidable) == kOk);
    CHECK(state(1.9, spread, decidable) == kFailed);
  }
}

TEST_CASE("bounds without a baseline") {
  const auto judged = judge(
      run_with(1), std::nullopt, {condition("mpi_latesender>5%"), condition("visits>100")},
      {condition("mpi_latesender<2s"), condition("mpi_latebroadcast<1ms"), condition("time<5s")});
  REQUIRE(judged);
  REQUIRE(judged->verdicts.size() == 5);
  CHECK(judged->verdicts[0].state == kFailed);  // the condition is 10 % of the time
  CHECK(judged->verdicts[1].state == kOk);
  CHECK(judged->verdicts[2].state == kOk);
  CHECK(judged->verdicts[3].state == kOk);  // a metric that the report lacks is 0
  CHECK(judged->verdicts[4].state == kFailed);
  CHECK(judged->failed() == 2);
  CHECK(markdown(*judged).starts_with("### latecomer check: 2 of 5 failed\n"));
  const auto xml = junit(*judged);
  CHECK(xml.find("tests=\"5\" failures=\"2\"") != std::string::npos);
  CHECK(xml.find("must not be: mpi_latesender&gt;5%") != std::string::npos);
}

TEST_CASE("waits of which a part is not known are never good") {
  auto lost = run_with(1);
  lost.waits_at_least = true;  // mpi_latesender is 1 s or more
  const auto judged = judge(lost, std::nullopt,
                            {condition("mpi_latesender>0.5s"), condition("mpi_latesender>2s"),
                             condition("mpi_latesender<2s"), condition("mpi_latesender<0.5s")},
                            {});
  REQUIRE(judged);
  CHECK(judged->verdicts[0].state == kFailed);  // for certain
  CHECK(judged->verdicts[1].state == Verdict::State::kNotKnown);
  CHECK(judged->verdicts[2].state == Verdict::State::kNotKnown);
  CHECK(judged->verdicts[3].state == Verdict::State::kOk);  // it is 1 s or more for certain
  CHECK(judged->failed() == 3);
  CHECK(markdown(*judged).find("| **not known** | ") != std::string::npos);
  CHECK(markdown(*judged).find("at least 1") != std::string::npos);
  CHECK(junit(*judged).find("failures=\"3\"") != std::string::npos);
}

TEST_CASE("what cannot be judged") {
  CHECK(problem("mpi_latesendr>1s").find("nearest is mpi_latesender") != std::string::npos);
  CHECK(problem("mpi_latesender>+5%").find("there is no baseline") != std::string::npos);
  CHECK(problem("visits>1s").find("visits is a number") != std::string::npos);
  CHECK(problem("visits>1%").find("only times") != std::string::npos);
  CHECK(problem("mpi_latesender>20").find("has no unit") != std::string::npos);
  CHECK(problem("mpi_latesender>+20", baseline({1})).find("has no unit") != std::string::npos);
  CHECK(problem("xyzzy>1s") == "there is no metric xyzzy");  // no similar name
  CHECK(problem("run_time>1s") == "run does not tell run_time");
  CHECK(problem("efficiency<50%") == "run does not tell efficiency");
  auto part = run_with(1);
  part.has_all = false;  // as in reports of other tools: unknown instead of 0
  const auto unknown = judge(part, std::nullopt, {condition("mpi_latebroadcast>1s")}, {});
  REQUIRE_FALSE(unknown);
  CHECK(unknown.problem().what == "run does not tell mpi_latebroadcast");
  part.tells = {"time", "mpi_latebroadcast"};  // a run that was only watched
  CHECK(judge(part, std::nullopt, {condition("mpi_latebroadcast>1s")}, {}));
  const auto untold = judge(part, std::nullopt, {condition("mpi_earlyscan>1s")}, {});
  REQUIRE_FALSE(untold);
  CHECK(untold.problem().what == "run does not tell mpi_earlyscan: the run was only watched");
  CHECK(junit(unknown.problem(), "run").find("errors=\"1\"") != std::string::npos);
  const auto other = judge(run_with(1, 10, 8), baseline({1}), {condition("time>+5%")}, {});
  REQUIRE_FALSE(other);
  CHECK(other.problem().what.find("has 4 ranks") != std::string::npos);
  auto partial = run_with(1);
  partial.partial = true;
  CHECK_FALSE(baseline_of(std::vector<RunValues>{partial}));
  const auto judged = judge(partial, std::nullopt, {}, {condition("time<20s")});
  REQUIRE(judged);
  CHECK(judged->failed() == 1);
  CHECK(junit(*judged).find("the result is partial") != std::string::npos);
  CHECK_FALSE(baseline_of(std::vector<RunValues>{run_with(1), run_with(1, 10, 8)}));
}

TEST_CASE("ratios are compared in percent") {
  auto now = run_with(1);
  now.metrics["efficiency"] = {"Parallel efficiency", "ratio", 0.75};
  const auto judged =
      judge(now, std::nullopt, {condition("efficiency<80%"), condition("efficiency<0.7")}, {});
  REQUIRE(judged);
  CHECK(judged->verdicts[0].state == kFailed);
  CHECK(judged->verdicts[1].state == kOk);
  CHECK(markdown(*judged).find("| 75.0 % |") != std::string::npos);
}

TEST_CASE("the quality of the data is told") {
  auto now = run_with(1);
  now.notes = {"4 ranks share 2 cores"};
  const auto judged = judge(now, std::nullopt, {}, {condition("time<20s")});
  REQUIRE(judged);
  CHECK(markdown(*judged).find("\nQuality of the data:\n\n- 4 ranks share 2 cores\n") !=
        std::string::npos);
}

TEST_CASE("runs of different programs") {
  auto other = run_with(1);
  other.program = "cg";
  const std::vector<RunValues> mixed = {run_with(1), other};
  const auto made = baseline_of(mixed);
  REQUIRE_FALSE(made);
  CHECK(made.problem().what.find("is a run of cg") != std::string::npos);
  // The program may have another name than the baseline's, but the report says so.
  const auto judged = judge(other, baseline({1, 1.1}), {condition("mpi_latesender>+5%")}, {});
  REQUIRE(judged);
  CHECK(markdown(*judged).find("The baseline is of another program: heat.") != std::string::npos);
  const auto same = judge(run_with(1), baseline({1, 1.1}), {condition("mpi_latesender>+5%")}, {});
  REQUIRE(same);
  CHECK(markdown(*same).find("another program") == std::string::npos);
}
