// SPDX-License-Identifier: BSD-3-Clause
// Prints commands, options and metrics as JSON, from which man pages and completion are made. Not
// installed.
#include <array>
#include <iostream>
#include <nlohmann/json.hpp>

#include "analyzer/cli/analyzer_options.hpp"
#include "analyzer/cli/command.hpp"
#include "analyzer/view/text/run_numbers.hpp"
#include "archive/version.hpp"
#include "patterns/metrics.hpp"

int main() {
  using namespace latecomer;
  using Json = nlohmann::ordered_json;
  Json commands = Json::array(), metrics = Json::array(), numbers = Json::array();
  for (const auto& command : cli::commands()) {
    commands.push_back({{"name", command.name},
                        {"arguments", command.arguments},
                        {"help", command.help},
                        {"synopsis", cli::options_line(command.options)},
                        {"options", cli::options_json(command.options)}});
  }
  const std::array<patterns::Metahost, 2> metahosts = {{{0, "0"}, {1, "1"}}};
  // All metrics that `latecomer explain` knows, except pairs of metahosts.
  for (const auto& metric : patterns::computed_metrics(metahosts, patterns::Paradigms::all())) {
    if (metric.parent.starts_with("metahost_pairs_")) continue;
    metrics.push_back({{"name", metric.name},
                       {"display", metric.display},
                       {"parent", metric.parent},
                       {"unit", metric.unit == patterns::Unit::kSeconds       ? "sec"
                                : metric.unit == patterns::Unit::kOccurrences ? "occ"
                                                                              : "bytes"},
                       {"explanation", metric.explanation},
                       {"formula", metric.formula}});
  }
  for (const auto& number : view::run_numbers()) {
    numbers.push_back({{"name", number.name},
                       {"display", number.display},
                       {"unit", number.unit},
                       {"meaning", number.meaning}});
  }
  std::cout << Json{{"version", LATECOMER_VERSION},
                    {"commands", commands},
                    {"analyzer", cli::options_json(cli::analyzer_options())},
                    {"metrics", metrics},
                    {"numbers", numbers}}
                   .dump(1)
            << '\n';
}
