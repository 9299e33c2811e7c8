// SPDX-License-Identifier: BSD-3-Clause
// Large pages: blocks do not overlap and keep their contents.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "analyzer/memory/free_blocks.hpp"
#include "analyzer/memory/large_pages.hpp"

using namespace latecomer;

TEST_CASE("blocks of any size keep their contents while others come and go") {
  struct Block {
    std::uint8_t* at;
    std::size_t size;
    std::uint8_t content;
  };
  std::mt19937 random(1);
  std::vector<Block> blocks;
  const auto check = [](const Block& b) {
    for (std::size_t i = 0; i < b.size; i += 61) {
      if (b.at[i] != b.content) return false;
    }
    return b.at[b.size - 1] == b.content;
  };
  for (int i = 0; i < 2000; ++i) {
    if (!blocks.empty() && random() % 3 == 0) {
      const std::size_t which = random() % blocks.size();
      REQUIRE(check(blocks[which]));
      memory::give(blocks[which].at);
      blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(which));
    }
    const std::size_t size = 1 + random() % (random() % 20 == 0 ? memory::kLargest : 5000);
    auto* const at = static_cast<std::uint8_t*>(memory::take(size));
    REQUIRE(reinterpret_cast<std::uintptr_t>(at) % 16 == 0);
    blocks.push_back({at, size, static_cast<std::uint8_t>(random())});
    std::memset(at, blocks.back().content, size);
  }
  for (const auto& b : blocks) {
    CHECK(check(b));
    memory::give(b.at);
  }
}

TEST_CASE("large blocks are used again, in parts and joined, and never twice at a time") {
  constexpr std::size_t kPage = memory::FreeBlocks::kLargePage;
  struct Block {
    std::uint8_t* at;
    std::size_t size;
    std::uint8_t content;
  };
  std::mt19937 random(3);
  std::vector<Block> blocks;
  // The first and the last byte of each page identify its block.
  const auto each = [](const Block& b, auto&& f) {
    for (std::size_t page = 0; page < b.size; page += kPage) {
      f(b.at[page]);
      f(b.at[std::min(b.size, page + kPage) - 1]);
    }
  };
  bool kept = true;
  for (int i = 0; i < 3000; ++i) {
    if (!blocks.empty() && (random() % 2 == 0 || blocks.size() > 20)) {
      const std::size_t which = random() % blocks.size();
      each(blocks[which], [&](std::uint8_t& byte) { kept &= byte == blocks[which].content; });
      memory::unmap(blocks[which].at, blocks[which].size);
      blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(which));
    } else {
      const std::size_t size = 1 + random() % (5 * kPage);
      auto* const at = static_cast<std::uint8_t*>(memory::map(size));
      kept &= reinterpret_cast<std::uintptr_t>(at) % kPage == 0;
      blocks.push_back({at, size, static_cast<std::uint8_t>(random())});
      each(blocks.back(), [&](std::uint8_t& byte) { byte = blocks.back().content; });
    }
  }
  for (const auto& b : blocks) {
    each(b, [&](std::uint8_t& byte) { kept &= byte == b.content; });
    memory::unmap(b.at, b.size);
  }
  CHECK(kept);
}

TEST_CASE("free blocks: the smallest that fits, at an aligned address; neighbours are joined") {
  constexpr std::size_t kPage = memory::FreeBlocks::kLargePage;
  auto* const at = static_cast<std::byte*>(memory::map(16 * kPage));
  memory::FreeBlocks blocks;
  blocks.add(at, 3 * kPage);
  blocks.add(at + 8 * kPage, 2 * kPage);
  CHECK(blocks.take(4 * kPage, kPage) == nullptr);
  CHECK(blocks.take(2 * kPage, kPage) == at + 8 * kPage);
  CHECK(blocks.take(kPage, kPage) == at);  // two pages are left after it
  blocks.add(at + 3 * kPage, kPage);
  CHECK(blocks.take(3 * kPage, kPage) == at + kPage);
  CHECK(blocks.bytes() == 0);
  blocks.add(at, 4 * kPage);
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  auto* const aligned = static_cast<std::byte*>(blocks.take(2 * kPage, 2 * kPage));
  CHECK(reinterpret_cast<std::uintptr_t>(aligned) % (2 * kPage) == 0);
  CHECK(static_cast<std::size_t>(aligned - at) ==
        (2 * kPage - address % (2 * kPage)) % (2 * kPage));
  CHECK(blocks.bytes() == 2 * kPage);
  static_cast<void>(blocks.take(kPage, kPage));
  static_cast<void>(blocks.take(kPage, kPage));
  CHECK(blocks.bytes() == 0);
  memory::unmap(at, 16 * kPage);
}

TEST_CASE("long vectors grow and are copied") {
  memory::Vector<std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < 3'000'000; ++i) numbers.push_back(i);
  const auto copy = numbers;
  numbers = {};
  bool same = true;
  for (std::uint32_t i = 0; i < 3'000'000; ++i) same = same && copy[i] == i;
  CHECK(same);
}
