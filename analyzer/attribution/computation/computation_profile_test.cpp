// SPDX-License-Identifier: BSD-3-Clause
// Functions and lines of a run with samples. Also samples with damaged definitions.
#include "analyzer/attribution/computation/computation_profile.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/replay/sampled_trace.hpp"
#include "tests/support/analyze.hpp"

using namespace latecomer;
using namespace latecomer::test;

TEST_CASE("functions and lines of the samples of a run") {
  // The times are those of computation_shares_test.cpp.
  const auto report = analyze(sampled_ranks());
  const auto& computation = report.extras().at("computation");
  CHECK(computation.at("samples") == 3);
  CHECK(computation.at("samples_elsewhere") == 1);
  CHECK(computation.at("lost") == 7);
  CHECK(computation.at("periods") == nlohmann::json{1.0, 3.0});
  CHECK(computation.at("processor_seconds") == 5.0);
  CHECK(computation.at("seconds") == 13.0);
  CHECK(computation.at("unsampled") == 2.0);
  CHECK(computation.at("other_lines") == 0.0);
  const auto functions = computation.at("functions");
  REQUIRE(functions.size() == 3);
  CHECK(functions[0].at("name") == "relax");
  CHECK(functions[0].at("self") == 8.8);
  CHECK(functions[0].at("inclusive") == 11.0);
  CHECK(functions[0].at("samples") == 2);
  // Two samples of 1 s and 3 s: 8.8 s with the error 8.8 * sqrt(1 + 9) / 4. The sample of norm adds
  // 2.2 s with the error 2.2 s, which is all of it.
  const double own = 8.8 * std::sqrt(10.0) / 4;
  CHECK(functions[0].at("error").get<double>() == Approx(own));
  CHECK(functions[0].at("inclusive_error").get<double>() == Approx(std::hypot(own, 2.2)));
  CHECK(functions[0].at("locations") == nlohmann::json{8.8, 0.0});
  CHECK(functions[2].at("name") == "main");
  CHECK(functions[2].at("self") == 0.0);
  CHECK(functions[2].at("inclusive_samples") == 3);
  const auto lines = computation.at("lines");
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].at("function") == "relax");
  CHECK(lines[0].at("file") == "heat.c");
  CHECK(lines[0].at("line") == 88);
  CHECK(lines[0].at("seconds") == 8.8);
  CHECK(lines[0].at("error").get<double>() == Approx(own));
  CHECK(lines[1].at("line") == 5);
  CHECK(lines[1].at("locations") == nlohmann::json{2.2, 0.0});
}

TEST_CASE("a time that is shorter than the unit of errors") {
  // 40 us in main with one sample, which is 40 us with the error 40 us. The unit is 100 us.
  TraceBuilder t(1);
  t.property("LATECOMER::SAMPLES", "1");
  t.model().generators = {{.period = 10'000'000}};
  const auto main = stack(t, {"main"}, 12);
  t.init({{0, 1}}).enter(0, "main", at(1));
  sample(t, 0, at(1.00002), main, 0);
  t.leave(0, at(1.00004)).finalize({{1.00004, 2}});
  const auto line = analyze(t).extras().at("computation").at("lines").at(0);
  CHECK(line.at("seconds").get<double>() == Approx(4e-5));
  CHECK(line.at("error").get<double>() == Approx(1e-4));
}

TEST_CASE("without samples there is no profile") {
  auto t = sampled_ranks();
  t.model().properties.erase("LATECOMER::SAMPLES");
  CHECK_FALSE(analyze(t).extras().contains("computation"));
}

TEST_CASE("samples that are damaged are counted") {
  auto t = sampled_ranks();
  auto& model = t.model();
  for (const std::uint64_t period : {std::uint64_t{0}, UINT64_MAX}) {
    for (const std::int64_t exponent : {-9L, 0L, -400L, 400L, INT64_MIN, INT64_MAX}) {
      model.generators.push_back({.period = period, .exponent = exponent});
    }
  }
  model.generators.push_back({.period = 5, .mode = OTF2_INTERRUPT_GENERATOR_MODE_COUNT});
  model.generators.push_back({.period = 5, .exponent = -1, .base = OTF2_BASE_BINARY});
  // Contexts whose parent is itself, comes later, or is not defined; regions and lines that are
  // not.
  const auto next = static_cast<std::uint32_t>(model.contexts.size());
  const auto main = model.region("main");
  model.contexts.push_back({.region = main, .source = 99, .parent = next});
  model.contexts.push_back({.region = main, .parent = next + 2});
  model.contexts.push_back({.region = 12345, .parent = next + 1});
  for (std::uint32_t deep = 0; deep < 50'000; ++deep) {
    model.contexts.push_back(
        {.region = main, .parent = static_cast<std::uint32_t>(model.contexts.size() - 1)});
  }
  auto damaged = TraceBuilder(1);
  damaged.model() = model;
  damaged.model().node_of.resize(1);
  damaged.model().locations.resize(1);
  damaged.model().communicators[0].members = {0};
  damaged.init({{0, 1}}).enter(0, "main", at(1));
  std::int64_t samples = 0;
  for (std::uint32_t generator = 0; generator < model.generators.size() + 2; ++generator) {
    for (const auto context : {next, next + 1, next + 2, next + 1000, next + 4000, next + 49'000,
                               next + 70'000, std::uint32_t{0xffffffff}}) {
      sample(damaged, 0, at(2), context, generator);
      ++samples;
    }
  }
  damaged.leave(0, at(12)).finalize({{12, 13}});
  const auto report = analyze(damaged);
  CHECK(report.metric("time").total() == 13_s);
  CHECK(report.metric("comp").total() == 11_s);
  CHECK(report.extras().at("computation").at("samples") == samples);
  CHECK(report.extras().at("computation").at("unsampled") == 0.0);
  CHECK(report.partial());
}
