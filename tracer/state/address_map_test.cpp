// SPDX-License-Identifier: BSD-3-Clause
// The address table of the hot path: it grows, and is read while it grows.
#include "tracer/state/address_map.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <random>
#include <thread>
#include <unordered_map>

using latecomer::user::AddressMap;

TEST_CASE("an empty map knows nothing") {
  const AddressMap map;
  CHECK(map.find(0x401000) == AddressMap::kUnknown);
  CHECK(map.size() == 0);
}

TEST_CASE("all that was inserted is found, nothing else") {
  AddressMap map;
  std::unordered_map<std::uintptr_t, std::uint32_t> all;
  std::mt19937_64 random(5);
  for (std::uint32_t region = 1; region <= 20000; ++region) {
    // Functions are close together, 16 bytes apart; some are in other libraries.
    const std::uintptr_t address = 0x400000 + 16 * region + (random() % 7 == 0 ? 1ULL << 46 : 0);
    all[address] = region;
    map.insert(address, region);
  }
  CHECK(map.size() == all.size());
  for (const auto& [address, region] : all) REQUIRE(map.find(address) == region);
  for (int i = 0; i < 20000; ++i) {
    const std::uintptr_t address = random() | 1;
    REQUIRE(map.find(address) == AddressMap::kUnknown);
  }
}

TEST_CASE("readers see the right value or none while the map grows") {
  AddressMap map;
  std::atomic<std::uint32_t> inserted{0};
  std::atomic<bool> wrong{false};
  constexpr std::uint32_t kAll = 50000;
  std::thread reader([&] {
    std::mt19937 random(3);
    while (inserted < kAll) {
      const std::uint32_t known = inserted;
      const std::uint32_t region = 1 + random() % kAll;
      const std::uint32_t found = map.find(std::uintptr_t{region} * 32);
      const bool must_be_there = region <= known;
      if (found != region && (must_be_there || found != AddressMap::kUnknown)) wrong = true;
    }
  });
  for (std::uint32_t region = 1; region <= kAll; ++region) {
    map.insert(std::uintptr_t{region} * 32, region);
    inserted = region;
  }
  reader.join();
  CHECK_FALSE(wrong);
}
