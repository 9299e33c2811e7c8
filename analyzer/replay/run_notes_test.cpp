// SPDX-License-Identifier: BSD-3-Clause
// Notes on cores and threads that come from the properties of an archive.
#include "analyzer/replay/run_notes.hpp"

#include <catch2/catch.hpp>

using namespace latecomer;

namespace {

using Properties = std::map<std::string, std::string>;

// `partial`: each of the notes says that the result is partial.
std::vector<std::string> notes(const Properties& properties, bool partial = false) {
  trace::Definitions d;
  d.properties = properties;
  std::vector<std::string> found;
  for (const auto& note : replay::run_notes(d, {})) {
    CHECK(note.partial == partial);
    found.push_back(note.name + ": " + std::to_string(note.count) + " " + note.text);
  }
  return found;
}

Properties shared(const char* machines, const char* of, const char* ranks, const char* threads,
                  const char* cores) {
  return {{"LATECOMER::MACHINES", machines},
          {"LATECOMER::SHARED_CORES::MACHINES", of},
          {"LATECOMER::SHARED_CORES::RANKS", ranks},
          {"LATECOMER::SHARED_CORES::THREADS", threads},
          {"LATECOMER::SHARED_CORES::CORES", cores}};
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("notes of a run: ranks that share cores") {
  CHECK(notes(shared("1", "1", "4", "4", "2")) ==
        Texts{"shared_cores: 4 ranks share 2 cores: times are not representative, ranks also wait "
              "for a core"});
  CHECK(notes(shared("8", "3", "2", "16", "1")) ==
        Texts{"shared_cores: 16 threads of 2 ranks share 1 core of one machine (on 3 of 8 machines "
              "there are fewer cores than those): times are not representative, ranks also wait "
              "for a core"});
  CHECK(notes({{"LATECOMER::MACHINES", "1"}, {"LATECOMER::CORES", "4"}}).empty());
  CHECK(notes(shared("1", "1", "-4", "4", "x")).empty());
}

TEST_CASE("notes of a run: threads of OpenMP") {
  const std::string rest =
      " with OpenMP, of which nothing is recorded: that they wait for each other counts as "
      "computation";
  CHECK(notes({{"LATECOMER::OPENMP::PROCESSES", "3"}, {"LATECOMER::OPENMP::THREADS", "4"}}) ==
        Texts{"openmp_threads: 3 processes have up to 4 threads" + rest});
  CHECK(notes({{"LATECOMER::OPENMP::PROCESSES", "1"}, {"LATECOMER::OPENMP::THREADS", "2"}}) ==
        Texts{"openmp_threads: 1 process has 2 threads" + rest});
  CHECK(notes({{"LATECOMER::OPENMP::PROCESSES", "1"},
               {"LATECOMER::OPENMP::THREADS", "2"},
               {"LATECOMER::OPENMP::STATIC", "app"}}) ==
        Texts{"openmp_threads: 1 process has 2 threads with OpenMP, whose runtime is linked "
              "statically into app, so that nothing of it is recorded (link it as a "
              "library): that they wait for each other counts as computation"});
  const std::string off =
      ", of which nothing is recorded (--threads off): that they wait for each other counts as "
      "computation";
  CHECK(notes({{"LATECOMER::THREADS_OFF::PROCESSES", "2"},
               {"LATECOMER::THREADS_OFF::THREADS", "9"}}) ==
        Texts{"threads_off: 2 processes have had up to 9 threads" + off});
  CHECK(notes({{"LATECOMER::THREADS_OFF::PROCESSES", "1"},
               {"LATECOMER::THREADS_OFF::THREADS", "2"}}) ==
        Texts{"threads_off: 1 process has had 2 threads" + off});
  CHECK(notes({}).empty());
}

TEST_CASE("notes of a run: waits for more objects than there is room for") {
  const std::string rest =
      " without a record, which counts as computation: a process may wait for at most 16,384 "
      "mutexes, conditions and the like";
  CHECK(notes({{"LATECOMER::LOST::WAITS_OF_THREADS", "1"}}) ==
        Texts{"waits_without_room: 1 wait of a thread" + rest});
  CHECK(notes({{"LATECOMER::LOST::WAITS_OF_THREADS", "70"}}) ==
        Texts{"waits_without_room: 70 waits of threads" + rest});
}

TEST_CASE("notes of a run: what could not be recorded") {
  const auto found = notes({{"LATECOMER::LOST::COMMUNICATORS", "2"},
                            {"LATECOMER::LOST::RECEIVES_OF_MPI_ISENDRECV", "20"},
                            {"LATECOMER::LOST::REQUESTS", "0"}},
                           true);
  REQUIRE(found.size() == 2);
  CHECK(found[0].starts_with("lost_communicators: 2 communicators that were not recorded, with "));
  CHECK(found[1].starts_with("lost_receives: 20 receives of MPI_Isendrecv with MPI_ANY_SOURCE "));
}

TEST_CASE("notes of a run: threads made before MPI_Init") {
  const std::string rest =
      " made before MPI_Init without records: no call of MPI, no region and no wait that began "
      "after MPI_Init";
  CHECK(notes({{"LATECOMER::THREADS_BEFORE_MPI", "1"}}) ==
        Texts{"early_threads: 1 thread that was" + rest});
  CHECK(notes({{"LATECOMER::THREADS_BEFORE_MPI", "3"}}) ==
        Texts{"early_threads: 3 threads that were" + rest});
}

TEST_CASE("notes of a run: threads that waited for locks of each other") {
  const std::string rest = " of threads that waited for locks of each other when the run ended: ";
  CHECK(notes({{"LATECOMER::LOCK_CIRCLES", "1"}, {"LATECOMER::LOCK_CIRCLES::WHO", "rank 0: x"}}) ==
        Texts{"lock_circles: 1 circle" + rest + "rank 0: x"});
  CHECK(notes({{"LATECOMER::LOCK_CIRCLES", "2"}, {"LATECOMER::LOCK_CIRCLES::WHO", "x; y"}}) ==
        Texts{"lock_circles: 2 circles" + rest + "x; y"});
}

TEST_CASE("notes of a run: constructs that a filter left out") {
  const std::string rest =
      " waits count as computation, and efficiencies of threads are incomplete";
  CHECK(notes({{"LATECOMER::CONSTRUCTS_LEFT_OUT", "critical"}}) ==
        Texts{"constructs_left_out: 1 construct of OpenMP that the filter left out: critical; its" +
              rest});
  CHECK(notes({{"LATECOMER::CONSTRUCTS_LEFT_OUT", "critical,parallel for"}}) ==
        Texts{"constructs_left_out: 2 constructs of OpenMP that the filter left out: critical, "
              "parallel for; their" +
              rest});
}

TEST_CASE("notes of a run: several runtimes of OpenMP") {
  CHECK(notes({{"LATECOMER::OPENMP::SEVERAL_RUNTIMES", "2"},
               {"LATECOMER::OPENMP::RUNTIMES", "libgomp.so.1, libomp.so.5"}}) ==
        Texts{"openmp_runtimes: 2 processes with several runtimes of OpenMP (libgomp.so.1, "
              "libomp.so.5): each has threads of its own, so there may be more than cores"});
}

TEST_CASE("notes of a run: functions without names") {
  const auto text = [](std::vector<std::string> names) {
    trace::Definitions d;
    for (auto& name : names) {
      auto& region = d.regions.emplace_back();
      region.name = std::move(name);
    }
    const auto found = replay::run_notes(d, {});
    return found.empty() ? "" : std::to_string(found[0].count) + " " + found[0].text;
  };
  CHECK(text({"main", "a+b", "program+0x", "+0x10", "f(int)+0xyz"}).empty());
  CHECK(text({"main", "app+0x31560"}) ==
        "1 function without a name, shown by its address: compile the program with -g and do not "
        "strip it, or link it with -rdynamic");
  CHECK(
      text({"app+0x31560", "app+0x1f", "libx.so.1+0x10"}) ==
      "3 functions without names, shown by their addresses: compile the program with -g and do not "
      "strip it, or link it with -rdynamic; install the debug symbols of libx.so.1");
  CHECK(text({"liby.so+0x1", "libx.so.1+0x10"}) ==
        "2 functions without names, shown by their addresses: install the debug symbols of "
        "libx.so.1 and 1 other");
}

TEST_CASE("notes of a run: functions without names that only samples have") {
  trace::Definitions d;
  d.regions.resize(4);
  d.regions[0].name = "app+0x10";
  d.regions[1].name = "MPI_Send";
  d.regions[1].mpi = true;
  d.regions[2].name = "libx.so.1+0x10";
  d.regions[3].name = "app+0x20";
  trace::GlobalCallTree tree;  // app+0x10 calls MPI_Send, libx, and app+0x20
  tree.nodes = {{trace::kNone, 0}, {0, 1}, {0, 2}, {0, 3}};
  const auto count = [&] { return replay::run_notes(d, tree)[0].count; };
  CHECK(count() == 3);
  d.properties["LATECOMER::SAMPLES"] = "5";
  CHECK(count() == 1);
}

TEST_CASE("notes of a run: an unknown Python") {
  CHECK(notes({{"LATECOMER::UNKNOWN_PYTHON::PROCESSES", "4"},
               {"LATECOMER::UNKNOWN_PYTHON", "3.14"}}) ==
        Texts{"unknown_python: 4 processes with a Python that is not known (3.14): call paths have "
              "functions of the interpreter, not of the script"});
}

TEST_CASE("notes of a run: calls on files that have no record") {
  CHECK(notes({{"LATECOMER::FILE_CALLS_LEFT_OUT", "2"}}) ==
        Texts{"file_calls_left_out: 2 calls on files outside MPI without a record: in signal "
              "handlers, on stacks of the program's own, or on too many files"});
}

TEST_CASE("notes of a run: counters that were refused or took turns") {
  CHECK(notes({{"LATECOMER::COUNTERS_REFUSED", "2"},
               {"LATECOMER::COUNTERS_REFUSED_WHY", "this machine does not have them"},
               {"LATECOMER::COUNTERS_SCALED", "1"},
               {"LATECOMER::COUNTERS_LOST", "3"}}) ==
        Texts{"counters_refused: 2 processes without the counters that were asked for: this "
              "machine does not have them",
              "counters_scaled: 1 process in which counters took turns with others of the machine: "
              "their values are scaled to the whole time",
              "counters_lost: 3 threads without counters, since the kernel had no room for more"});
}

TEST_CASE("notes of a run: samples by timer signals") {
  CHECK(notes({{"LATECOMER::SAMPLES_BY_SIGNALS", "2"},
               {"LATECOMER::SAMPLES_BY_SIGNALS_WHY", "Operation not permitted"}}) ==
        Texts{"samples_by_signals: 2 processes with samples by timer signals, since the kernel "
              "refuses its own: Operation not permitted; when threads had no core is not known"});
}

TEST_CASE("notes of a run: samples that were refused or lost") {
  CHECK(
      notes({{"LATECOMER::SAMPLES_REFUSED", "2"},
             {"LATECOMER::SAMPLES_REFUSED_WHY", "Operation not permitted"},
             {"LATECOMER::SAMPLES_LOST", "1"},
             {"LATECOMER::SWITCHES_LOST", "3"}}) ==
      Texts{
          "samples_refused: 2 processes without samples of the computation: Operation not "
          "permitted",
          "samples_lost: 1 sample of the computation found no room: there was no MPI call for too "
          "long",
          "switches_lost: 3 stretches between two calls, or whole threads, of which the kernel did "
          "not tell every switch of cores: only a part of that time is known to be blocked or "
          "without a core"});
}
