// SPDX-License-Identifier: BSD-3-Clause
// Implements the commands that convert one report: html, json, csv, filter.
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "analyzer/cli/commands.hpp"
#include "analyzer/cli/progress_line.hpp"
#include "analyzer/inspect/read_clocks.hpp"
#include "analyzer/view/html/html_page.hpp"
#include "analyzer/view/metrics/export.hpp"
#include "analyzer/view/metrics/time_rows.hpp"
#include "analyzer/view/summary/costly_functions.hpp"
#include "analyzer/view/text/locate.hpp"
#include "analyzer/view/text/page_file.hpp"
#include "analyzer/view/text/text.hpp"
#include "archive/layout.hpp"
#include "archive/plain_file.hpp"
#include "archive/printable.hpp"

namespace latecomer::cli {
namespace {

namespace fs = std::filesystem;

// Default file of the page: in the experiment, or beside the report.
fs::path page_of(const fs::path& report) {
  if (report.filename() == layout::kReport) return report.parent_path() / layout::kPage;
  return fs::path(report).replace_extension(".html");
}

fs::path directory_of(const fs::path& file) {
  return file.parent_path().empty() ? "." : file.parent_path();
}

// Writes to a file if one is named, otherwise to standard output.
Status export_as(Status (*write)(report::Report&, std::ostream&), const Call& call) {
  auto report = open_report(call.arguments[0]);
  if (!report) return report.problem();
  const fs::path output = call.value("output");
  if (output.empty()) {
    const auto status = write(*report, std::cout);
    return status ? finished(*report) : status;
  }
  const bool overwrite = call.has("overwrite");
  if (const auto status = view::can_write(output, overwrite); !status) return status;
  // The file appears only when the export is complete.
  std::ostringstream text;
  if (const auto status = write(*report, text); !status) return status;
  if (const auto status = view::write_new_file(output, text.str(), overwrite); !status) {
    return status;
  }
  return finished(*report);
}

Status export_csv_by_time(report::Report& report, std::ostream& out) {
  const auto rows = view::time_rows(report, {}, std::nullopt);
  if (!rows) return rows.problem();
  view::export_csv_head(report, out);
  view::time_csv(*rows, out);
  return success();
}

}  // namespace

Result<report::Report> open_report(const fs::path& path) {
  const auto file = view::locate_report(path);
  if (!file) return file.problem();
  return report::Report::open(*file);
}

Status finished(const report::Report& report) {
  for (const auto& note : report.missing_values()) {
    if (!note.partial) continue;
    const std::string more =
        note.count > 1 ? ", and " + std::to_string(note.count - 1) + " more" : "";
    return Problem{report.file() + " has lost values: " + note.files.front() + more,
                   "what is missing was taken for zero; copy the report again, or analyze again",
                   Exit::kPartial};
  }
  return success();
}

std::optional<view::ClockInfo> clocks_beside(const report::Report& report) {
  const fs::path file = report.file();
  std::error_code error;
  if (file.filename() != layout::kReport ||
      !fs::exists(directory_of(file) / layout::kAnchor, error)) {
    return std::nullopt;
  }
  auto read = read_clocks(directory_of(file));
  if (!read) return std::nullopt;  // the page can do without
  return std::move(*read);
}

std::string json_text(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

void print_json(const nlohmann::ordered_json& json) { std::cout << json_text(json); }

Status html(const Call& call) {
  auto report = open_report(call.arguments[0]);
  if (!report) return report.problem();
  const fs::path file = report->file();
  const bool overwrite = call.has("overwrite");
  const fs::path output =
      call.value("output").empty() ? page_of(file) : fs::path(call.value("output"));
  if (const auto status = view::can_write(output, overwrite); !status) return status;
  const fs::path experiment = directory_of(file);
  const auto page = [&] {
    ProgressLine line(isatty(STDERR_FILENO) != 0, stderr);
    const auto progress = [&](std::size_t done, std::size_t all) {
      line.part("preparing the page", done, all, "metrics/s");
    };
    return view::html_page(*report, clocks_beside(*report), call.all("metric"), nullptr, progress);
  }();
  if (!page) return page.problem();
  if (const auto status = view::write_new_file(output, *page, overwrite); !status) return status;
  // Only the usual page of an experiment is listed in its manifest.
  if (file.filename() == layout::kReport &&
      output.lexically_normal() == (experiment / layout::kPage).lexically_normal()) {
    view::list_page(experiment);
  }
  constexpr double kLargeFile = 10e6;
  const auto size = static_cast<double>(page->size());
  std::cout << printable(output.string()) << ": " << view::size_text(size)
            << ", open it in a browser\n";
  if (size > kLargeFile) {
    std::cout << "note: a browser takes some seconds to open more than 10 MB; latecomer view loads "
                 "only what is looked at, --metric NAME takes only what is named\n";
  }
  return finished(*report);
}

Status json(const Call& call) { return export_as(view::export_json, call); }

Status csv(const Call& call) {
  const auto by = call.value("by");
  if (by == "time") return export_as(export_csv_by_time, call);
  if (by.empty() || by == "location") return export_as(view::export_csv, call);
  return Problem{"--by " + by + ": not one of location, time", "latecomer csv --help",
                 Exit::kUsage};
}

Status filter(const Call& call) {
  auto report = open_report(call.arguments[0]);
  if (!report) return report.problem();
  const auto functions = view::costly_functions(*report);
  if (!functions) return functions.problem();
  if (call.has("json")) {
    print_json(view::costly_functions_json(*functions));
    return finished(*report);
  }
  std::string text;
  if (const auto earlier = call.value("add-to"); !earlier.empty()) {
    constexpr std::uint64_t kMostBytes = 16 << 20;
    const auto rules = plain_content(earlier, kMostBytes);
    if (!rules) {
      return Problem{"cannot read filter " + earlier, "check the path given with --add-to",
                     Exit::kUsage};
    }
    text = *rules + (rules->empty() || rules->ends_with('\n') ? "" : "\n");
  }
  if (functions->left_out.empty()) {
    std::cerr << "note: no function that was recorded costs much: measuring took "
              << view::percent(functions->seconds, functions->time, 1) << " % of the time\n";
  }
  text += view::filter_text(*functions);
  const fs::path output = call.value("output");
  if (output.empty()) {
    std::cout << text;
    return finished(*report);
  }
  const auto written = view::write_new_file(output, text, call.has("overwrite"));
  if (!written) return written;
  std::cout << output.string() << ": leaves out "
            << view::counted(functions->left_out.size(), "function") << ", "
            << view::duration_text(functions->saved()) << " of the "
            << view::duration_text(functions->seconds) << " that measuring took\n"
            << view::costly_functions_text(*functions);
  return finished(*report);
}

}  // namespace latecomer::cli
