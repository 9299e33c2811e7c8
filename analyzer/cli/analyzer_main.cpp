// SPDX-License-Identifier: BSD-3-Clause
// The program latecomer-analyzer: the parallel analyzer. It prints each message once and ends with
// the same exit status on all ranks.
#include <mpi.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <iostream>
#include <sstream>

#include "analyzer/cli/analyzer_options.hpp"
#include "analyzer/cli/memory_limit.hpp"
#include "analyzer/cli/progress_line.hpp"
#include "analyzer/clocks/latencies.hpp"
#include "analyzer/memory/large_pages.hpp"
#include "analyzer/parallel/agreement.hpp"
#include "analyzer/replay/analysis.hpp"
#include "analyzer/report/cube/shared_file.hpp"
#include "analyzer/report/cube/write_cube.hpp"
#include "analyzer/view/metrics/call_path_pattern.hpp"
#include "analyzer/view/summary/report_notes.hpp"
#include "analyzer/view/text/page_file.hpp"
#include "analyzer/view/text/text.hpp"
#include "analyzer/view/words/prediction_text.hpp"
#include "archive/layout.hpp"
#include "archive/output/checked_output.hpp"
#include "archive/printable.hpp"
#include "archive/problem_text.hpp"
#include "archive/version.hpp"

namespace {

namespace fs = std::filesystem;
using latecomer::Exit;
using latecomer::printable;
using latecomer::Problem;
using latecomer::problem_text;
using latecomer::Result;
using latecomer::Status;

struct Command {
  fs::path experiment, output;
  bool verbose = false, quiet = false, progress = false, json = false;
  latecomer::replay::Options options;
  latecomer::cli::MemoryOptions memory;
  std::string answer;  // help or version text: print it and end
};

// Reads the options that select a part of the run for the timeline.
Status read_timeline(const latecomer::cli::Call& call,
                     latecomer::replay::TimelineOptions& timeline) {
  timeline.file = call.value("timeline");
  // Most users call `latecomer timeline`, which has the same options.
  const std::string hint =
      timeline.file.empty() ? "latecomer-analyzer --help" : "latecomer timeline --help";
  for (const char* option : {"from", "to", "ranks"}) {
    if (!call.has(option)) continue;
    if (timeline.file.empty()) {
      return Problem{std::string("--") + option + " has no meaning without --timeline", hint,
                     Exit::kUsage};
    }
  }
  for (const auto& [option, value] : {std::pair{"from", &timeline.from}, {"to", &timeline.to}}) {
    if (!call.has(option)) continue;
    if (!latecomer::replay::read_seconds(call.value(option), *value)) {
      return Problem{std::string("--") + option + " " + call.value(option) +
                         ": not a time such as 1.5s or 200ms",
                     hint, Exit::kUsage};
    }
  }
  if (timeline.from >= timeline.to) {
    return Problem{"--from " + call.value("from") + " is not before --to " + call.value("to"), hint,
                   Exit::kUsage};
  }
  if (call.has("ranks") && !latecomer::replay::read_ranks(call.value("ranks"), timeline)) {
    return Problem{"--ranks " + call.value("ranks") + ": not a list of ranks such as 0-7,12", hint,
                   Exit::kUsage};
  }
  return latecomer::success();
}

// The call paths that a pattern of a change chooses.
Result<latecomer::predict::ChosenPaths> choose_paths(
    const latecomer::report::Definitions& definitions, const std::string& pattern) {
  auto with_callees = latecomer::view::at_or_below(definitions, pattern);
  if (!with_callees) return with_callees.problem();
  return latecomer::predict::ChosenPaths{latecomer::view::ends_with(definitions, pattern),
                                         std::move(*with_callees)};
}

// Reads the changes of a run that is to be predicted: "speed work x2".
Status read_changes(const latecomer::cli::Call& call, latecomer::replay::Options& options) {
  if (!call.has("what-if")) {
    if (!call.has("json")) return latecomer::success();
    return Problem{"--json has no meaning without --what-if", "latecomer-analyzer --help",
                   Exit::kUsage};
  }
  auto& what_if = options.what_if.emplace();
  what_if.choose = choose_paths;
  for (const auto& text : call.all("what-if")) {
    const auto blank = text.find(' ');
    const auto value = blank == std::string::npos ? "" : text.substr(blank + 1);
    auto change = latecomer::predict::read_change(text.substr(0, blank), value);
    if (!change) return change.problem();
    what_if.changes.push_back(std::move(*change));
  }
  return latecomer::success();
}

// Reads how overhead is taken out of the times.
Status read_overhead(const latecomer::cli::Call& call,
                     latecomer::predict::OverheadOptions& overhead) {
  using latecomer::predict::OverheadMethod;
  const std::string hint = "latecomer-analyzer --help";
  const std::string method = call.has("overhead")     ? call.value("overhead")
                             : call.has("compensate") ? "parallel"
                                                      : "none";
  if (method == "local") {
    overhead.method = OverheadMethod::kLocal;
  } else if (method == "parallel") {
    overhead.method = OverheadMethod::kParallel;
  } else if (method != "none") {
    return Problem{"--overhead " + method + ": not one of none, local, parallel", hint,
                   Exit::kUsage};
  }
  if (overhead.method != OverheadMethod::kNone && call.has("scalasca-compatible")) {
    return Problem{"--overhead has no meaning with --scalasca-compatible", hint, Exit::kUsage};
  }
  if (overhead.method != OverheadMethod::kNone && !call.value("write-corrected").empty()) {
    return Problem{"--write-corrected writes recorded times, which --overhead would change", hint,
                   Exit::kUsage};
  }
  if (!call.has("event-cost")) return latecomer::success();
  const auto text = call.value("event-cost");
  double cost = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), cost);
  constexpr double kMost = 1e9;  // a second
  if (error != std::errc() || end != text.data() + text.size() || !(cost >= 0 && cost <= kMost)) {
    return Problem{"--event-cost " + text + ": not a number of nanoseconds", hint, Exit::kUsage};
  }
  if (overhead.method == OverheadMethod::kNone) {
    return Problem{"--event-cost has no meaning without --overhead", hint, Exit::kUsage};
  }
  overhead.nanoseconds = cost;
  return latecomer::success();
}

Result<Command> parse(int argc, char** argv) {
  Command command;
  const auto& options = latecomer::cli::analyzer_options();
  const std::string hint = "latecomer-analyzer --help";
  const auto call = latecomer::cli::parse(options, {argv + 1, argv + argc}, "latecomer-analyzer");
  if (!call) return call.problem();
  if (call->has("help")) {
    command.answer =
        "usage: mpiexec -n P latecomer-analyzer [options] EXPERIMENT\n\n"
        "Analyzes the OTF2 archive in the directory EXPERIMENT on any number P of processes\n"
        "and writes the report EXPERIMENT/analysis.cubex.\n\n" +
        latecomer::cli::options_text(options) +
        "\nExit status: 0 ok, 2 wrong usage, or what is to be written is there already,\n"
        "3 bad input, 4 partial result (something was missing).\n";
    return command;
  }
  if (call->has("version")) {
    command.answer = "latecomer-analyzer " LATECOMER_VERSION "\n";
    return command;
  }
  if (call->arguments.size() != 1) {
    return Problem{
        call->arguments.empty() ? "no experiment was given" : "more than one experiment was given",
        hint, Exit::kUsage};
  }
  command.experiment = call->arguments[0];
  // An anchor file stands for the directory that holds it.
  const fs::path directory =
      fs::is_directory(command.experiment) ? command.experiment : command.experiment.parent_path();
  command.output = call->has("output") ? fs::path(call->value("output"))
                                       : directory / latecomer::layout::kReport;
  command.verbose = call->has("verbose");
  command.quiet = call->has("quiet");
  command.progress = call->has("progress");
  auto& chosen = command.options;
  chosen.scalasca_compatible = call->has("scalasca-compatible");
  if (call->has("eager-limit")) {
    chosen.eager_limit = latecomer::cli::number_of(call->value("eager-limit"));
    if (!chosen.eager_limit) {
      return Problem{"--eager-limit " + call->value("eager-limit") + ": not a number of bytes",
                     hint, Exit::kUsage};
    }
  }
  const std::string steps = call->has("time-correction") ? call->value("time-correction") : "clc";
  if (steps == "none") {
    chosen.correction.most = latecomer::replay::TimeCorrection::kNone;
  } else if (steps == "linear") {
    chosen.correction.most = latecomer::replay::TimeCorrection::kLinear;
  } else if (steps == "messages") {
    chosen.correction.most = latecomer::replay::TimeCorrection::kMessages;
  } else if (steps != "clc") {
    return Problem{"--time-correction " + steps + ": not one of none, linear, messages, clc", hint,
                   Exit::kUsage};
  }
  chosen.write_corrected = call->value("write-corrected");
  if (call->has("sync-scheme")) {
    const auto name = call->value("sync-scheme");
    chosen.correction.scheme = latecomer::sync::scheme_of_name(name);
    if (!chosen.correction.scheme) {
      return Problem{"--sync-scheme " + name + ": not one of flat-single, flat, hierarchical", hint,
                     Exit::kUsage};
    }
    if (steps == "none") {
      return Problem{"--sync-scheme has no meaning with --time-correction none", hint,
                     Exit::kUsage};
    }
  }
  if (call->has("min-latency")) {
    const auto text = call->value("min-latency");
    if (!latecomer::replay::read_latencies(text, chosen.correction)) {
      return Problem{"--min-latency " + text + ": not one or two durations such as 1.5us,500us",
                     hint, Exit::kUsage};
    }
  }
  if (const auto overhead = read_overhead(*call, chosen.overhead); !overhead)
    return overhead.problem();
  const auto memory = latecomer::cli::read_memory_options(*call, command.output);
  if (!memory) return memory.problem();
  command.memory = *memory;
  if (const auto window = read_timeline(*call, chosen.timeline); !window) return window.problem();
  if (const auto changes = read_changes(*call, chosen); !changes) return changes.problem();
  command.json = call->has("json");
  return command;
}

std::int64_t peak_kib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

// Prints the table of phases. The slowest process determines the time of a phase.
void print_phases(const latecomer::replay::Analysis& analysis,
                  latecomer::parallel::Processes& processes) {
  double total = 0;
  const bool speaks = processes.rank() == 0;
  if (speaks) std::printf("%-16s %10s\n", "phase", "seconds");
  for (const auto& phase : analysis.phases) {
    const double seconds =
        static_cast<double>(processes.max(static_cast<std::int64_t>(phase.seconds * 1e9))) * 1e-9;
    total += seconds;
    if (speaks) std::printf("%-16s %10.3f\n", phase.name.c_str(), seconds);
  }
  const auto events = static_cast<double>(analysis.all_events);
  const auto peak = static_cast<double>(processes.max(peak_kib())) / 1024;
  const auto sum = static_cast<double>(processes.sum(peak_kib())) * 1024;
  const auto in_files =
      static_cast<double>(processes.sum(static_cast<std::int64_t>(latecomer::memory::spilled())));
  if (!speaks) return;
  std::printf("%-16s %10.3f\n", "total", total);
  std::printf("%.0f events on %d process%s, %.2f million events/s\n", events, processes.size(),
              processes.size() == 1 ? "" : "es", total > 0 ? events / total * 1e-6 : 0.0);
  std::printf("peak memory %.1f MiB per process", peak);
  constexpr double kMany = 100'000;  // with fewer, most of the memory belongs to the program itself
  if (events >= kMany) std::printf(", %.1f bytes per event in all", sum / events);
  std::printf("\n");
  if (in_files > 0) std::printf("%.1f MiB of it in files\n", in_files / (1024 * 1024));
}

// Writes a text, which is the same on all processes, in a process that sees the directory.
Status write_text(const std::string& text, const fs::path& path,
                  latecomer::parallel::Processes& processes, bool may_write) {
  auto file = latecomer::report::SharedFile::create(path, text.size(), processes, may_write);
  if (!file) return file.problem();
  if (file->writers().front() == processes.rank()) file->write(0, std::as_bytes(std::span(text)));
  return file->finish();
}

// Says why a result is partial. It is for timelines, which have no report that says so.
void say_missing(const latecomer::replay::Analysis& analysis) {
  std::fflush(stdout);
  for (const auto& note : analysis.definitions.extras->quality) {
    if (!note.partial) continue;
    std::fprintf(stderr, "partial: %s\n", printable(latecomer::view::sentence(note)).c_str());
  }
}

// Prints the result of an analysis that writes a timeline instead of a report.
Exit say_timeline(const Command& command, const latecomer::replay::Analysis& analysis,
                  bool speaks) {
  if (!analysis.timeline) {
    if (speaks) std::fputs(problem_text(analysis.timeline.problem()).c_str(), stderr);
    return analysis.timeline.problem().status;
  }
  const auto& counts = *analysis.timeline;
  if (speaks && !command.quiet) {
    const auto count = [](std::int64_t number, const char* noun) {
      return latecomer::view::counted(static_cast<std::uint64_t>(number), noun);
    };
    constexpr double kLarge = 200e6;
    const auto size = static_cast<double>(counts.bytes);
    std::printf("%s: %s, %s, %s, %s, %s\n",
                printable(command.options.timeline.file.string()).c_str(),
                count(counts.ranks, "rank").c_str(), count(counts.calls, "call").c_str(),
                count(counts.messages, "message").c_str(), count(counts.waits, "wait").c_str(),
                latecomer::view::size_text(size).c_str());
    if (size > kLarge) {
      std::printf(
          "note: browsers are slow with more than 200 MB: --from, --to and --ranks take "
          "a part\n");
    }
    std::printf("next: open it in ui.perfetto.dev, which keeps it in the browser\n");
  }
  if (speaks && analysis.partial) say_missing(analysis);
  return analysis.partial ? Exit::kPartial : Exit::kOk;
}

// Prints the prediction of an analysis that was asked for one.
Exit say_prediction(const Command& command, const latecomer::replay::Analysis& analysis,
                    bool speaks) {
  if (speaks) {
    const auto& prediction = *analysis.prediction;
    std::fputs((command.json ? latecomer::view::prediction_json(prediction, command.experiment)
                             : latecomer::view::prediction_text(prediction))
                   .c_str(),
               stdout);
    if (analysis.partial) say_missing(analysis);
  }
  return analysis.partial ? Exit::kPartial : Exit::kOk;
}

// Texts by replay::Work.
struct ProgressWords {
  const char *what, *rate;
};
constexpr std::array<ProgressWords, 3> kProgress = {{
    {"reading events", "events/s per process"},
    {"finding causes", "waits/s per process"},
    {"replaying on an ideal network", "calls/s per process"},
}};

// Runs the analysis on processes that all see the experiment, or a part of it.
Exit run(Command& command, latecomer::parallel::Processes& processes) {
  const bool speaks = processes.rank() == 0;
  const bool on_terminal = !command.quiet && isatty(STDERR_FILENO) != 0;
  latecomer::cli::ProgressLine line(speaks && (command.progress || on_terminal), stderr);
  // Messages replace the line of progress.
  const auto report = [&](const Problem& problem) {
    line.clear();
    if (speaks) std::fputs(problem_text(problem).c_str(), stderr);
    return problem.status;
  };
  command.options.progress = [&](latecomer::replay::Work work, std::uint64_t done,
                                 std::uint64_t all) {
    const auto& words = kProgress[static_cast<std::size_t>(work)];
    line.part(words.what, done, all, words.rate);
  };
  command.options.ended = [&](const std::string& phase) { line.ended(phase); };
  latecomer::cli::limit_memory(command.memory, processes);
  auto analysis = latecomer::replay::analyze(command.experiment, command.options, processes);
  if (!analysis) return report(analysis.problem());
  const auto spilled = latecomer::cli::spill_note(command.memory, processes);
  const auto begin_output = [&] {
    line.clear();
    if (speaks && !spilled.empty() && !command.quiet) std::fputs(spilled.c_str(), stderr);
  };
  if (!command.options.timeline.file.empty()) {
    begin_output();
    if (command.verbose) print_phases(*analysis, processes);
    return say_timeline(command, *analysis, speaks);
  }
  if (analysis->prediction) {
    begin_output();
    if (command.verbose) print_phases(*analysis, processes);
    return say_prediction(command, *analysis, speaks);
  }
  const auto start = std::chrono::steady_clock::now();
  const Status written =
      latecomer::report::write_cube(analysis->definitions, analysis->severities, analysis->columns,
                                    processes, command.output, analysis->sees_first);
  if (!written) return report(written.problem());
  const Status counted =
      write_text(analysis->statistics, fs::path(command.output).replace_extension(".stat"),
                 processes, analysis->sees_first);
  if (!counted) return report(counted.problem());
  const fs::path output = command.output;
  // The page in the experiment would still show the previous report.
  const bool removed = speaks && output.filename() == latecomer::layout::kReport &&
                       latecomer::view::remove_page(output.parent_path());
  const std::chrono::duration<double> writing = std::chrono::steady_clock::now() - start;
  analysis->phases.push_back({"report", writing.count()});
  begin_output();
  if (command.verbose) print_phases(*analysis, processes);
  if (speaks) {
    for (const auto& note : analysis->notes)
      std::fprintf(stderr, "note: %s\n", printable(note).c_str());
    if (!analysis->notes.empty()) {
      std::fputs(
          "hint:  run the analyzer on all of these metahosts at once, or bring the parts "
          "together: latecomer collect\n",
          stderr);
    }
  }
  if (!analysis->corrected) return report(analysis->corrected.problem());
  if (speaks && analysis->not_copied > 0) {
    std::fprintf(
        stderr,
        "note: %lld records of types that this version of OTF2 does not know are not in %s\n",
        static_cast<long long>(analysis->not_copied),
        printable(command.options.write_corrected.string()).c_str());
  }
  if (speaks && !command.quiet && !command.options.write_corrected.empty()) {
    std::printf("corrected trace: %s\n",
                printable(command.options.write_corrected.string()).c_str());
  }
  if (speaks && !command.quiet) {
    std::printf("report: %s%s\n", printable(command.output.string()).c_str(),
                analysis->partial ? " (partial)" : "");
    if (removed) {
      std::printf(
          "note: %s showed the report before and is gone: latecomer html makes it "
          "anew\n",
          printable((output.parent_path() / latecomer::layout::kPage).string()).c_str());
    }
  }
  return analysis->partial ? Exit::kPartial : Exit::kOk;
}

// Runs the analysis on the processes that see the experiment. The others wait for its status.
Exit run_where_visible(Command& command, latecomer::parallel::Processes& everybody) {
  std::error_code ignored;
  const bool sees = fs::exists(command.experiment, ignored);
  const auto first = everybody.min(sees ? everybody.rank() : everybody.size());
  const auto blind = everybody.size() - everybody.sum(sees ? 1 : 0);
  if (blind == 0 || blind == everybody.size()) return run(command, everybody);
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(everybody.comm(), sees ? 0 : 1, everybody.rank(), &part);
  Exit status = Exit::kOk;
  if (sees) {
    latecomer::parallel::Processes processes(part);
    if (processes.rank() == 0 && !command.quiet) {
      std::fprintf(stderr, "note: %lld of %d analysis processes do not see %s and take no part\n",
                   static_cast<long long>(blind), everybody.size(),
                   printable(command.experiment.string()).c_str());
    }
    status = run(command, processes);
  }
  MPI_Comm_free(&part);
  // The lowest process that took part sends the status to all.
  latecomer::parallel::Packer pack;
  pack.put(status);
  auto data = pack.take();
  everybody.broadcast(data, static_cast<int>(first));
  return latecomer::parallel::Unpacker(data).get<Exit>();
}

Exit run(int argc, char** argv, latecomer::parallel::Processes& processes) {
  const bool speaks = processes.rank() == 0;
  auto command = parse(argc, argv);
  if (!command) {
    if (speaks) std::fputs(problem_text(command.problem()).c_str(), stderr);
    return command.problem().status;
  }
  if (!command->answer.empty()) {
    if (speaks) std::fputs(command->answer.c_str(), stdout);
    return Exit::kOk;
  }
  return run_where_visible(*command, processes);
}

}  // namespace

int main(int argc, char** argv) {
  latecomer::hold_streams();
  latecomer::memory::keep_heap();
  // A file that reaches its size limit becomes an error, which is reported.
  std::signal(SIGXFSZ, SIG_IGN);
  MPI_Init(&argc, &argv);
  int status = 0;
  {
    latecomer::parallel::Processes processes(MPI_COMM_WORLD);
    try {
      status = static_cast<int>(run(argc, argv, processes));
    } catch (const std::bad_alloc&) {
      // Other processes may be waiting for this one, so only an abort is possible.
      std::fputs(latecomer::cli::out_of_memory(processes.rank()).text().c_str(), stderr);
      MPI_Abort(MPI_COMM_WORLD, static_cast<int>(Exit::kBadInput));
    }
  }
  MPI_Finalize();
  return latecomer::checked_output(status);
}
