// SPDX-License-Identifier: BSD-3-Clause
// Describes a command of latecomer as data. Help, man page, completion and parsing are derived from
// it.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "archive/result.hpp"

namespace latecomer::cli {

// An option of a command.
struct Option {
  std::string name;       // long name, without dashes
  std::string letter;     // short name; may be empty
  std::string value;      // name of its value in the help; empty: it has none
  std::string help;       // one sentence; begins with a small letter, has no full stop
  bool repeated = false;  // may be given several times
  bool needed = false;
  std::vector<std::string> choices = {};  // values for completion; none: any value
};

// The words that the user typed after the name of a command.
class Call {
 public:
  std::vector<std::string> arguments;
  std::map<std::string, std::vector<std::string>> options;  // by long name; flags have no values

  [[nodiscard]] bool has(const std::string& option) const { return options.contains(option); }
  // All values of an option; none if it was not given.
  [[nodiscard]] std::vector<std::string> all(const std::string& option) const {
    const auto found = options.find(option);
    return found == options.end() ? std::vector<std::string>{} : found->second;
  }
  // The last value of an option; empty if it was not given.
  [[nodiscard]] std::string value(const std::string& option) const {
    const auto values = all(option);
    return values.empty() ? "" : values.back();
  }
};

// A command: texts for its help, its options, and the function that runs it.
struct Command {
  std::string name;
  std::string arguments;            // text in the help
  std::string help;                 // one line
  std::size_t least = 0, most = 0;  // number of arguments
  std::vector<Option> options;
  Status (*run)(const Call& call) = nullptr;
};

// Parses the words after the name of a command. A usage Problem names the nearest option. `program`
// is for messages: "latecomer show".
[[nodiscard]] Result<Call> parse(const std::vector<Option>& options,
                                 const std::vector<std::string>& words, const std::string& program);

// "  --output, -o FILE   file to write" for each option.
[[nodiscard]] std::string options_text(const std::vector<Option>& options);
// "[--json] [-o FILE]"
[[nodiscard]] std::string options_line(const std::vector<Option>& options);
// All fields of the options, for man pages and completion.
[[nodiscard]] nlohmann::ordered_json options_json(const std::vector<Option>& options);

// Splits "a,b" into a and b; leaves out empty words.
[[nodiscard]] std::vector<std::string> split_list(const std::string& text);
// Nothing if `text` is not a number, or is too large.
[[nodiscard]] std::optional<std::size_t> number_of(const std::string& text);

// All commands of latecomer, in the order of its help.
[[nodiscard]] const std::vector<Command>& commands();

}  // namespace latecomer::cli
