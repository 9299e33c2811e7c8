// SPDX-License-Identifier: BSD-3-Clause
// Memory in a file: blocks keep their contents and leave no file, and a full disk is an error
// instead of a crash.
#include "analyzer/memory/spill_file.hpp"

#include <sys/resource.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <new>
#include <vector>

using namespace latecomer;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t kPage = memory::FreeBlocks::kLargePage;

fs::path scratch() {
  auto directory = fs::temp_directory_path() / "latecomer_spill_file_test";
  fs::create_directories(directory);
  return directory;
}

}  // namespace

TEST_CASE("blocks in a file keep what was written into them") {
  memory::SpillFile file;
  file.set_directory(scratch());
  CHECK(file.size() == 0);
  struct Block {
    std::uint8_t* at;
    std::size_t size;
    std::uint8_t content;
  };
  std::vector<Block> blocks;
  for (std::uint8_t i = 1; i <= 8; ++i) {
    const std::size_t size = (1 + i % 3) * kPage;
    const std::size_t alignment = i % 2 == 0 ? 2 * kPage : kPage;
    auto* const at = static_cast<std::uint8_t*>(file.take(size, alignment));
    CHECK(reinterpret_cast<std::uintptr_t>(at) % alignment == 0);
    CHECK(file.has(at));
    std::memset(at, i, size);
    blocks.push_back({at, size, i});
  }
  CHECK(fs::is_empty(scratch()));  // the file has no name
  const auto size = file.size();
  file.give(blocks[2].at, blocks[2].size);
  auto* const again = file.take(blocks[2].size, kPage);
  CHECK(file.size() == size);  // returned blocks are used first
  std::memset(again, 3, blocks[2].size);
  blocks[2].at = static_cast<std::uint8_t*>(again);
  for (const auto& block : blocks) {
    bool kept = true;
    for (std::size_t i = 0; i < block.size; i += 4095) kept &= block.at[i] == block.content;
    CHECK(kept);
  }
  int other = 0;
  CHECK_FALSE(file.has(&other));
}

TEST_CASE("a directory that is not there") {
  memory::SpillFile file;
  file.set_directory("/does/not/exist");
  CHECK_THROWS_AS(file.take(kPage, kPage), std::bad_alloc);
  CHECK(file.problem() == "no file for memory in /does/not/exist: No such file or directory");
}

TEST_CASE("a file that may not grow any more") {
  const auto before = std::signal(SIGXFSZ, SIG_IGN);
  rlimit unlimited{};
  getrlimit(RLIMIT_FSIZE, &unlimited);
  rlimit limit = unlimited;
  limit.rlim_cur = 3 * kPage;
  setrlimit(RLIMIT_FSIZE, &limit);
  memory::SpillFile file;
  file.set_directory(scratch());
  auto* const block = static_cast<std::uint8_t*>(file.take(2 * kPage, kPage));
  CHECK_THROWS_AS(file.take(2 * kPage, kPage), std::bad_alloc);
  setrlimit(RLIMIT_FSIZE, &unlimited);
  static_cast<void>(std::signal(SIGXFSZ, before));
  CHECK(file.problem() ==
        "no room for a larger file in " + scratch().string() + ": File too large");
  std::memset(block, 1, 2 * kPage);  // the first block is still usable
  CHECK(block[2 * kPage - 1] == 1);
}
