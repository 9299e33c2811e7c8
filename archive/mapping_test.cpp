// SPDX-License-Identifier: BSD-3-Clause
#include "archive/mapping.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <utility>

using latecomer::Mapping;

namespace {

const auto kPage = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));

// True if the page with this byte is mapped.
bool is_mapped(const std::byte* byte) {
  unsigned char present = 0;
  const auto address = reinterpret_cast<std::uintptr_t>(byte) / kPage * kPage;
  return mincore(reinterpret_cast<void*>(address), 1, &present) == 0;
}

}  // namespace

TEST_CASE("mapping: memory is zeroed, and unmapped at the end of its life") {
  const std::byte* data = nullptr;
  {
    const Mapping mapping = Mapping::of_memory(kPage, PROT_READ | PROT_WRITE);
    REQUIRE(mapping);
    data = mapping.data();
    CHECK(mapping.size() == kPage);
    CHECK(mapping.bytes()[kPage - 1] == std::byte{0});
    CHECK(is_mapped(data));
  }
  CHECK_FALSE(is_mapped(data));
}

TEST_CASE("mapping: a moved one has one owner, a released one has none") {
  Mapping first = Mapping::of_memory(kPage, PROT_READ | PROT_WRITE);
  const std::byte* const data = first.data();
  Mapping second = std::move(first);
  CHECK_FALSE(first);
  CHECK(second.data() == data);
  std::byte* const released = second.release();
  CHECK(released == data);
  CHECK_FALSE(second);
  CHECK(is_mapped(data));
  Mapping(released, kPage).reset();
  CHECK_FALSE(is_mapped(data));
}

TEST_CASE("mapping: the bytes of a file from any offset on") {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), std::fclose);
  REQUIRE(file != nullptr);
  REQUIRE(ftruncate(fileno(file.get()), static_cast<off_t>(2 * kPage)) == 0);
  Mapping mapping =
      Mapping::of_file(fileno(file.get()), kPage - 8, 16, PROT_READ | PROT_WRITE, MAP_SHARED);
  REQUIRE(mapping);
  CHECK(mapping.size() == 16);
  CHECK(mapping.populate() == 0);
  mapping.data()[9] = std::byte{7};
  mapping.reset();
  char seen = 0;
  REQUIRE(pread(fileno(file.get()), &seen, 1, static_cast<off_t>(kPage + 1)) == 1);
  CHECK(seen == 7);
  CHECK_FALSE(Mapping::of_file(-1, 0, 16, PROT_READ, MAP_SHARED));
}

TEST_CASE("mapping: keeps an aligned part") {
  const std::size_t alignment = 64 * kPage;
  Mapping mapping = Mapping::of_memory(4 * kPage + alignment, PROT_NONE, MAP_NORESERVE);
  REQUIRE(mapping);
  const std::byte* const end = mapping.data() + mapping.size();
  mapping.keep_aligned(4 * kPage, alignment);
  CHECK(reinterpret_cast<std::uintptr_t>(mapping.data()) % alignment == 0);
  CHECK(mapping.size() == 4 * kPage);
  CHECK(is_mapped(mapping.data() + 4 * kPage - 1));
  // Something of the rest was in front of the part, or after it.
  if (mapping.data() + mapping.size() < end) CHECK_FALSE(is_mapped(end - 1));
}
