// SPDX-License-Identifier: BSD-3-Clause
// Finds the report that a user means by a path.
#include "analyzer/view/text/locate.hpp"

#include <utility>

#include "archive/experiment/live_processes.hpp"
#include "archive/experiment/no_records.hpp"
#include "archive/layout.hpp"
#include "archive/shell_word.hpp"

namespace latecomer::view {

namespace fs = std::filesystem;

Result<fs::path> locate_report(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error)) {
    return Problem{"there is no " + path.string(),
                   "give an experiment directory (latecomer_<program>_<ranks>_trace) or a report "
                   "(*.cubex)"};
  }
  // The anchor of a trace stands for its experiment.
  if (!fs::is_directory(path, error) && path.extension() == ".otf2") {
    return locate_report(path.has_parent_path() ? path.parent_path() : ".");
  }
  if (!fs::is_directory(path, error)) return path;
  for (const char* name : {layout::kReport, "trace.cubex", "scout.cubex", "profile.cubex"}) {
    if (fs::exists(path / name, error)) return path / name;
  }
  const std::string name = shell_word(path.string());
  const bool records = fs::is_directory(path / layout::kRecords, error);
  const fs::path anchor = path / layout::kAnchor;
  // A run that was killed while it finished may leave an empty anchor beside its records.
  if (fs::exists(anchor, error) && !(records && fs::is_empty(anchor, error))) {
    return Problem{path.string() + " has no report yet",
                   "latecomer-analyzer " + name + " makes one from the trace"};
  }
  if (records) {
    if (auto going = still_going(path.string())) return std::move(*going);
    if (was_only_watched(path.string())) {
      return Problem{path.string() + " has no report yet, and its run was only watched",
                     hint_of_profile(path.string())};
    }
    return Problem{path.string() + " holds raw records of a run that did not end properly",
                   "latecomer repair " + name + ", then latecomer-analyzer " + name};
  }
  if (std::string hint = hint_of_watched_run(path.string()); !hint.empty())
    return Problem{path.string() + " has no report yet", std::move(hint)};
  if (fs::exists(path / layout::kArchiveName, error)) {
    return Problem{
        path.string() + " has no report, and no anchor file (traces.otf2) to make one from",
        "copy traces.otf2 again from where it was recorded, or record the run again"};
  }
  const bool empty = fs::is_empty(path, error);
  return Problem{path.string() + (empty ? " is an empty directory: no experiment"
                                        : " is no experiment: it has neither a report nor a trace"),
                 "scan -e " + name + " mpiexec -n 4 ./program records one" +
                     (empty ? " there" : "; ls shows what is there")};
}

}  // namespace latecomer::view
