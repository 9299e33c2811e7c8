// SPDX-License-Identifier: BSD-3-Clause
// The program latecomer: all work with reports. It finds the command and runs it.
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include "analyzer/cli/command.hpp"
#include "analyzer/view/text/explain.hpp"
#include "analyzer/view/text/text.hpp"
#include "archive/output/checked_output.hpp"
#include "archive/problem_text.hpp"
#include "archive/shell_word.hpp"
#include "archive/version.hpp"

namespace {

using namespace latecomer;
using cli::Command;

constexpr std::size_t kColumns = 32;  // width of a command and its arguments

std::string usage() {
  std::string text = "usage: latecomer COMMAND [options] [arguments]\n\n";
  for (const auto& command : cli::commands()) {
    std::string left = "  " + command.name + " " + command.arguments;
    for (const auto& option : command.options) {
      if (option.needed) left += cli::options_line({option});
    }
    text += view::pad_right(left, kColumns - 1) + " " + command.help + "\n";
  }
  return text +
         "\nOptions: --help (behind a command: its options), --version."
         "\nExit status: 0 ok, 1 a check failed, 2 wrong usage, or what is to be written is there "
         "already,\n3 bad input, 4 something is missing.\n";
}

std::string usage(const Command& command) {
  const std::string line = "usage: latecomer " + command.name + cli::options_line(command.options) +
                           " " + command.arguments;
  return view::wrapped(line, "", view::text_width()) + "\n" + command.help + "\n" +
         (command.options.empty() ? "" : "\n" + cli::options_text(command.options));
}

Problem wrong_usage(const std::string& what, const std::string& command) {
  return {what, "latecomer" + (command.empty() ? "" : " " + command) + " --help", Exit::kUsage};
}

Status run(const Command& command, const std::vector<std::string>& words) {
  auto options = command.options;
  options.push_back({"help", "h", "", ""});
  const auto call = cli::parse(options, words, "latecomer " + command.name);
  if (!call) return call.problem();
  if (call->has("help")) {
    std::cout << usage(command);
    return success();
  }
  // A usage error says what the command takes, including the options that it needs.
  std::string takes = command.arguments;
  const cli::Option* missing = nullptr;
  for (const auto& option : command.options) {
    if (!option.needed) continue;
    if (call->value(option.name).empty()) missing = &option;
    takes += cli::options_line({option});
  }
  if (call->arguments.size() < command.least || call->arguments.size() > command.most) {
    if (command.most > command.least && command.least > 1) {
      takes += ", at least " + std::to_string(command.least);
    }
    if (call->arguments.size() > command.most) {
      takes += ": there is no place for " + shell_word(call->arguments[command.most]);
    }
    return wrong_usage("latecomer " + command.name + " takes " + takes, command.name);
  }
  if (missing != nullptr) {
    std::string example =
        "latecomer " + command.name + " -" + missing->letter + " " + missing->value;
    for (const auto& argument : call->arguments) example += " " + shell_word(argument);
    return {Problem{"latecomer " + command.name + " needs --" + missing->name + ", -" +
                        missing->letter + ": " + missing->help,
                    example, Exit::kUsage}};
  }
  return command.run(*call);
}

// ": do you mean show?", or nothing if no command is similar.
std::string nearest_command(const std::string& word) {
  const Command* nearest = nullptr;
  std::size_t smallest = 3;
  for (const auto& command : cli::commands()) {
    const auto distance = view::edit_distance(word.substr(0, 40), command.name);
    if (distance >= smallest) continue;
    nearest = &command;
    smallest = distance;
  }
  return nearest == nullptr ? "" : ": do you mean " + nearest->name + "?";
}

Status run(const std::vector<std::string>& words) {
  if (words.empty()) return wrong_usage("no command was given", "");
  const std::string& first = words.front();
  if (first == "help" && words.size() > 1) return run({words[1], "--help"});
  if (first == "--help" || first == "-h" || first == "help") {
    std::cout << usage();
    return success();
  }
  if (first == "--version") {
    std::cout << "latecomer " LATECOMER_VERSION "\n";
    return success();
  }
  for (const auto& command : cli::commands()) {
    if (first == command.name) return run(command, {words.begin() + 1, words.end()});
  }
  return wrong_usage("there is no command " + first + nearest_command(first), "");
}

}  // namespace

int main(int argc, char** argv) {
  hold_streams();
  try {
    const Status status = run({argv + 1, argv + argc});
    if (status) return checked_output(static_cast<int>(Exit::kOk));
    std::cout.flush();
    std::cerr << problem_text(status.problem());
    return checked_output(static_cast<int>(status.problem().status));
  } catch (const std::bad_alloc&) {
    std::cerr
        << Problem{"out of memory", "is the file damaged, or larger than this machine?"}.text();
    return static_cast<int>(Exit::kBadInput);
  }
}
