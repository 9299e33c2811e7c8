// SPDX-License-Identifier: BSD-3-Clause
// Processes of one node exchange data by way of their board. Here the processes are threads, each
// with its own mapping of the board.
#include "tracer/exchange/node_group.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/temporary_directory.hpp"

using namespace latecomer::exchange;
using latecomer::test::TemporaryDirectory;

namespace {

// Ranks of one node. run() starts a thread for each. Catch2 assertions are not thread-safe, so the
// ranks count failed checks.
class Ranks {
 public:
  explicit Ranks(int size) : size_(size) {
    for (int rank = 0; rank < size; ++rank) {
      boards_.push_back(NodeBoard::join(directory_.file(""), "job", size, true));
      boards_.back().offer_exchange(rank);
    }
  }

  void run(const std::function<void(Group&)>& work) {
    std::vector<std::thread> threads;
    for (int rank = 0; rank < size_; ++rank) {
      threads.emplace_back([this, rank, &work] {
        NodeGroup group(boards_[static_cast<std::size_t>(rank)], rank, size_,
                        [this](bool begins) { (begins ? begun : waited).fetch_add(1); });
        work(group);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

  void check(bool condition) {
    if (!condition) wrong.fetch_add(1);
  }
  [[nodiscard]] NodeBoard& board(std::size_t rank) { return boards_[rank]; }

  std::atomic<int> wrong{0}, begun{0}, waited{0};

 private:
  TemporaryDirectory directory_;
  int size_;
  std::vector<NodeBoard> boards_;
};

// A text of `length` bytes that no other rank and no other operation has.
std::string text_of(int rank, int operation, std::size_t length) {
  std::string text(length, '\0');
  for (std::size_t i = 0; i < length; ++i) {
    text[i] = static_cast<char>(rank * 31 + operation * 7 + static_cast<int>(i % 251));
  }
  return text;
}

// Lengths around the size of a piece, which also holds the length of the message at its begin.
constexpr std::size_t kPiece = Pipe::kBytes;
constexpr std::size_t kLengths[] = {0,          1,          kPiece - 9,     kPiece - 8,
                                    kPiece - 7, 2 * kPiece, 5 * kPiece + 3, 1000};

std::size_t length_of(int rank, int operation) {
  return kLengths[static_cast<std::size_t>(rank * 3 + operation) % std::size(kLengths)];
}

}  // namespace

TEST_CASE("texts of all lengths reach rank 0, each rank, and all ranks") {
  const int size = GENERATE(2, 3, 8);
  Ranks ranks(size);
  ranks.run([&](Group& group) {
    for (int i = 0; i < 20; ++i) {
      const auto text = [i](int rank) { return text_of(rank, i, length_of(rank, i)); };
      const std::vector<std::string> all = group.gather_texts(text(group.rank()));
      ranks.check(all.size() == (group.rank() == 0 ? static_cast<std::size_t>(size) : 0));
      for (std::size_t rank = 0; rank < all.size(); ++rank) {
        ranks.check(all[rank] == text(static_cast<int>(rank)));
      }
      ranks.check(group.scatter_texts(all) == text(group.rank()));
      ranks.check(group.broadcast_text(group.rank() == 0 ? text(0) : "") == text(0));
    }
  });
  CHECK(ranks.wrong == 0);
  CHECK(ranks.begun == size * 20 * 3);
}

TEST_CASE("values of a fixed size are gathered, broadcast from any rank, and compared") {
  constexpr int kSize = 5;
  Ranks ranks(kSize);
  ranks.run([&](Group& group) {
    for (int i = 0; i < 50; ++i) {
      const int mine = 100 * i + group.rank();
      std::vector<int> all(kSize);
      group.gather(&mine, sizeof mine, all.data());
      for (int rank = 0; group.rank() == 0 && rank < kSize; ++rank) {
        ranks.check(all[static_cast<std::size_t>(rank)] == 100 * i + rank);
      }
      const int root = i % kSize;
      int told = group.rank() == root ? i : -1;
      group.broadcast(&told, sizeof told, root);
      ranks.check(told == i);
      // -(rank - i % 5)^2 is highest, 0, on rank i % 5.
      const int distance = group.rank() - root;
      ranks.check(group.highest(-distance * distance) == 0);
      ranks.check(group.highest(-1000 - group.rank()) == -1000);
    }
  });
  CHECK(ranks.wrong == 0);
}

TEST_CASE("ranks that are ahead wait for those that are not") {
  // Gathers one after another: a rank may be at most a piece ahead of rank 0.
  Ranks ranks(4);
  std::atomic<int> arrived{0};
  ranks.run([&](Group& group) {
    for (int i = 0; i < 200; ++i) {
      const auto all = group.gather_texts(std::to_string(1000 * group.rank() + i));
      for (std::size_t rank = 0; rank < all.size(); ++rank) {
        ranks.check(all[rank] == std::to_string(1000 * static_cast<int>(rank) + i));
      }
    }
    if (group.rank() == 3) usleep(50'000);
    arrived.fetch_add(1);
    group.barrier();
    ranks.check(arrived == 4);
  });
  CHECK(ranks.wrong == 0);
  CHECK(ranks.waited > 0);  // 50 ms are more than one sleep
}

TEST_CASE("random sequences of operations give all ranks what they should") {
  std::mt19937 random(20261128);
  for (int round = 0; round < 20; ++round) {
    const int size = 2 + static_cast<int>(random() % 6);
    std::vector<unsigned> plan(40);
    for (unsigned& step : plan) step = random();
    Ranks ranks(size);
    ranks.run([&](Group& group) {
      for (std::size_t i = 0; i < plan.size(); ++i) {
        const int operation = static_cast<int>(i);
        const auto length = [&](int rank) {
          return (plan[i] / 7 + static_cast<unsigned>(rank) * 7919) % (3 * kPiece);
        };
        const auto text = [&](int rank) { return text_of(rank, operation, length(rank)); };
        switch (plan[i] % 4) {
          case 0: {
            const auto all = group.gather_texts(text(group.rank()));
            for (std::size_t rank = 0; rank < all.size(); ++rank) {
              ranks.check(all[rank] == text(static_cast<int>(rank)));
            }
            break;
          }
          case 1: {
            std::vector<std::string> all;
            for (int rank = 0; rank < size && group.rank() == 0; ++rank) all.push_back(text(rank));
            ranks.check(group.scatter_texts(all) == text(group.rank()));
            break;
          }
          case 2:
            ranks.check(group.broadcast_text(group.rank() == 0 ? text(0) : "") == text(0));
            break;
          default:
            group.barrier();
        }
      }
    });
    CHECK(ranks.wrong == 0);
  }
}

TEST_CASE("a board has pipes for all of its processes or no process uses them") {
  const TemporaryDirectory directory;
  NodeBoard first = NodeBoard::join(directory.file(""), "job", 2, true);
  NodeBoard second = NodeBoard::join(directory.file(""), "job", 2, false);
  first.offer_exchange(0);
  CHECK_FALSE(first.all_exchange());
  second.offer_exchange(1);  // it has no pipes
  CHECK_FALSE(first.all_exchange());
  CHECK_FALSE(second.all_exchange());
  NodeBoard third = NodeBoard::join(directory.file(""), "job", 2, true);
  third.offer_exchange(1);
  CHECK(first.all_exchange());
  CHECK(third.all_exchange());
  CHECK_FALSE(second.all_exchange());
}

TEST_CASE("a board without room for pipes is still a board") {
  // Pipes of two processes take 32 KiB, the board itself about 6 KiB.
  const TemporaryDirectory directory;
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  const rlimit low{16 << 10, before.rlim_max};
  REQUIRE(setrlimit(RLIMIT_FSIZE, &low) == 0);
  NodeBoard board = NodeBoard::join(directory.file(""), "job", 2, true);
  REQUIRE(setrlimit(RLIMIT_FSIZE, &before) == 0);
  REQUIRE(board.exists());
  board.set(0, Presence::kRecords);
  CHECK(board.get(0) == Presence::kRecords);
  board.offer_exchange(0);
  board.offer_exchange(1);
  CHECK_FALSE(board.all_exchange());
}
