// SPDX-License-Identifier: BSD-3-Clause
// Implements `latecomer timeline`. The analyzer knows times, messages and waits, so it writes them.
#include "analyzer/cli/commands.hpp"
#include "analyzer/view/html/html_page.hpp"

namespace latecomer::cli {

Status timeline(const Call& call) {
  const std::string output = call.value("output");
  if (const auto can = view::can_write(output, call.has("overwrite")); !can) return can;
  std::vector<std::string> words = {"--timeline", output};
  for (const char* option : {"from", "to", "ranks"}) {
    if (call.has(option))
      words.insert(words.end(), {std::string("--") + option, call.value(option)});
  }
  words.push_back(call.arguments[0]);
  return run_program("latecomer-analyzer", words);
}

}  // namespace latecomer::cli
