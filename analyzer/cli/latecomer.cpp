// SPDX-License-Identifier: BSD-3-Clause
// latecomer: everything one does with a report. One function per command.
#include <unistd.h>

#include <array>
#include <boost/program_options.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "analyzer/cli/read_archive_info.hpp"
#include "analyzer/cli/read_clocks.hpp"
#include "analyzer/report/read_cube.hpp"
#include "analyzer/trace/collect.hpp"
#include "analyzer/view/clocks.hpp"
#include "analyzer/view/explain.hpp"
#include "analyzer/view/export.hpp"
#include "analyzer/view/html/html_page.hpp"
#include "analyzer/view/info.hpp"
#include "analyzer/view/locate.hpp"
#include "analyzer/view/show.hpp"
#include "analyzer/view/text.hpp"
#include "archive/layout.hpp"
#include "patterns/metrics.hpp"

namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;
using namespace latecomer;

// What the user typed behind the name of a command.
struct Call {
  bool json = false, svg = false, overwrite = false;
  std::string output;
  std::vector<std::string> arguments, metrics;
};

// Options that not all commands have.
constexpr unsigned kNone = 0, kJson = 1, kSvg = 2;
constexpr unsigned kOutput = 4;  // and needs it
constexpr unsigned kFile = 8;    // -o FILE and --overwrite
constexpr unsigned kMetric = 16;

struct Command {
  const char* name;
  const char* arguments;
  const char* help;
  std::size_t least, most;  // number of arguments
  unsigned options;         // kJson, ...
  Status (*run)(const Call& call);
};

void print(const nlohmann::ordered_json& json) {
  std::cout << json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
}

Status show(const Call& call) {
  const auto file = view::locate_report(call.arguments[0]);
  if (!file) return file.problem();
  auto report = report::Report::open(*file);
  if (!report) return report.problem();
  const auto summary = view::summarize(*report);
  if (!summary) return summary.problem();
  if (call.json) {
    print(view::show_json(*summary));
  } else {
    std::cout << view::show_text(*summary);
  }
  return success();
}

// Where the page goes if nobody says: into the experiment, or beside the report.
fs::path page_of(const fs::path& report) {
  if (report.filename() == layout::kReport) return report.parent_path() / layout::kPage;
  return fs::path(report).replace_extension(".html");
}

Status html(const Call& call) {
  const auto file = view::locate_report(call.arguments[0]);
  if (!file) return file.problem();
  auto report = report::Report::open(*file);
  if (!report) return report.problem();
  const fs::path output = call.output.empty() ? page_of(*file) : fs::path(call.output);
  if (const auto status = view::can_write(output, call.overwrite); !status) return status;
  // The archive beside the report tells more about the clocks; the page does without, too.
  std::optional<view::ClockInfo> clocks;
  const fs::path experiment = file->parent_path().empty() ? "." : file->parent_path();
  std::error_code error;
  if (file->filename() == layout::kReport && fs::exists(experiment / layout::kAnchor, error)) {
    if (auto read = cli::read_clocks(experiment)) clocks = std::move(*read);
  }
  const auto page = view::html_page(*report, clocks, call.metrics);
  if (!page) return page.problem();
  if (const auto status = view::write_new_file(output, *page, call.overwrite); !status) {
    return status;
  }
  constexpr double kMega = 1e6, kLargeFile = 10e6;
  const auto size = static_cast<double>(page->size());
  std::cout << output.string() << ": " << view::four_digits(size / kMega)
            << " MB, open it in a browser\n";
  if (size > kLargeFile) {
    std::cout << "note: a browser takes some seconds to open more than 10 MB; --metric NAME (once "
                 "or more often) takes only what is named\n";
  }
  return success();
}

// To a file if one is named, else to the standard output.
Status export_as(Status (*write)(report::Report&, std::ostream&), const Call& call) {
  const auto file = view::locate_report(call.arguments[0]);
  if (!file) return file.problem();
  auto report = report::Report::open(*file);
  if (!report) return report.problem();
  if (call.output.empty()) return write(*report, std::cout);
  if (const auto status = view::can_write(call.output, call.overwrite); !status) return status;
  std::ostringstream text;
  if (const auto status = write(*report, text); !status) return status;
  return view::write_new_file(call.output, text.str(), call.overwrite);
}

Status json(const Call& call) { return export_as(view::export_json, call); }
Status csv(const Call& call) { return export_as(view::export_csv, call); }

Status info(const Call& call) {
  const auto archive = cli::read_archive_info(call.arguments[0]);
  if (!archive) return archive.problem();
  if (call.json) {
    print(view::info_json(*archive));
  } else {
    std::cout << view::info_text(*archive);
  }
  return success();
}

Status clocks(const Call& call) {
  const auto info = cli::read_clocks(call.arguments[0]);
  if (!info) return info.problem();
  if (call.json) {
    print(view::clocks_json(*info));
  } else {
    std::cout << (call.svg ? view::clocks_svg(*info) : view::clocks_text(*info));
  }
  return success();
}

Status explain(const Call& call) {
  // Two metahosts, so that the metrics that only exist with several are known too.
  const std::array<patterns::Metahost, 2> metahosts = {{{0, "0"}, {1, "1"}}};
  auto metrics = patterns::computed_metrics(metahosts);
  if (call.arguments.empty()) {
    std::erase_if(metrics, [](const patterns::Metric& metric) {
      return metric.parent.starts_with("metahost_pairs_");  // one per pair of these two
    });
    if (call.json) {
      print(view::list_json(metrics));
    } else {
      std::cout << view::list_text(metrics);
    }
    return success();
  }
  auto metric = view::find_metric(metrics, call.arguments[0]);
  // Pairs of metahosts have names for any ids.
  if (const auto pair = patterns::find_metric(call.arguments[0]); !metric && pair) metric = *pair;
  if (!metric) return metric.problem();
  if (call.json) {
    print(view::explain_json(metrics, *metric));
  } else {
    std::cout << view::explain_text(metrics, *metric);
  }
  return success();
}

Status repair(const Call& call) {
  std::error_code error;
  const auto program = fs::read_symlink("/proc/self/exe", error).parent_path() / "latecomer-repair";
  std::string directory = call.arguments[0];
  const std::array<char*, 3> arguments = {const_cast<char*>(program.c_str()), directory.data(),
                                          nullptr};
  execv(program.c_str(), arguments.data());
  return Problem{"cannot run " + program.string() + ": " + std::strerror(errno),
                 "is Latecomer installed completely?"};
}

Status collect(const Call& call) {
  const auto collected =
      trace::collect({call.arguments.begin(), call.arguments.end()}, call.output);
  if (!collected) return collected.problem();
  std::cout << call.output << ": " << (collected->records ? "records" : "trace") << " of "
            << view::counted(collected->ranks, "rank") << " from "
            << view::counted(call.arguments.size(), "part")
            << "\nnext: " << (collected->records ? "latecomer repair " : "scan -a ") << call.output
            << '\n';
  return success();
}

constexpr std::size_t kAnyNumber = 1'000'000;

constexpr std::array<Command, 9> kCommands = {{
    {"show", "EXPERIMENT|REPORT", "where the program waited, and which ranks", 1, 1, kJson, show},
    {"html", "EXPERIMENT|REPORT", "the report as one file for the browser", 1, 1, kFile | kMetric,
     html},
    {"json", "EXPERIMENT|REPORT", "everything in the report, for programs", 1, 1, kFile, json},
    {"csv", "EXPERIMENT|REPORT", "one line per value, for tables and statistics", 1, 1, kFile, csv},
    {"info", "EXPERIMENT", "what a trace contains", 1, 1, kJson, info},
    {"clocks", "EXPERIMENT", "how the clocks of the nodes differed and drifted", 1, 1, kJson | kSvg,
     clocks},
    {"explain", "[METRIC]", "what a metric means; without a name: list of all", 0, 1, kJson,
     explain},
    {"repair", "EXPERIMENT", "make a trace of what a killed run left behind", 1, 1, kNone, repair},
    {"collect", "PART... -o NEW", "make one trace of the parts that several metahosts hold", 1,
     kAnyNumber, kOutput, collect},
}};

std::string usage() {
  std::string text = "usage: latecomer COMMAND [options] [arguments]\n\n";
  for (const auto& command : kCommands) {
    std::string left = std::string("  ") + command.name + " " + command.arguments;
    left.resize(28, ' ');
    text += left + command.help + "\n";
  }
  return text +
         "\nOptions: --help (also behind a command), --version; --json behind show, info, clocks, "
         "explain."
         "\nExit status: 0 ok, 2 wrong usage, 3 bad input; of repair also 4: something is "
         "missing.\n";
}

std::string usage(const Command& command) {
  const auto option = [&](unsigned which, const char* text) {
    return (command.options & which) != 0 ? text : "";
  };
  return std::string("usage: latecomer ") + command.name + option(kJson, " [--json]") +
         option(kSvg, " [--svg]") + option(kFile, " [-o FILE] [--overwrite]") +
         option(kMetric, " [--metric NAME]...") + " " + command.arguments + "\n\n" + command.help +
         "\n" + option(kJson, "\n  --json   print as JSON, nothing shortened\n") +
         option(kSvg, "  --svg    print a drawing over time (SVG)\n") +
         option(kOutput, "\n  --output, -o NEW   directory to make\n") +
         option(kFile,
                "\n  --output, -o FILE   file to write; default of html: report.html in the "
                "experiment, "
                "or beside\n                      the report; of json and csv: the standard output"
                "\n  --overwrite         even if it exists\n") +
         option(
             kMetric,
             "  --metric NAME       only this metric, what it is a part of, and its parts; may be "
             "repeated\n");
}

Problem wrong_usage(const std::string& what, const std::string& command) {
  return {what, "latecomer" + (command.empty() ? "" : " " + command) + " --help", Exit::kUsage};
}

Status run(const Command& command, const std::vector<std::string>& words) {
  po::options_description options;
  options.add_options()("help,h", "")("arguments", po::value<std::vector<std::string>>());
  const auto has = [&](unsigned which) { return (command.options & which) != 0; };
  if (has(kJson)) options.add_options()("json", "");
  if (has(kSvg)) options.add_options()("svg", "");
  if (has(kOutput | kFile)) options.add_options()("output,o", po::value<std::string>());
  if (has(kFile)) options.add_options()("overwrite", "");
  if (has(kMetric)) options.add_options()("metric", po::value<std::vector<std::string>>());
  po::positional_options_description positional;
  positional.add("arguments", -1);
  po::variables_map values;
  try {
    po::store(po::command_line_parser(words).options(options).positional(positional).run(), values);
  } catch (const po::error& error) {
    std::string what = error.what();
    for (const auto& option : options.options()) {
      const std::string known = option->long_name();
      const auto at = what.find("'--");
      if (at == std::string::npos || known == "arguments") continue;
      const std::string typed = what.substr(at + 3, what.find('\'', at + 3) - at - 3).substr(0, 40);
      if (view::edit_distance(typed, known) > 2) continue;
      what += ": do you mean --" + known + "?";
      break;
    }
    return wrong_usage(what, command.name);
  }
  if (values.count("help") != 0) {
    std::cout << usage(command);
    return success();
  }
  Call call;
  call.json = values.count("json") != 0;
  call.svg = values.count("svg") != 0;
  call.overwrite = values.count("overwrite") != 0;
  if (values.count("output") != 0) call.output = values["output"].as<std::string>();
  if (values.count("metric") != 0) call.metrics = values["metric"].as<std::vector<std::string>>();
  if (values.count("arguments") != 0) {
    call.arguments = values["arguments"].as<std::vector<std::string>>();
  }
  const bool lacks_output = has(kOutput) && call.output.empty();
  if (call.arguments.size() < command.least || call.arguments.size() > command.most ||
      lacks_output) {
    return wrong_usage(std::string("latecomer ") + command.name + " takes " + command.arguments,
                       command.name);
  }
  return command.run(call);
}

// ": do you mean show?", or nothing if none is near.
std::string nearest_command(const std::string& word) {
  const Command* nearest = nullptr;
  std::size_t smallest = 3;
  for (const auto& command : kCommands) {
    const auto distance = view::edit_distance(word.substr(0, 40), command.name);
    if (distance >= smallest) continue;
    nearest = &command;
    smallest = distance;
  }
  return nearest == nullptr ? "" : std::string(": do you mean ") + nearest->name + "?";
}

Status run(const std::vector<std::string>& words) {
  if (words.empty()) return wrong_usage("no command was given", "");
  const std::string& first = words.front();
  if (first == "--help" || first == "-h" || first == "help") {
    std::cout << usage();
    return success();
  }
  if (first == "--version") {
    std::cout << "latecomer " LATECOMER_VERSION "\n";
    return success();
  }
  for (const auto& command : kCommands) {
    if (first == command.name) return run(command, {words.begin() + 1, words.end()});
  }
  return wrong_usage("there is no command " + first + nearest_command(first), "");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Status status = run({argv + 1, argv + argc});
    std::cout.flush();
    if (status && !std::cout) {
      std::cerr << Problem{"cannot write the output", ""}.text();
      return static_cast<int>(Exit::kBadInput);
    }
    if (status) return static_cast<int>(Exit::kOk);
    std::cerr << status.problem().text();
    return static_cast<int>(status.problem().status);
  } catch (const std::bad_alloc&) {
    std::cerr
        << Problem{"out of memory", "is the file damaged, or larger than this machine?"}.text();
    return static_cast<int>(Exit::kBadInput);
  }
}
