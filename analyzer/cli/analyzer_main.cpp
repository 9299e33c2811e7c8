// SPDX-License-Identifier: BSD-3-Clause
// latecomer-analyzer: the parallel analyzer. One message for all ranks, the same exit status on
// all.
#include <mpi.h>
#include <sys/resource.h>
#include <unistd.h>

#include <boost/program_options.hpp>
#include <chrono>
#include <cstdio>
#include <exception>
#include <iostream>
#include <sstream>

#include "analyzer/memory/large_pages.hpp"
#include "analyzer/parallel/agreement.hpp"
#include "analyzer/replay/analysis.hpp"
#include "analyzer/replay/latencies.hpp"
#include "analyzer/report/shared_file.hpp"
#include "analyzer/report/write_cube.hpp"
#include "archive/layout.hpp"

namespace {

namespace po = boost::program_options;
namespace fs = std::filesystem;
using latecomer::Exit;
using latecomer::Problem;
using latecomer::Result;
using latecomer::Status;

struct Command {
  fs::path experiment, output;
  bool verbose = false, quiet = false;
  latecomer::replay::Options options;
  std::string answer;  // help or version text: print it and end
};

Result<Command> parse(int argc, char** argv) {
  Command command;
  po::options_description visible("Options");
  visible.add_options()("help,h", "print this text")("version", "print the version")(
      "verbose,v", "print phases with seconds, events and memory")(
      "quiet,q", "print problems only")("output,o", po::value<std::string>(),
                                        "report to write (default: EXPERIMENT/analysis.cubex)")(
      "time-correction", po::value<std::string>()->default_value("clc"),
      "how far clocks are corrected where messages come too early: none (times as the clocks "
      "showed "
      "them), linear (measured offsets only), "
      "messages (and the drift that messages show) or clc (and the controlled logical clock)")(
      "sync-scheme", po::value<std::string>(),
      "use the offsets measured by this scheme (flat-single, flat or hierarchical), of a run that "
      "was "
      "recorded with LATECOMER_SYNC=all")(
      "write-corrected", po::value<std::string>(),
      "write an archive with corrected times into this new directory, for any reader of OTF2")(
      "min-latency", po::value<std::string>(),
      "shortest time of a message between nodes, or with a second value also between metahosts, "
      "e.g. 1.5us,500us (default: as measured)")(
      "eager-limit", po::value<std::uint64_t>(),
      "bytes up to which MPI_Send never waits for its receiver (default: what the trace shows)")(
      "scalasca-compatible", "base rules wherever Latecomer's own would change a number");
  po::options_description all;
  all.add(visible).add_options()("experiment", po::value<std::string>(), "");
  po::positional_options_description positional;
  positional.add("experiment", 1);
  const std::string hint = "see latecomer-analyzer --help";
  try {
    po::variables_map values;
    po::store(po::command_line_parser(argc, argv).options(all).positional(positional).run(),
              values);
    if (values.count("help") != 0) {
      std::ostringstream text;
      text << "usage: mpiexec -n P latecomer-analyzer [options] EXPERIMENT\n\n"
              "Analyzes the OTF2 archive in the directory EXPERIMENT on any number P of processes\n"
              "and writes the report EXPERIMENT/analysis.cubex.\n\n"
           << visible
           << "\nExit status: 0 ok, 2 usage, 3 bad input, 4 partial result (something was "
              "missing).\n";
      command.answer = text.str();
      return command;
    }
    if (values.count("version") != 0) {
      command.answer = "latecomer-analyzer " LATECOMER_VERSION "\n";
      return command;
    }
    if (values.count("experiment") == 0) {
      return Problem{"no experiment was given", hint, Exit::kUsage};
    }
    command.experiment = values["experiment"].as<std::string>();
    const fs::path directory = fs::is_directory(command.experiment)
                                   ? command.experiment
                                   : command.experiment.parent_path();
    command.output = values.count("output") != 0 ? fs::path(values["output"].as<std::string>())
                                                 : directory / latecomer::layout::kReport;
    command.verbose = values.count("verbose") != 0;
    command.quiet = values.count("quiet") != 0;
    command.options.scalasca_compatible = values.count("scalasca-compatible") != 0;
    if (values.count("eager-limit") != 0) {
      command.options.eager_limit = values["eager-limit"].as<std::uint64_t>();
    }
    const auto steps = values["time-correction"].as<std::string>();
    if (steps == "none") {
      command.options.correction.most = latecomer::replay::TimeCorrection::kNone;
    } else if (steps == "linear") {
      command.options.correction.most = latecomer::replay::TimeCorrection::kLinear;
    } else if (steps == "messages") {
      command.options.correction.most = latecomer::replay::TimeCorrection::kMessages;
    } else if (steps != "clc") {
      return Problem{"--time-correction " + steps + ": not one of none, linear, messages, clc",
                     hint, Exit::kUsage};
    }
    if (values.count("write-corrected") != 0) {
      command.options.write_corrected = values["write-corrected"].as<std::string>();
    }
    if (values.count("sync-scheme") != 0) {
      const auto name = values["sync-scheme"].as<std::string>();
      command.options.correction.scheme = latecomer::sync::scheme_of_name(name);
      if (!command.options.correction.scheme) {
        return Problem{"--sync-scheme " + name + ": not one of flat-single, flat, hierarchical",
                       hint, Exit::kUsage};
      }
      if (steps == "none") {
        return Problem{"--sync-scheme has no meaning with --time-correction none", hint,
                       Exit::kUsage};
      }
    }
    if (values.count("min-latency") != 0) {
      const auto text = values["min-latency"].as<std::string>();
      if (!latecomer::replay::read_latencies(text, command.options.correction)) {
        return Problem{"--min-latency " + text + ": not one or two durations such as 1.5us,500us",
                       hint, Exit::kUsage};
      }
    }
  } catch (const po::error& error) {
    return Problem{error.what(), hint, Exit::kUsage};
  }
  return command;
}

// A line on a terminal that is rewritten, at most five times a second, once reading takes long.
class ProgressLine {
 public:
  explicit ProgressLine(bool wanted) : wanted_(wanted && isatty(STDERR_FILENO) != 0) {}
  ~ProgressLine() {
    if (shown_) std::fprintf(stderr, "\r\033[K");
  }
  void show(std::uint64_t done, std::uint64_t all) {
    const auto now = std::chrono::steady_clock::now();
    if (!wanted_ || now - last_ < std::chrono::milliseconds(200)) return;
    last_ = now;
    shown_ = true;
    const double part = all > 0 ? 100.0 * static_cast<double>(done) / static_cast<double>(all) : 0;
    std::fprintf(stderr, "\rreading events: %3.0f %% of %llu", std::min(part, 100.0),
                 static_cast<unsigned long long>(all));
  }

 private:
  bool wanted_, shown_ = false;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

std::int64_t peak_kib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

// The table of phases: the slowest process of each counts.
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
  if (!speaks) return;
  std::printf("%-16s %10.3f\n", "total", total);
  std::printf("%.0f events on %d process%s, %.2f million events/s\n", events, processes.size(),
              processes.size() == 1 ? "" : "es", total > 0 ? events / total * 1e-6 : 0.0);
  std::printf("peak memory %.1f MiB per process", peak);
  constexpr double kMany = 100'000;  // with fewer, most of the memory is that of the program itself
  if (events >= kMany) std::printf(", %.1f bytes per event in all", sum / events);
  std::printf("\n");
}

// Writes what all processes have where they see the directory.
Status write_text(const std::string& text, const fs::path& path,
                  latecomer::parallel::Processes& processes, bool may_write) {
  auto file = latecomer::report::SharedFile::create(path, text.size(), processes, may_write);
  if (!file) return file.problem();
  if (file->writers().front() == processes.rank()) file->write(0, std::as_bytes(std::span(text)));
  return file->finish();
}

// The analysis by processes that all see the experiment, or a part of it.
Exit run(Command& command, latecomer::parallel::Processes& processes) {
  const bool speaks = processes.rank() == 0;
  const auto report = [&](const Problem& problem) {
    if (speaks) std::fputs(problem.text().c_str(), stderr);
    return problem.status;
  };
  ProgressLine line(speaks && !command.quiet);
  command.options.progress = [&](std::uint64_t done, std::uint64_t all) { line.show(done, all); };
  auto analysis = latecomer::replay::analyze(command.experiment, command.options, processes);
  if (!analysis) return report(analysis.problem());
  const auto start = std::chrono::steady_clock::now();
  const Status written =
      latecomer::report::write_cube(analysis->definitions, analysis->severities, analysis->columns,
                                    processes, command.output, analysis->sees_first);
  if (!written) return report(written.problem());
  const Status counted =
      write_text(analysis->statistics, fs::path(command.output).replace_extension(".stat"),
                 processes, analysis->sees_first);
  if (!counted) return report(counted.problem());
  const std::chrono::duration<double> writing = std::chrono::steady_clock::now() - start;
  analysis->phases.push_back({"report", writing.count()});
  if (command.verbose) print_phases(*analysis, processes);
  if (speaks) {
    for (const auto& note : analysis->notes) std::fprintf(stderr, "note: %s\n", note.c_str());
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
        static_cast<long long>(analysis->not_copied), command.options.write_corrected.c_str());
  }
  if (speaks && !command.quiet && !command.options.write_corrected.empty()) {
    std::printf("corrected trace: %s\n", command.options.write_corrected.c_str());
  }
  if (speaks && !command.quiet) {
    std::printf("report: %s%s\n", command.output.c_str(), analysis->partial ? " (partial)" : "");
  }
  return analysis->partial ? Exit::kPartial : Exit::kOk;
}

// Processes that do not see the experiment wait for the others.
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
                   static_cast<long long>(blind), everybody.size(), command.experiment.c_str());
    }
    status = run(command, processes);
  }
  MPI_Comm_free(&part);
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
    if (speaks) std::fputs(command.problem().text().c_str(), stderr);
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
  latecomer::memory::keep_heap();
  MPI_Init(&argc, &argv);
  int status = 0;
  {
    latecomer::parallel::Processes processes(MPI_COMM_WORLD);
    try {
      status = static_cast<int>(run(argc, argv, processes));
    } catch (const std::bad_alloc&) {
      // Others may wait for this process: nothing orderly is possible any more.
      std::fprintf(stderr,
                   "error: out of memory on analysis process %d\n"
                   "hint:  use more processes or nodes for the analysis (-A P)\n",
                   processes.rank());
      MPI_Abort(MPI_COMM_WORLD, static_cast<int>(Exit::kBadInput));
    }
  }
  MPI_Finalize();
  return status;
}
