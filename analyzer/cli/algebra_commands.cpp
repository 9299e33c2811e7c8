// SPDX-License-Identifier: BSD-3-Clause
// Implements the commands that compute a report from others: diff, mean, merge, cut. Also profile,
// which makes a report of a run that was watched, and scaling, which compares several.
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "analyzer/cli/commands.hpp"
#include "analyzer/report/algebra/combine.hpp"
#include "analyzer/report/algebra/cut.hpp"
#include "analyzer/report/algebra/write_combined.hpp"
#include "analyzer/report/watched/watched_run.hpp"
#include "analyzer/view/difference/changes_table.hpp"
#include "analyzer/view/html/comparison_page.hpp"
#include "analyzer/view/html/html_page.hpp"
#include "analyzer/view/html/scaling_page.hpp"
#include "analyzer/view/metrics/call_path_pattern.hpp"
#include "analyzer/view/scaling/scaling.hpp"
#include "analyzer/view/text/explain.hpp"
#include "analyzer/view/text/page_file.hpp"
#include "analyzer/view/text/text.hpp"
#include "archive/experiment/no_records.hpp"
#include "archive/layout.hpp"
#include "archive/printable.hpp"
#include "archive/shell_word.hpp"
#include "tracer/watch/view/agent_report.hpp"

namespace latecomer::cli {
namespace {

namespace fs = std::filesystem;

// Several open reports, and pointers to them.
struct Reports {
  std::vector<report::Report> reports;
  std::vector<report::Report*> pointers;
};

Result<Reports> open_all(const std::vector<std::string>& paths) {
  Reports all;
  for (const auto& path : paths) {
    auto report = open_report(path);
    if (!report) return report.problem();
    all.reports.push_back(std::move(*report));
  }
  for (auto& report : all.reports) all.pointers.push_back(&report);
  return all;
}

// Status at the end of a command: partial if any of the reports has lost values.
Status all_finished(const Reports& all) {
  for (const auto& report : all.reports) {
    if (auto status = finished(report); !status) return status;
  }
  return success();
}

Status write(const report::Combined& combined, const Call& call) {
  std::ostringstream bytes;
  if (const auto status = report::write_combined(combined, bytes); !status) return status;
  return view::write_new_file(call.value("output"), bytes.str(), call.has("overwrite"));
}

void say_written(const Call& call, const std::string& what, const report::Combined& combined,
                 const std::vector<std::string>& notes) {
  const auto& d = combined.definitions;
  std::cout << printable(call.value("output")) << ": " << what << ", "
            << view::counted(d.metrics.size(), "metric") << ", "
            << view::counted(d.call_paths.size(), "call path") << ", "
            << view::counted(d.locations.size(), "location") << "\n";
  for (const auto& note : notes) std::cout << "note: " << printable(note) << "\n";
  for (const auto& note : combined.notes) std::cout << "note: " << printable(note) << "\n";
}

Status make_one(report::Operation operation, const std::string& word, const Call& call) {
  if (const auto can = view::can_write(call.value("output"), call.has("overwrite")); !can) {
    return can;
  }
  auto all = open_all(call.arguments);
  if (!all) return all.problem();
  const auto matching = report::match(all->pointers, operation == report::Operation::kMerge
                                                         ? report::Common::kCallPaths
                                                         : report::Common::kMetricsAndCallPaths);
  if (!matching) return matching.problem();
  const auto combined = report::combine(operation, *matching, all->pointers);
  if (!combined) return combined.problem();
  if (const auto status = write(*combined, call); !status) return status;
  say_written(call, word + " of " + view::counted(call.arguments.size(), "report"), *combined,
              matching->notes);
  return all_finished(*all);
}

// Call paths that match any of the patterns; a usage Problem if a pattern matches none.
Result<std::vector<bool>> fitting(const report::Definitions& d,
                                  const std::vector<std::string>& patterns) {
  std::vector<bool> flags(d.call_paths.size());
  for (const auto& pattern : patterns) {
    const auto known = view::at_or_below(d, pattern);
    if (!known) return known.problem();
    const auto found = view::ends_with(d, pattern);
    for (std::size_t c = 0; c < flags.size(); ++c) flags[c] = flags[c] || found[c];
  }
  return flags;
}

constexpr std::size_t kTop = 10;
constexpr std::uint64_t kMostRanks = 1'000'000'000;

// The number given with an option; nothing without it.
Result<std::optional<std::uint64_t>> number_given(const Call& call, const std::string& option) {
  if (!call.has(option)) return std::optional<std::uint64_t>();
  const auto number = number_of(call.value(option));
  if (!number || *number == 0 || *number > kMostRanks) {
    return Problem{"--" + option + " " + call.value(option) + ": not a number above 0",
                   "latecomer scaling --help", Exit::kUsage};
  }
  return std::optional<std::uint64_t>(*number);
}

}  // namespace

Status diff(const Call& call) {
  std::size_t top = 10;
  if (call.has("top")) {
    const auto number = number_of(call.value("top"));
    if (!number || *number == 0) {
      return Problem{"--top " + call.value("top") + ": not a number above 0",
                     "latecomer diff --help", Exit::kUsage};
    }
    top = *number;
  }
  // Outputs that cannot be written are refused before the reports are read.
  const bool writes = call.has("output");
  if (writes) {
    const auto can = view::can_write(call.value("output"), call.has("overwrite"));
    if (!can) return can;
  }
  const bool shows_page = call.has("html");
  if (shows_page) {
    const auto can = view::can_write(call.value("html"), call.has("overwrite"));
    if (!can) return can;
  }
  auto all = open_all(call.arguments);
  if (!all) return all.problem();
  const auto matching = report::match(all->pointers);
  if (!matching) return matching.problem();
  std::vector<std::string> names;
  for (const auto& list : call.all("metric")) {
    for (const auto& name : split_list(list)) names.push_back(name);
  }
  const auto changes = view::find_changes(*all->pointers[0], *all->pointers[1], *matching, names);
  if (!changes) return changes.problem();
  if (writes || shows_page) {
    const auto combined = report::combine(report::Operation::kDiff, *matching, all->pointers);
    if (!combined) return combined.problem();
    if (writes) {
      if (const auto status = write(*combined, call); !status) return status;
    }
    if (shows_page) {
      const auto page = view::comparison_page(*combined, *changes, call.value("html"));
      if (!page) return page.problem();
      const auto status = view::write_new_file(call.value("html"), *page, call.has("overwrite"));
      if (!status) return status;
    }
  }
  if (call.has("json")) {
    print_json(view::changes_json(*changes));
  } else {
    std::cout << view::changes_text(*changes, top, view::Colours::of_terminal());
    if (writes || shows_page) std::cout << "\n";
    if (writes) {
      std::cout << call.value("output") << ": the values of B less those of A\n";
      if (!matching->ratios.empty()) {
        std::cout << "note: " << report::note_of_ratios(matching->ratios) << " there\n";
      }
    }
    if (shows_page) std::cout << call.value("html") << ": the same for the browser\n";
  }
  return all_finished(*all);
}

Status mean(const Call& call) { return make_one(report::Operation::kMean, "mean", call); }
Status merge(const Call& call) { return make_one(report::Operation::kMerge, "union", call); }

Status profile(const Call& call) {
  std::error_code error;
  fs::path file = call.arguments[0];
  if (fs::is_directory(file, error)) {
    file /= kWatchReport;
    if (!fs::exists(file, error) && was_only_watched(call.arguments[0])) {
      return Problem{call.arguments[0] + " has no " + kWatchReport + " yet",
                     hint_of_profile(call.arguments[0])};
    }
    if (!fs::exists(file, error)) {
      return Problem{call.arguments[0] + " has no " + kWatchReport + ": its run was not watched",
                     "scan --watch mpiexec -n 4 ./program watches one"};
    }
  }
  const fs::path output =
      call.has("output") ? fs::path(call.value("output")) : file.parent_path() / layout::kReport;
  if (fs::equivalent(output, file, error)) {
    return Problem{output.string() + " would be replaced by the report that is made of it",
                   "name another file: -o FILE", Exit::kUsage};
  }
  if (!call.has("output") && fs::exists(file.parent_path() / layout::kAnchor, error)) {
    return Problem{output.string() + " is for the report of the trace, which tells more",
                   "latecomer profile -o FILE " + shell_word(call.arguments[0]) + " keeps both",
                   Exit::kUsage};
  }
  if (const auto can = view::can_write(output, call.has("overwrite")); !can) return can;
  const auto run = watch::read_report(file.string());
  if (!run) return run.problem();
  if (run->ranks.empty()) {
    return Problem{file.string() + " has no rank that was watched",
                   "give the report of a run whose ranks were seen"};
  }
  std::ostringstream bytes;
  if (const auto status = report::write_combined(report::report_of(*run), bytes); !status) {
    return status;
  }
  if (const auto status = view::write_new_file(output, bytes.str(), call.has("overwrite"));
      !status) {
    return status;
  }
  // These would still show an earlier report of the experiment.
  if (output.filename() == layout::kReport &&
      fs::equivalent(output.parent_path().empty() ? "." : output.parent_path(),
                     file.parent_path().empty() ? "." : file.parent_path(), error)) {
    view::remove_page(output.parent_path());
    const fs::path statistics = output.parent_path() / layout::kStatistics;
    if (fs::is_regular_file(statistics, error)) fs::remove(statistics, error);
  }
  std::cout << printable(output.string()) << ": " << view::counted(run->ranks.size(), "rank")
            << " that were watched; latecomer show " << shell_word(output.string()) << "\n";
  return success();
}

Status cut(const Call& call) {
  if (!call.has("root") && !call.has("prune") && !call.has("metric")) {
    return Problem{"nothing was chosen: give --root, --prune or --metric", "latecomer cut --help",
                   Exit::kUsage};
  }
  if (const auto can = view::can_write(call.value("output"), call.has("overwrite")); !can) {
    return can;
  }
  auto report = open_report(call.arguments[0]);
  if (!report) return report.problem();
  const auto& d = report->definitions();
  report::Cut parts;
  auto roots = fitting(d, call.all("root"));
  if (!roots) return roots.problem();
  auto pruned = fitting(d, call.all("prune"));
  if (!pruned) return pruned.problem();
  parts.roots = std::move(*roots);
  parts.pruned = std::move(*pruned);
  parts.metrics.assign(d.metrics.size(), false);
  for (const auto& list : call.all("metric")) {
    for (const auto& name : split_list(list)) {
      const auto found = view::find_metric(d.metrics, name, "latecomer explain");
      if (!found) return found.problem();
      for (std::size_t m = 0; m < d.metrics.size(); ++m) {
        // The metric that was named, and its parts.
        const auto parent = report->find(d.metrics[m].parent);
        if (d.metrics[m].name == found->name ||
            (parent != report::kNone && parent < m && parts.metrics[parent])) {
          parts.metrics[m] = true;
        }
      }
    }
  }
  const auto combined = report::cut(*report, parts);
  if (!combined) return combined.problem();
  if (const auto status = write(*combined, call); !status) return status;
  say_written(call, "a part of " + report->file(), *combined, {});
  return finished(*report);
}

Status scaling(const Call& call) {
  view::ScalingOptions options;
  if (call.has("strong") && call.has("weak")) {
    return Problem{"--strong and --weak exclude each other", "latecomer scaling --help",
                   Exit::kUsage};
  }
  if (call.has("strong")) options.strong = true;
  if (call.has("weak")) options.strong = false;
  const auto at = number_given(call, "at");
  if (!at) return at.problem();
  options.next = at->value_or(0);
  const auto top = number_given(call, "top");
  if (!top) return top.problem();
  // A file that cannot be written is refused before the reports are read.
  const fs::path page = call.value("html");
  if (call.has("html")) {
    if (const auto can = view::can_write(page, call.has("overwrite")); !can) return can;
  }

  auto all = open_all(call.arguments);
  if (!all) return all.problem();
  const auto compared = view::compare_sizes(all->pointers, options);
  if (!compared) return compared.problem();
  if (call.has("html")) {
    const auto status =
        view::write_new_file(page, view::scaling_page(*compared), call.has("overwrite"));
    if (!status) return status;
  }
  if (call.has("json")) {
    print_json(view::scaling_json(*compared));
  } else {
    std::cout << view::scaling_text(*compared, top->value_or(kTop));
    if (call.has("html")) std::cout << "\n" << page.string() << ": the same for the browser\n";
  }
  return all_finished(*all);
}

}  // namespace latecomer::cli
