// SPDX-License-Identifier: BSD-3-Clause
// Prints commands, options and metrics as JSON: man pages and completion are made from it. Not
// installed.
#include <array>
#include <iostream>

#include "analyzer/cli/analyzer_options.hpp"
#include "analyzer/cli/command.hpp"
#include "patterns/metrics.hpp"

int main() {
  using namespace latecomer;
  using Json = nlohmann::ordered_json;
  Json commands = Json::array(), metrics = Json::array();
  for (const auto& command : cli::commands()) {
    commands.push_back({{"name", command.name},
                        {"arguments", command.arguments},
                        {"help", command.help},
                        {"synopsis", cli::options_line(command.options)},
                        {"options", cli::options_json(command.options)}});
  }
  const std::array<patterns::Metahost, 2> metahosts = {{{0, "0"}, {1, "1"}}};
  for (const auto& metric : patterns::computed_metrics(metahosts)) {
    if (!metric.parent.starts_with("metahost_pairs_")) metrics.push_back(metric.name);
  }
  std::cout << Json{{"version", LATECOMER_VERSION},
                    {"commands", commands},
                    {"analyzer", cli::options_json(cli::analyzer_options())},
                    {"metrics", metrics}}
                   .dump(1)
            << '\n';
}
