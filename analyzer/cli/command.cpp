// SPDX-License-Identifier: BSD-3-Clause
// Boost parses the options. Texts are made here, so that they look the same in all programs.
#include "analyzer/cli/command.hpp"

#include <algorithm>
#include <boost/program_options.hpp>
#include <nlohmann/json.hpp>

#include "analyzer/view/text/explain.hpp"
#include "analyzer/view/text/text.hpp"

namespace latecomer::cli {
namespace {

namespace po = boost::program_options;

// ": do you mean --json?" if the message is about an option whose name is similar to a known one.
std::string nearest_option(const std::string& message, const std::vector<Option>& options) {
  const auto at = message.find("'--");
  if (at == std::string::npos) return "";
  const std::string typed = message.substr(at + 3, message.find('\'', at + 3) - at - 3);
  for (const auto& option : options) {
    if (option.name == typed) return "";
    if (view::edit_distance(typed.substr(0, 40), option.name) > 2) continue;
    return ": do you mean --" + option.name + "?";
  }
  return "";
}

std::string with_value(const Option& option) {
  return "--" + option.name + (option.letter.empty() ? "" : ", -" + option.letter) +
         (option.value.empty() ? "" : " " + option.value);
}

}  // namespace

Result<Call> parse(const std::vector<Option>& options, const std::vector<std::string>& words,
                   const std::string& program) {
  using Values = std::vector<std::string>;
  // Words that do not belong to an option become values of "arguments".
  po::options_description known;
  known.add_options()("arguments", po::value<Values>());
  for (const auto& option : options) {
    const std::string names = option.name + (option.letter.empty() ? "" : "," + option.letter);
    if (option.value.empty()) {
      known.add_options()(names.c_str(), "");
    } else if (option.repeated) {
      known.add_options()(names.c_str(), po::value<Values>());
    } else {
      known.add_options()(names.c_str(), po::value<std::string>());
    }
  }
  po::positional_options_description positional;
  positional.add("arguments", -1);
  const std::string hint = program + " --help";
  Call call;
  try {
    po::variables_map values;
    po::store(po::command_line_parser(words).options(known).positional(positional).run(), values);
    for (const auto& option : options) {
      if (values.count(option.name) == 0) continue;
      auto& given = call.options[option.name];
      if (option.value.empty()) continue;
      given = option.repeated ? values[option.name].as<Values>()
                              : Values{values[option.name].as<std::string>()};
    }
    if (values.count("arguments") != 0) call.arguments = values["arguments"].as<Values>();
  } catch (const po::error& error) {
    const std::string what = error.what();
    return Problem{what + nearest_option(what, options), hint, Exit::kUsage};
  }
  return call;
}

std::string options_text(const std::vector<Option>& options) {
  constexpr std::size_t kWidest = 26;
  std::size_t left = 0;
  for (const auto& option : options) {
    const auto columns = view::width(with_value(option));
    if (columns <= kWidest) left = std::max(left, columns);
  }
  const std::string indent(left + 5, ' ');
  std::string text;
  for (const auto& option : options) {
    const std::string name = "  " + with_value(option);
    const std::string help = option.help + (option.repeated ? "; may be repeated" : "");
    std::string lines = view::wrapped(help, indent, view::text_width());
    // A long option has a line of its own.
    if (view::width(name) + 3 > indent.size()) {
      text += name + "\n";
    } else {
      lines.replace(0, indent.size(), view::pad_right(name, indent.size()));
    }
    text += lines;
  }
  return text;
}

std::string options_line(const std::vector<Option>& options) {
  std::string line;
  for (const auto& option : options) {
    if (option.name == "help") continue;
    const std::string name = (option.letter.empty() ? "--" + option.name : "-" + option.letter) +
                             (option.value.empty() ? "" : " " + option.value);
    line += " " + (option.needed ? name : "[" + name + "]") + (option.repeated ? "..." : "");
  }
  return line;
}

nlohmann::ordered_json options_json(const std::vector<Option>& options) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& option : options) {
    list.push_back({{"name", option.name},
                    {"letter", option.letter},
                    {"value", option.value},
                    {"help", option.help},
                    {"repeated", option.repeated},
                    {"choices", option.choices}});
  }
  return list;
}

}  // namespace latecomer::cli
