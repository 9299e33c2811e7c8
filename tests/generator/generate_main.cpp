// SPDX-License-Identifier: BSD-3-Clause
// latecomer-generate: writes a large synthetic archive and prints the results that an analysis must
// have.
#include <boost/program_options.hpp>
#include <chrono>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "tests/generator/write_run.hpp"

namespace {

namespace po = boost::program_options;
using namespace latecomer::test;

// Reads 10M, 500k or plain digits.
std::uint64_t number(const std::string& text) {
  std::size_t used = 0;
  const std::uint64_t n = std::stoull(text, &used);
  const std::string unit = text.substr(used);
  if (unit.empty()) return n;
  if (unit == "k") return n * 1000;
  if (unit == "M") return n * 1'000'000;
  throw po::error("not a number: " + text);
}

Pattern pattern(const std::string& text) {
  if (text == "halo") return Pattern::kHalo;
  if (text == "allreduce") return Pattern::kAllreduce;
  if (text == "mixed") return Pattern::kMixed;
  throw po::error("no such pattern: " + text);
}

int run(int argc, char** argv) {
  RunOptions options;
  ClockOptions clocks;
  std::string directory, events, shape, clock_file;
  po::options_description visible("Options");
  visible.add_options()("help,h", "print this text")(
      "ranks,n", po::value(&options.ranks)->default_value(16), "processes of the run")(
      "events,e", po::value(&events)->default_value("1M"), "events in all, about")(
      "pattern,p", po::value(&shape)->default_value("mixed"), "halo, allreduce or mixed")(
      "metahosts,m", po::value(&options.metahosts)->default_value(1), "sites, equal parts")(
      "ranks-per-node", po::value(&options.ranks_per_node)->default_value(16), "ranks of a node")(
      "clocks", po::value(&clock_file), "file with a clock model per node (node0, node1, ...)")(
      "offset-error", po::value(&clocks.measurement_error)->default_value(0),
      "of the measured offsets, ns")("seed,s", po::value(&options.seed)->default_value(1),
                                     "of the random part of the work");
  po::options_description all;
  all.add(visible).add_options()("directory", po::value(&directory), "");
  po::positional_options_description positional;
  positional.add("directory", 1);
  po::variables_map values;
  po::store(po::command_line_parser(argc, argv).options(all).positional(positional).run(), values);
  po::notify(values);
  if (values.count("help") != 0) {
    std::cout << "usage: latecomer-generate [options] DIRECTORY\n\n" << visible;
    return 0;
  }
  if (directory.empty()) throw po::error("no directory was given");
  if (options.ranks == 0 || options.metahosts == 0 || options.metahosts > options.ranks) {
    throw po::error("there must be at least one rank, and one rank per metahost");
  }
  options.events = number(events);
  options.pattern = pattern(shape);
  if (!clock_file.empty()) {
    std::ifstream file(clock_file);
    if (!file) throw po::error("clocks: cannot read " + clock_file);
    clocks.models.assign(std::istreambuf_iterator<char>(file), {});
  }

  const auto start = std::chrono::steady_clock::now();
  const Totals totals = write_run(SyntheticRun(options), directory, clocks);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  const nlohmann::json out = {{"events", totals.events},
                              {"ranks", options.ranks},
                              {"messages", totals.messages},
                              {"bytes", totals.bytes},
                              {"collectives", totals.collectives},
                              {"mpi_latesender", totals.late_sender},
                              {"mpi_wait_nxn", totals.wait_nxn},
                              {"mpi_barrier_wait", totals.barrier_wait},
                              {"seconds", took.count()}};
  std::cout << out.dump(2) << "\n";
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const po::error& e) {
    std::cerr << "error: " << e.what() << "\nhint:  see latecomer-generate --help\n";
    return 2;
  } catch (const std::exception& e) {
    std::cerr << "error: " << e.what() << "\n";
    return 3;
  }
}
