// SPDX-License-Identifier: BSD-3-Clause
// The commands of latecomer and their options.
#include "analyzer/cli/commands.hpp"

namespace latecomer::cli {
namespace {

constexpr std::size_t kAnyNumber = 1'000'000;

Option json_option() { return {"json", "", "", "print as JSON, nothing shortened"}; }
Option overwrite_option() { return {"overwrite", "", "", "replace the file if it exists"}; }
Option output_option(const std::string& fallback) {
  return {"output", "o", "FILE", "file to write" + fallback};
}

Option report_option() {
  return {"output", "o", "NEW.cubex", "report to write (CUBE 4)", false, true};
}

std::vector<Command> make_commands() {
  return {
      {"show",
       "EXPERIMENT|REPORT",
       "where the program waited, and which ranks",
       1,
       1,
       {{"metric", "", "NAME[,...]", "instead of the summary, show the values of these metrics",
         true},
        {"by",
         "",
         "WHAT",
         "a line per callpath (the default), rank, node, metahost, metric (with its parts), or "
         "time "
         "(wait states over the run)",
         false,
         false,
         {"callpath", "rank", "node", "metahost", "metric", "time"}},
        {"callpath", "", "PATTERN",
         "only call paths with a function of this name (* and ? fit any letters), and what they "
         "call; a/b: b called by a"},
        {"top", "", "N", "only the N largest, largest first; of call paths without what they call"},
        json_option()},
       show},
      {"html",
       "EXPERIMENT|REPORT",
       "the report as one file for the browser",
       1,
       1,
       {output_option(" (default: report.html in the experiment, or beside the report)"),
        overwrite_option(),
        {"metric", "", "NAME", "only this metric, what it is a part of, and its parts", true}},
       html},
      {"view",
       "EXPERIMENT|REPORT",
       "the same page from a server on this machine, for large reports",
       1,
       1,
       {{"port", "", "N", "port of 127.0.0.1 to listen on (default: a free one)"},
        {"metric", "", "NAME", "only this metric, what it is a part of, and its parts", true}},
       view_page},
      {"json",
       "EXPERIMENT|REPORT",
       "everything in the report, for programs",
       1,
       1,
       {output_option(" (default: the standard output)"), overwrite_option()},
       json},
      {"csv",
       "EXPERIMENT|REPORT",
       "one line per value, for tables and statistics",
       1,
       1,
       {{"by",
         "",
         "WHAT",
         "a value per location (the default), or per slice of time and metahost (wait states only)",
         false,
         false,
         {"location", "time"}},
        output_option(" (default: the standard output)"),
        overwrite_option()},
       csv},
      {"diff",
       "A B",
       "what changed from one run to another, largest changes first",
       2,
       2,
       {{"metric", "", "NAME[,...]", "compare these metrics (default: the time and all its parts)",
         true},
        {"top", "", "N", "print the N largest changes (default: 10)"},
        json_option(),
        {"output", "o", "FILE", "also write a report of the values of B less those of A (CUBE 4)"},
        {"html", "", "FILE", "also write a page for the browser: changes, trees in two colours"},
        {"overwrite", "", "", "replace these files if they exist"}},
       diff},
      {"mean",
       "REPORT...",
       "a report of the mean of several",
       2,
       kAnyNumber,
       {report_option(), overwrite_option()},
       mean},
      {"merge",
       "REPORT...",
       "a report with all metrics of several, each from the first that has it",
       2,
       kAnyNumber,
       {report_option(), overwrite_option()},
       merge},
      {"cut",
       "REPORT",
       "a report of some call paths or metrics only",
       1,
       1,
       {{"root", "", "PATTERN", "begin at functions of this name (* and ? fit any letters)", true},
        {"prune", "", "PATTERN",
         "leave out functions of this name with what they call; their callers get the values",
         true},
        {"metric", "", "NAME[,...]", "only these metrics and their parts", true},
        report_option(),
        overwrite_option()},
       cut},
      {"check",
       "EXPERIMENT|REPORT...",
       "fail if a run is slower than others: for continuous integration",
       1,
       kAnyNumber,
       {{"baseline", "", "FILE",
         "what to compare with: a baseline, what latecomer json printed, or a report", true},
        {"fail", "", "COND",
         "fail if this holds: 'mpi_latesender>+5%', 'waiting>+0.5s' (changes from the baseline), "
         "'time>20s', 'mpi>30%' (of the time)",
         true},
        {"budget", "", "COND", "fail unless this holds: 'mpi_latesender<0.5s'", true},
        {"junit", "", "FILE", "also write the result for CI servers (JUnit XML)"},
        {"write-baseline", "", "NEW.json",
         "instead: make a baseline of these runs, with how much they differ by chance"},
        {"overwrite", "", "", "replace that baseline if it exists"}},
       check},
      {"timeline",
       "EXPERIMENT",
       "calls, messages and waits over time, for Perfetto",
       1,
       1,
       {{"output", "o", "FILE", "trace to write", false, true},
        {"from", "", "TIME", "begin of the window, since the begin of the run: 1.5s, 200ms"},
        {"to", "", "TIME", "end of the window"},
        {"ranks", "", "LIST", "only these ranks: 0-7,12"},
        overwrite_option()},
       timeline},
      {"info", "EXPERIMENT", "what a trace contains", 1, 1, {json_option()}, info},
      {"clocks",
       "EXPERIMENT",
       "how the clocks of the nodes differed and drifted",
       1,
       1,
       {json_option(), {"svg", "", "", "print a drawing over time (SVG)"}},
       clocks},
      {"explain",
       "[METRIC]",
       "what a metric means; without a name: list of all",
       0,
       1,
       {json_option()},
       explain},
      {"repair", "EXPERIMENT", "make a trace of what a killed run left behind", 1, 1, {}, repair},
      {"collect",
       "PART...",
       "make one trace of the parts that several metahosts hold",
       1,
       kAnyNumber,
       {{"output", "o", "NEW", "directory to make", false, true}},
       collect},
  };
}

}  // namespace

const std::vector<Command>& commands() {
  static const std::vector<Command> all = make_commands();
  return all;
}

}  // namespace latecomer::cli
