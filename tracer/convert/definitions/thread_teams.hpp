// SPDX-License-Identifier: BSD-3-Clause
// Teams of threads of one process: who was in each, and when it ended.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace latecomer::convert {

// A process makes a team for each execution of a parallel region, mostly of the same threads. Teams
// of the same threads share a set, which becomes a communicator. Readers pair teams by communicator
// and the number of earlier teams of it, so each set must have exactly the threads with records.
//
// Threads are read in the order of their numbers. A set is built thread by thread: it is a thread
// and the set without it.
//
//   team   thread 0   thread 1   thread 2    set
//   0      begun      begun      begun       {0, 1, 2}
//   1      begun      begun                  {0, 1}
//   2      begun      begun      begun       {0, 1, 2}
class Teams {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;
  // Sets beyond this number are not kept: their teams have no communicator.
  static constexpr std::size_t kMostSets = std::size_t{1} << 16;

  // The records that follow are those of this thread.
  void begin_thread(std::uint32_t thread);
  // The thread begins its part in a team.
  void begun(std::uint32_t team, std::uint32_t region, bool is_maker);
  // True between the begin and the end of a team that the thread has made.
  [[nodiscard]] bool has_open() const { return !open_.empty(); }
  // The thread leaves a region, with which a team may end.
  void left(std::uint64_t region, std::uint64_t ticks);

  // Sets of all teams, in the order of the teams; each lists its threads in ascending order. Call
  // it when all threads are read. The sets of teams are known afterwards.
  [[nodiscard]] std::vector<std::vector<std::uint32_t>> sets() const;

  // Number of the set of a team; kNone: unknown.
  [[nodiscard]] std::uint32_t set_of(std::uint32_t team) const;
  // Number of threads in a team; 0: unknown.
  [[nodiscard]] std::uint32_t size_of(std::uint32_t team) const;
  // Ticks at which the thread that made the team left it; empty if it never did.
  [[nodiscard]] std::optional<std::uint64_t> end_of(std::uint32_t team) const;

 private:
  // What is known of a team; node 0: nobody was in it.
  struct Team {
    std::uint32_t node = 0;
    std::uint64_t end = 0;
  };
  // Teams that follow each other are stored together. A damaged number costs one page only.
  static constexpr std::uint32_t kPageBits = 8;
  using Page = std::array<Team, std::size_t{1} << kPageBits>;
  // A set: a thread, and the node of the others.
  struct Node {
    std::uint32_t without = 0, thread = 0, size = 0;
    mutable std::uint32_t number = kNone;  // of its set, once sets() has been called
  };
  struct Open {
    std::uint32_t team = 0, region = 0;
  };

  Team& team(std::uint32_t number);
  [[nodiscard]] const Team* find(std::uint32_t number) const;
  std::uint32_t with(std::uint32_t node, std::uint32_t thread);

  std::uint32_t thread_ = 0;
  std::vector<Open> open_;  // teams that this thread has made and not left
  std::unordered_map<std::uint32_t, Page> pages_;
  Page* last_page_ = nullptr;
  std::uint32_t last_number_ = kNone;
  std::vector<Node> nodes_{Node{}};
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> steps_;
  std::uint32_t last_from_ = kNone, last_to_ = 0, last_thread_ = kNone;
};

}  // namespace latecomer::convert
