// SPDX-License-Identifier: BSD-3-Clause
// Regions, communicators and the system tree of several processes become one set of definitions.
#include "tracer/convert/definitions/unify.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

using namespace latecomer;
using namespace latecomer::convert;
using record::CommDefinition;
using record::CommName;

namespace {

constexpr std::array<MpiFunction, 4> kFunctions = {{{"MPI_Barrier", "barrier"},
                                                    {"MPI_Init", "function"},
                                                    {"MPI_Recv", "point2point"},
                                                    {"MPI_Send", "point2point"}}};

ProcessInput process(std::uint32_t rank, std::uint32_t size) {
  ProcessInput p;
  p.rank = rank;
  p.definitions.process = {rank, size, 0};
  p.definitions.node = {"boot", "vm"};
  p.definitions.metahost = {0, "machine"};
  p.definitions.program = {"/bin/app", {}};
  p.definitions.comms.push_back({0, "world", 0, 0, {}, {}, {}});
  p.definitions.comms.push_back({1, "self", rank, 1, {}, {}, {}});
  return p;
}

std::vector<ProcessInput> processes(std::uint32_t size) {
  std::vector<ProcessInput> all;
  for (std::uint32_t rank = 0; rank < size; ++rank) all.push_back(process(rank, size));
  return all;
}

Unified unified(const std::vector<ProcessInput>& all, bool scalasca25 = false) {
  return unify(all, static_cast<std::uint32_t>(all.size()), kFunctions, scalasca25);
}

const std::string& name(const Unified& u, StringId id) { return u.global.strings.text(id); }

std::vector<std::string> region_names(const Unified& u) {
  std::vector<std::string> list;
  for (const Region& region : u.global.regions) list.push_back(name(u, region.name));
  return list;
}

std::vector<std::uint64_t> members(const Unified& u, std::uint32_t comm) {
  return u.global.groups.at(u.global.comms.at(comm).group).members;
}

record::RegionDefinition function(std::uint32_t id, const std::string& region_name) {
  return {id, "compiler", "function", region_name, "", "a.c", 1, 9};
}

// All visible parts of a result, for comparison.
std::string description(const Unified& u) {
  std::string text;
  for (StringId id = 0; id < u.global.strings.size(); ++id) text += name(u, id) + ";";
  for (const SystemNode& d : u.global.nodes) {
    text += std::to_string(d.name) + "/" + std::to_string(d.parent) + ";";
  }
  for (const ProcessPlace& d : u.global.processes) text += std::to_string(d.node) + ";";
  for (const Region& d : u.global.regions) text += std::to_string(d.name) + ";";
  for (const Group& d : u.global.groups) {
    for (const auto member : d.members) text += std::to_string(member) + ",";
    text += ";";
  }
  for (const Comm& d : u.global.comms) {
    text += std::to_string(d.name) + "/" + std::to_string(d.group) + "/" +
            std::to_string(d.remote_group) + "/" + std::to_string(d.parent) + ";";
  }
  return text;
}

// Three processes: a duplicate of world, a split into {2, 0} and {1}, an intercommunicator between
// them, and one more communicator of rank 1 alone.
std::vector<ProcessInput> three_processes() {
  auto all = processes(3);
  auto& p0 = all[0].definitions;
  auto& p1 = all[1].definitions;
  auto& p2 = all[2].definitions;
  p0.comms.push_back({2, "intra", 0, 2, 0, {0, 1, 2}, {}});
  p1.comms.push_back({2, "intra", 0, 2, 0, {}, {}});
  p2.comms.push_back({2, "intra", 0, 2, 0, {}, {}});
  p0.comms.push_back({3, "intra", 2, 2, 2, {}, {}});
  p2.comms.push_back({3, "intra", 2, 2, 2, {2, 0}, {}});
  p1.comms.push_back({3, "intra", 1, 2, 2, {1}, {}});
  p1.comms.push_back({4, "intra", 1, 3, 1, {1}, {}});
  p0.comms.push_back({4, "inter", 1, 4, 3, {}, {}});
  p2.comms.push_back({4, "inter", 1, 4, 3, {}, {}});
  p1.comms.push_back({5, "inter", 1, 4, 3, {1}, {2, 0}});
  return all;
}

}  // namespace

TEST_CASE("used MPI functions stand in the order of their table, equal regions are one") {
  auto all = processes(2);
  all[0].usage.regions = {1, 3, 4096, 4097};
  all[1].usage.regions = {1, 2, 4096};
  all[0].definitions.regions = {function(4096, "f"), function(4097, "g")};
  all[1].definitions.regions = {function(4096, "g"), function(4097, "unused")};
  const Unified u = unified(all);
  CHECK(region_names(u) == std::vector<std::string>{"MEASUREMENT OFF", "TRACE BUFFER FLUSH", "app",
                                                    "MPI_Init", "MPI_Recv", "MPI_Send", "f", "g"});
  CHECK(u.maps[0].region(1) == 3);
  CHECK(u.maps[0].region(3) == 5);
  CHECK(u.maps[0].region(4096) == 6);
  CHECK(u.maps[0].region(4097) == 7);
  CHECK(u.maps[1].region(4096) == 7);
  CHECK(u.maps[1].region(2) == 4);
  CHECK(u.maps[1].region(1 << 20) == kNoId);
  CHECK(u.global.regions[3].paradigm == Paradigm::kMpi);
  CHECK(name(u, u.global.regions[3].file) == "MPI");
  CHECK(u.global.regions[5].role == "point2point");
}

TEST_CASE("regions differ by name, mangled name, file, lines and paradigm") {
  auto all = processes(1);
  all[0].usage.regions = {4096, 4097, 4098, 4099, 4100, 4101};
  auto& regions = all[0].definitions.regions;
  regions = {function(4096, "f"), function(4097, "f"), function(4098, "f"),
             function(4099, "f"), function(4100, "f"), function(4101, "f")};
  regions[1].mangled = "_Z1f";
  regions[2].file = "b.c";
  regions[3].first_line = 2;
  regions[4].paradigm = "user";
  const Unified u = unified(all);
  CHECK(u.global.regions.size() == 3 + 5);
  CHECK(u.maps[0].region(4101) == u.maps[0].region(4096));
  CHECK(name(u, u.global.regions[u.maps[0].region(4097)].canonical) == "_Z1f");
  CHECK(u.global.regions[u.maps[0].region(4100)].paradigm == Paradigm::kUser);
}

TEST_CASE("a region whose definition is lost is an unknown region") {
  auto all = processes(2);
  all[0].usage.regions = {5000};
  all[1].usage.regions = {4999, 5001};
  const Unified u = unified(all);
  CHECK(region_names(u).back() == "unknown region");
  CHECK(u.global.regions.size() == 4);
  CHECK(u.maps[0].region(5000) == 3);
  CHECK(u.maps[1].region(5001) == 3);
}

TEST_CASE("every command line is a program region of its own") {
  auto all = processes(3);
  all[1].definitions.program = {"/bin/app", {"-n", "5"}};
  const Unified u = unified(all);
  CHECK(u.global.regions.size() == 4);
  CHECK(name(u, u.global.regions[2].canonical) == "/bin/app");
  CHECK(name(u, u.global.regions[3].canonical) == "/bin/app -n 5");
  CHECK(name(u, u.global.regions[3].name) == "app");
  CHECK(name(u, u.maps[1].program) == "/bin/app");
  REQUIRE(u.maps[1].arguments.size() == 2);
  CHECK(name(u, u.maps[1].arguments[1]) == "5");
  CHECK(u.maps[2].arguments.empty());
}

TEST_CASE("a command line can be given to a shell as it stands") {
  auto all = processes(3);
  all[0].definitions.program = {"/bin/app", {"a", "b"}};
  all[1].definitions.program = {"/bin/app", {"a b"}};
  all[2].definitions.program = {"/my bin/app", {"", "it's"}};
  const Unified u = unified(all);
  REQUIRE(u.global.regions.size() == 5);
  CHECK(name(u, u.global.regions[2].canonical) == "/bin/app a b");
  CHECK(name(u, u.global.regions[3].canonical) == "/bin/app 'a b'");
  CHECK(name(u, u.global.regions[4].canonical) == R"('/my bin/app' '' 'it'\''s')");
  CHECK(name(u, u.global.regions[4].name) == "app");
  CHECK(name(u, u.maps[1].arguments[0]) == "a b");
}

TEST_CASE("world and self need no members") {
  const Unified u = unified(processes(3));
  REQUIRE(u.global.comms.size() == 2);
  CHECK(name(u, u.global.comms[kCommWorld].name) == "MPI_COMM_WORLD");
  CHECK(members(u, kCommWorld) == std::vector<std::uint64_t>{0, 1, 2});
  CHECK(u.global.comms[kCommSelf].group == kGroupSelf);
  CHECK(u.global.groups[kGroupLocations].members == std::vector<std::uint64_t>{0, 1, 2});
  CHECK(u.maps[2].comm(0).id == kCommWorld);
  CHECK(u.maps[2].comm(0).peers == 3);
  CHECK(u.maps[2].comm(1).id == kCommSelf);
  CHECK(u.maps[2].comm(1).peers == 1);
}

TEST_CASE("communicators of several processes meet, parents come first, groups are shared") {
  const Unified u = unified(three_processes());
  // 0 world, 1 self, 2 duplicate, 3 {2, 0}, 4 intercommunicator (rank 0 has it before rank 1 has
  // its own ones), 5 and 6 like self.
  REQUIRE(u.global.comms.size() == 7);
  CHECK(u.global.comms[2].group == kGroupWorld);
  CHECK(u.global.comms[2].parent == kCommWorld);
  CHECK(members(u, 3) == std::vector<std::uint64_t>{2, 0});
  CHECK(u.global.comms[3].parent == 2);
  CHECK(members(u, 4) == std::vector<std::uint64_t>{1});
  CHECK(u.global.comms[4].remote_group == u.global.comms[3].group);
  CHECK(u.global.comms[4].parent == kCommWorld);
  CHECK(u.global.comms[5].group == kGroupSelf);
  CHECK(u.global.comms[5].parent == 2);
  CHECK(u.global.comms[6].parent == kCommSelf);
  for (std::uint32_t id = 0; id < u.global.comms.size(); ++id) {
    const std::uint32_t parent = u.global.comms[id].parent;
    CHECK((parent == kNoId || parent < id));
  }
  CHECK(u.maps[0].comm(3).id == 3);
  CHECK(u.maps[2].comm(3).id == 3);
  CHECK(u.maps[1].comm(3).id == 5);
  CHECK(u.maps[1].comm(4).id == 6);
  // Messages on an intercommunicator name ranks of the other side.
  CHECK(u.maps[1].comm(5).id == 4);
  CHECK(u.maps[1].comm(5).peers == 2);
  CHECK(u.maps[0].comm(4).peers == 1);
  CHECK(u.unknown_comms == 0);
}

TEST_CASE("the result does not depend on the order of the processes") {
  auto all = three_processes();
  all[0].usage.regions = {1, 4096};
  all[0].definitions.regions = {function(4096, "f")};
  all[2].usage.regions = {3, 4096};
  all[2].definitions.regions = {function(4096, "g")};
  all[1].definitions.node = {"other", "vm2"};
  const std::string expected = description(unified(all));
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.rank > b.rank; });
  do {
    CHECK(description(unified(all)) == expected);
  } while (std::next_permutation(all.begin(), all.end(),
                                 [](const auto& a, const auto& b) { return a.rank < b.rank; }));
  std::swap(all[0], all[1]);
  CHECK(description(unified(all)) == expected);
}

TEST_CASE("communicators like self are as many as the process with the most has") {
  auto all = processes(3);
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    for (std::uint32_t i = 0; i <= rank; ++i) {
      all[rank].definitions.comms.push_back({2 + i, "intra", rank, 2 + i, 1, {rank}, {}});
    }
  }
  all[1].definitions.comms[2].parent = 0;
  const Unified u = unified(all);
  CHECK(u.global.comms.size() == 2 + 3);
  CHECK(u.global.groups.size() == 3);
  CHECK(u.maps[2].comm(4).id == 4);
  CHECK(u.maps[0].comm(2).id == u.maps[2].comm(2).id);
  // The processes disagree about the parent of the first one.
  CHECK(u.global.comms[2].parent == kNoId);
  CHECK(u.global.comms[3].parent == kCommSelf);
}

TEST_CASE("names are those of local rank 0") {
  auto all = three_processes();
  all[0].definitions.comm_names = {{3, "not the owner"}, {2, "copy"}, {2, "second name"}};
  all[2].definitions.comm_names = {{3, "pair"}};
  all[1].definitions.comm_names = {{3, "alone"}};
  const Unified u = unified(all);
  CHECK(name(u, u.global.comms[2].name) == "copy");
  CHECK(name(u, u.global.comms[3].name) == "pair");
  CHECK(name(u, u.global.comms[5].name) == "alone");
  CHECK(name(u, u.global.comms[6].name).empty());
}

TEST_CASE("neighbors are those of the last answer, on communicators of several processes") {
  auto all = three_processes();
  all[0].definitions.neighbors = {{2, {1}}, {2, {1, 2}}, {1, {0}}, {77, {0}}};
  all[2].definitions.neighbors = {{3, {}}};
  const Unified u = unified(all);
  REQUIRE(u.global.neighbors.size() == 2);
  CHECK(u.global.neighbors[0].rank == 0);
  CHECK(u.global.neighbors[0].comm == u.maps[0].comm(2).id);
  CHECK(u.global.neighbors[0].sources == std::vector<std::uint32_t>{1, 2});
  CHECK(u.global.neighbors[1].rank == 2);
  CHECK(u.global.neighbors[1].sources.empty());
  CHECK(unify(all, 3, kFunctions, true).global.neighbors.empty());
}

TEST_CASE("windows are named by their communicator and number there, groups by their members") {
  auto all = three_processes();
  all[0].definitions.windows = {{0, 0, 0}, {1, 2, 0}, {2, 77, 0}};
  all[1].definitions.windows = {{0, 0, 0}};
  all[2].definitions.windows = {{5, 2, 0}, {6, 0, 1}};
  all[0].definitions.window_names = {{1, "halo"}};
  all[0].definitions.groups = {{0, {1, 2}}, {1, {0, 1, 2}}, {2, {3}}};
  all[2].definitions.groups = {{0, {1, 2}}};
  const Unified u = unified(all);
  CHECK(u.maps[0].window(0).id == u.maps[1].window(0).id);
  CHECK(u.maps[0].window(0).id != u.maps[2].window(6).id);
  CHECK(u.maps[0].window(2).state == CommState::kUnknown);
  CHECK(u.maps[0].window(0).peers == 3);
  CHECK(u.maps[0].window(9).state == CommState::kUnknown);
  CHECK(u.global.windows.at(u.maps[0].window(0).id).comm == kCommWorld);
  CHECK(name(u, u.global.windows.at(u.maps[0].window(1).id).name) == "halo");
  CHECK(u.maps[0].group(0) == u.maps[2].group(0));
  CHECK(u.maps[0].group(1) == kGroupWorld);
  CHECK(u.maps[0].group(2) == kNoId);  // there is no rank 3
  CHECK(u.maps[1].group(0) == kNoId);
}

TEST_CASE("what processes open together is one file, by whatever names they know it") {
  // On world number 0 is the same file for all, although rank 1 is in another directory. On self
  // each process has a file of its own.
  auto all = processes(3);
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    auto& d = all[rank].definitions;
    d.files = {{0, rank == 1 ? "/b/out" : "/a/out"}, {1, "/tmp/" + std::to_string(rank)}};
    d.file_handles = {{0, 0, 0, 0}, {1, 1, 1, 0}};
  }
  const Unified u = unified(all);
  CHECK(u.maps[0].file_handle(0).id == u.maps[1].file_handle(0).id);
  CHECK(u.maps[0].file_handle(0).id == u.maps[2].file_handle(0).id);
  CHECK(u.maps[0].file_handle(1).id != u.maps[1].file_handle(1).id);
  CHECK(u.global.file_handles.size() == 4);
}

TEST_CASE("a communicator whose owner is lost is not defined") {
  auto all = three_processes();
  all.erase(all.begin() + 2);
  const Unified u = unify(all, 3, kFunctions, false);
  CHECK(u.unknown_comms == 1);
  CHECK(u.maps[0].comm(3).state == CommState::kUnknown);
  CHECK(u.maps[0].comm(77).state == CommState::kUnknown);
  CHECK(u.maps[0].comm(4).state == CommState::kDefined);
}

TEST_CASE("members that cannot be are no members") {
  const auto broken = GENERATE(std::vector<std::uint32_t>{0, 3}, std::vector<std::uint32_t>{0, 0},
                               std::vector<std::uint32_t>{});
  auto all = processes(3);
  all[0].definitions.comms.push_back({2, "intra", 0, 2, 0, broken, {}});
  const Unified u = unified(all);
  CHECK(u.unknown_comms == 1);
  CHECK(u.global.comms.size() == 2);
}

TEST_CASE("a machine per metahost, a node per identity") {
  auto all = processes(5);
  all[0].definitions.metahost = {2, "west"};
  all[1].definitions.metahost = {1, "east"};
  all[2].definitions.metahost = {1, "east"};
  all[3].definitions.metahost = {1, "east"};
  all[4].definitions.metahost = {1, "east"};
  all[2].definitions.node = {"blade-2", "n1"};
  all[3].definitions.node = {"blade-3", "n1"};
  const Unified u = unified(all);
  std::vector<std::string> nodes;
  for (const SystemNode& d : u.global.nodes) {
    nodes.push_back(name(u, d.name) + " " +
                    (d.parent == kNoId ? "root " + std::to_string(d.metahost_id)
                                       : "in " + name(u, u.global.nodes[d.parent].name)));
  }
  CHECK(nodes == std::vector<std::string>{"east root 1", "west root 2", "vm in west", "vm in east",
                                          "n1 (blade-2) in east", "n1 (blade-3) in east"});
  CHECK(u.global.processes[0].node == 2);
  CHECK(u.global.processes[1].node == 3);
  CHECK(u.global.processes[4].node == 3);
  CHECK(name(u, u.global.processes[4].name) == "MPI Rank 4");
}

TEST_CASE("a process of which nothing is known has a place in the system tree") {
  auto all = processes(3);
  all.erase(all.begin() + 1);
  const Unified u = unify(all, 3, kFunctions, false);
  REQUIRE(u.global.processes.size() == 3);
  CHECK(name(u, u.global.nodes[u.global.processes[1].node].name) == "unknown host");
}

TEST_CASE("for Scalasca 2.5 only communicators with communication are defined") {
  auto all = three_processes();
  all[0].usage.comms = {3, 4};
  all[1].usage.comms = {4, 5};
  const Unified u = unified(all, true);
  // The result has world, self, {2, 0}, and the second one of rank 1 like self, but no
  // intercommunicator.
  REQUIRE(u.global.comms.size() == 4);
  CHECK(members(u, 2) == std::vector<std::uint64_t>{2, 0});
  CHECK(u.global.comms[2].parent == kNoId);
  CHECK_FALSE(u.global.comms[0].has_create_events);
  CHECK(u.maps[2].comm(3).id == 2);
  CHECK(u.maps[0].comm(2).state == CommState::kLeftOut);
  CHECK(u.maps[0].comm(4).state == CommState::kLeftOut);
  CHECK(u.maps[1].comm(3).state == CommState::kLeftOut);
  CHECK(u.maps[1].comm(4).id == 3);
  CHECK(u.unknown_comms == 0);
}

TEST_CASE("a map survives its journey") {
  auto all = three_processes();
  all[0].usage.regions = {1, 4096};
  all[0].definitions.regions = {function(4096, "f")};
  all[0].definitions.program.arguments = {"a", "b"};
  const Unified u = unified(all);
  ByteWriter out;
  u.maps[0].put(out);
  const std::string bytes = out.take();
  ByteReader in(bytes);
  const ProcessMap map = ProcessMap::get(in);
  CHECK(in.ok());
  CHECK(map.region(4096) == u.maps[0].region(4096));
  CHECK(map.region(2) == kNoId);
  CHECK(map.comm(4).id == u.maps[0].comm(4).id);
  CHECK(map.comm(4).peers == 1);
  CHECK(map.comm(99).state == CommState::kUnknown);
  CHECK(map.arguments == u.maps[0].arguments);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    ByteReader cut(std::string_view(bytes).substr(0, length));
    static_cast<void>(ProcessMap::get(cut));
    CHECK_FALSE(cut.ok());
  }
}
