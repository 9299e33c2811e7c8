// SPDX-License-Identifier: BSD-3-Clause
// Processes that take part: found on the board of a node and in the launcher's key-value space,
// without MPI.
#include "tracer/session/job/attendance.hpp"

#include <sched.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>

#include "tests/support/temporary_directory.hpp"

using namespace latecomer::session;
using latecomer::test::TemporaryDirectory;

namespace {

// A launcher that answers one process after another, as Hydra does.
class Launcher {
 public:
  ProcessManager connect() { return ProcessManager(open()); }
  int open() {
    int ends[2];
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    threads_.emplace_back([this, socket = ends[1]] { serve(socket); });
    sockets_.push_back(ends[0]);
    return ends[0];
  }
  ~Launcher() {
    for (const int socket : sockets_) close(socket);
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  void serve(int socket) {
    std::string line;
    for (char c = 0; read(socket, &c, 1) == 1;) {
      if (c != '\n') {
        line += c;
        continue;
      }
      const std::string text = answer(line) + '\n';
      line.clear();
      if (write(socket, text.data(), text.size()) < 0) break;
    }
    close(socket);
  }
  std::string answer(const std::string& line) {
    const auto word = [&line](const std::string& name) {
      const auto at = line.find(name + '=');
      const auto begin = at + name.size() + 1;
      return at == std::string::npos ? "" : line.substr(begin, line.find(' ', begin) - begin);
    };
    if (word("cmd") == "init") return "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0";
    if (word("cmd") == "get_my_kvsname") return "cmd=my_kvsname kvsname=kvs_1";
    if (word("cmd") == "put") {
      values_[word("key")] = word("value");
      return "cmd=put_result rc=0 msg=success";
    }
    const auto found = values_.find(word("key"));
    return found == values_.end() ? "cmd=get_result rc=-1 msg=not_found value=unknown"
                                  : "cmd=get_result rc=0 msg=success value=" + found->second;
  }

  std::map<std::string, std::string> values_;
  std::vector<std::thread> threads_;
  std::vector<int> sockets_;
};

// A rank of the test's world: its node, and whether it takes part.
struct Rank {
  std::string node;
  Presence presence;
};

// Lets all ranks of the world announce themselves and then find the others. Ranks that stay away do
// neither. Without a launcher there is no key-value space.
std::vector<Attendance> attend(const TemporaryDirectory& memory, Launcher* launcher,
                               const std::vector<Rank>& world, int node_size) {
  const int size = static_cast<int>(world.size());
  std::vector<Attendance> all;
  for (int rank = 0; rank < size; ++rank) {
    all.emplace_back(JobEnvironment{rank, size, node_size, "job"},
                     launcher == nullptr ? ProcessManager(-1) : launcher->connect(),
                     memory.file(""));
  }
  for (int rank = 0; rank < size; ++rank) {
    const auto& [node, presence] = world[static_cast<std::size_t>(rank)];
    if (presence == Presence::kUnknown) continue;
    all[static_cast<std::size_t>(rank)].announce(presence == Presence::kRecords, node);
  }
  for (int rank = 0; rank < size; ++rank) {
    if (world[static_cast<std::size_t>(rank)].presence == Presence::kUnknown) continue;
    all[static_cast<std::size_t>(rank)].find_out(rank, size);
  }
  return all;
}

constexpr Presence kHere = Presence::kRecords, kOff = Presence::kOff, kAway = Presence::kUnknown;

}  // namespace

TEST_CASE("a node on which everybody comes needs no launcher") {
  const TemporaryDirectory memory;
  for (const Attendance& a : attend(memory, nullptr, {{"n", kHere}, {"n", kHere}}, 2)) {
    CHECK(a.everybody_records());
  }
  CHECK(std::filesystem::is_empty(memory.file("")));  // nothing is left
}

TEST_CASE("a rank of the node that does not come is found by all others") {
  const TemporaryDirectory memory;
  const auto all = attend(memory, nullptr, {{"n", kHere}, {"n", kAway}, {"n", kHere}}, 3);
  for (const std::size_t rank : {0, 2}) {
    CHECK_FALSE(all[rank].everybody_records());
    CHECK(all[rank].ranks(kAway) == std::vector{1});
    CHECK(all[rank].ranks(kHere) == std::vector{0, 2});
    CHECK(all[rank].first_of_node() == 0);
  }
}

TEST_CASE("recording that is switched off on a rank is known as that") {
  const TemporaryDirectory memory;
  const auto all = attend(memory, nullptr, {{"n", kHere}, {"n", kOff}}, 2);
  CHECK_FALSE(all[0].everybody_records());
  CHECK(all[0].ranks(kOff) == std::vector{1});
  CHECK(all[0].ranks(kAway).empty());
}

TEST_CASE("the launcher tells of other nodes") {
  const TemporaryDirectory memory;
  Launcher launcher;
  const auto all =
      attend(memory, &launcher, {{"a", kHere}, {"a", kHere}, {"b", kHere}, {"b", kHere}}, 2);
  for (const Attendance& a : all) CHECK(a.everybody_records());
  CHECK(all[1].is_on_this_node(0));
  CHECK_FALSE(all[1].is_on_this_node(2));
  CHECK(all[3].first_of_node() == 2);
}

TEST_CASE("all nodes know of a rank that does not come on another one") {
  const TemporaryDirectory memory;
  Launcher launcher;
  const auto all =
      attend(memory, &launcher, {{"a", kHere}, {"a", kHere}, {"b", kAway}, {"b", kHere}}, 2);
  for (const std::size_t rank : {0, 1, 3}) {
    CHECK_FALSE(all[rank].everybody_records());
    CHECK(all[rank].ranks(kAway) == std::vector{2});
  }
}

TEST_CASE("the launcher is known by what it sets on all nodes") {
  Launcher launcher;
  const std::string socket = std::to_string(launcher.open());
  setenv("PMI_FD", socket.c_str(), 1);
  unsetenv("MPI_LOCALNRANKS");
  CHECK(ProcessManager::of_environment().introduce().empty());
  setenv("MPI_LOCALNRANKS", "1", 1);
  CHECK(ProcessManager::of_environment().introduce() == "kvs_1");
  unsetenv("PMI_FD");
  unsetenv("MPI_LOCALNRANKS");
}

TEST_CASE("without the launcher's help only a node that lacks somebody is told from a whole run") {
  const TemporaryDirectory memory;
  const auto whole =
      attend(memory, nullptr, {{"a", kHere}, {"a", kHere}, {"b", kHere}, {"b", kHere}}, 2);
  for (const Attendance& a : whole) CHECK(a.everybody_records());
  const auto mixed =
      attend(memory, nullptr, {{"a", kAway}, {"a", kHere}, {"b", kHere}, {"b", kHere}}, 2);
  CHECK_FALSE(mixed[1].everybody_records());
}

TEST_CASE("what the environment says of another world is not believed") {
  const TemporaryDirectory memory;
  Attendance a(JobEnvironment{0, 4, 4, "job"}, ProcessManager(-1), memory.file(""));
  a.announce(true, "n");
  a.find_out(0, 2);
  CHECK(a.everybody_records());
}

TEST_CASE("a board is only made in a file of one's own") {
  const TemporaryDirectory memory;
  const NodeBoard first = NodeBoard::join(memory.file(""), "job", 2);
  REQUIRE(first.exists());
  const auto file = std::filesystem::directory_iterator(memory.file(""))->path();
  const auto elsewhere = memory.file("elsewhere");
  std::filesystem::rename(file, elsewhere);
  std::filesystem::create_symlink(elsewhere, file);
  CHECK_FALSE(NodeBoard::join(memory.file(""), "job", 2).exists());
}

TEST_CASE("where shared memory is full there is no board, and no signal") {
  const TemporaryDirectory memory;
  constexpr int kCannot = 77;
  const pid_t child = fork();
  if (child == 0) {
    const std::string place = memory.file("");
    if (unshare(CLONE_NEWNS) != 0 ||
        mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("tmpfs", place.c_str(), "tmpfs", 0, "size=16k") != 0) {
      _exit(kCannot);
    }
    const bool before = NodeBoard::join(place, "one", 2).exists();
    std::ofstream(memory.file("rest")) << std::string(1 << 20, 'x') << std::flush;
    NodeBoard board = NodeBoard::join(place, "other", 2);
    board.set(0, Presence::kRecords);  // a board without room would end the process here
    _exit(!before ? 1 : board.exists() ? 2 : 0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == kCannot) {
    WARN("skipped: no file systems can be mounted");
    return;
  }
  CHECK(status == 0);
}

TEST_CASE("a decision reaches all, and nobody waits for one who has died") {
  const TemporaryDirectory memory;
  NodeBoard mine = NodeBoard::join(memory.file(""), "job", 2);
  NodeBoard other = NodeBoard::join(memory.file(""), "job", 2);
  const pid_t child = fork();
  if (child == 0) {
    mine.set(0, Presence::kRecords);
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(other.wait_for_decision(0) == nullptr);
  NodeBoard::Decision decision;
  decision.base_ticks = 7;
  mine.decide(decision);
  REQUIRE(other.wait_for_decision(0) != nullptr);
  CHECK(other.wait_for_decision(0)->base_ticks == 7);
}
