// SPDX-License-Identifier: BSD-3-Clause
// Machines whose ranks and threads share cores, by the logs of the ranks.
#include "tracer/convert/shared_cores.hpp"

#include <catch2/catch.hpp>
#include <map>

#include "archive/layout.hpp"
#include "archive/thread_layout.hpp"

using namespace latecomer;
using convert::SharedCores;

namespace {

using Found = std::map<std::string, std::string>;

record::Definitions log(const std::string& cores, const std::string& threads = "") {
  record::Definitions d;
  d.properties.push_back({layout::kLogCores, cores});
  if (!threads.empty()) d.properties.push_back({layout::kLogOpenMpThreads, threads});
  return d;
}

Found found(const std::vector<record::Definitions>& logs) {
  SharedCores cores;
  for (const auto& one : logs) cores.add(one);
  const auto list = cores.properties();
  return {list.begin(), list.end()};
}

}  // namespace

TEST_CASE("cores: four ranks on two of them share") {
  CHECK(found({log("a 0-1"), log("a 0-1"), log("a 0,1"), log("a 1")}) ==
        Found{{"LATECOMER::MACHINES", "1"},
              {"LATECOMER::CORES", "2"},
              {"LATECOMER::SHARED_CORES::MACHINES", "1"},
              {"LATECOMER::SHARED_CORES::RANKS", "4"},
              {"LATECOMER::SHARED_CORES::THREADS", "4"},
              {"LATECOMER::SHARED_CORES::CORES", "2"}});
}

TEST_CASE("cores: ranks that are bound to one each do not") {
  CHECK(found({log("a 0"), log("a 1"), log("a 2"), log("b 0")}) ==
        Found{{"LATECOMER::MACHINES", "2"}, {"LATECOMER::CORES", "4"}});
}

TEST_CASE("cores: the machine with most threads to a core is told, and how many share") {
  // a: 2 ranks on 1 core; b: 3 on 2; c: 1 rank with 8 threads on 2; d: 1 on 4.
  CHECK(found({log("a 7"), log("a 7"), log("b 0-1"), log("b 0-1"), log("b 0-1"), log("c 4-5", "8"),
               log("d 0-3")}) == Found{{"LATECOMER::MACHINES", "4"},
                                       {"LATECOMER::CORES", "9"},
                                       {"LATECOMER::SHARED_CORES::MACHINES", "3"},
                                       {"LATECOMER::SHARED_CORES::RANKS", "1"},
                                       {"LATECOMER::SHARED_CORES::THREADS", "8"},
                                       {"LATECOMER::SHARED_CORES::CORES", "2"},
                                       {"LATECOMER::OPENMP::PROCESSES", "1"},
                                       {"LATECOMER::OPENMP::THREADS", "8"}});
}

TEST_CASE("cores: the last line of a log counts") {
  auto bound = log("a 3");
  bound.properties.push_back({layout::kLogOpenMpThreads, "4"});
  bound.properties.push_back({layout::kLogCores, "a 0-3"});
  CHECK(found({bound}) == Found{{"LATECOMER::MACHINES", "1"},
                                {"LATECOMER::CORES", "4"},
                                {"LATECOMER::OPENMP::PROCESSES", "1"},
                                {"LATECOMER::OPENMP::THREADS", "4"}});
}

TEST_CASE("threads without records: a static runtime, and --threads off") {
  auto with_inside = log("a 0-3", "3");
  with_inside.properties.push_back({layout::kLogOpenMpInside, "app"});
  with_inside.properties.push_back({layout::kLogTeams, "7"});  // of another runtime
  auto off = log("b 0-3", "2");
  off.properties.push_back({layout::kLogThreadsOff, "5"});
  auto off_too = log("c 0-3");
  off_too.properties.push_back({layout::kLogThreadsOff, "4"});
  CHECK(found({with_inside, off, off_too}) == Found{{"LATECOMER::MACHINES", "3"},
                                                    {"LATECOMER::CORES", "12"},
                                                    {"LATECOMER::OPENMP::PROCESSES", "1"},
                                                    {"LATECOMER::OPENMP::THREADS", "3"},
                                                    {"LATECOMER::OPENMP::STATIC", "app"},
                                                    {"LATECOMER::THREADS_OFF::PROCESSES", "2"},
                                                    {"LATECOMER::THREADS_OFF::THREADS", "5"}});
}

TEST_CASE("cores: what is no list of them is not known") {
  for (const char* bad :
       {"", "a", "a ", "a x", "a 3-1", "a 0-99999999", "a -1", "a 1-", "a 0-1-2"}) {
    INFO(bad);
    CHECK(found({log(bad), log(bad), log(bad)}).empty());
  }
  CHECK(found({log("a 0", "0"), log("b 0", "-4"), log("c 0", "x")}) ==
        Found{{"LATECOMER::MACHINES", "3"}, {"LATECOMER::CORES", "3"}});
}
