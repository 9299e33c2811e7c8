// SPDX-License-Identifier: BSD-3-Clause
// Memory that can be read, and memory that cannot.
#include "tracer/callpath/python/readable.hpp"

#include <sys/mman.h>

#include <catch2/catch.hpp>

using namespace latecomer;

TEST_CASE("readable memory ends with its mapping") {
  constexpr std::size_t kPage = 4096;
  void* const memory =
      mmap(nullptr, 4 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(memory != MAP_FAILED);
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  REQUIRE(mprotect(static_cast<std::byte*>(memory) + 2 * kPage, kPage, PROT_NONE) == 0);
  CHECK(python::readable(begin, 0));
  CHECK(python::readable(begin, 2 * kPage));
  CHECK(python::readable(begin + 2 * kPage - 1, 1));
  CHECK_FALSE(python::readable(begin + 2 * kPage - 1, 2));
  CHECK_FALSE(python::readable(begin, 2 * kPage + 1));
  CHECK_FALSE(python::readable(begin + 2 * kPage, 1));
  CHECK(python::readable(begin + 3 * kPage, kPage));
  CHECK_FALSE(python::readable(begin, 4 * kPage));
  munmap(memory, 4 * kPage);
  CHECK_FALSE(python::readable(begin, 1));
}

TEST_CASE("addresses that no program has are not readable") {
  CHECK_FALSE(python::readable(0, 8));
  CHECK_FALSE(python::readable(8, 8));
  CHECK_FALSE(python::readable(std::uintptr_t{1} << 47, 8));
  CHECK_FALSE(python::readable(~std::uintptr_t{0} - 7, 8));
  CHECK_FALSE(python::readable(4096, ~std::size_t{0}));
}
