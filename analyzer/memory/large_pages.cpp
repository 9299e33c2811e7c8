// SPDX-License-Identifier: BSD-3-Clause
// Regions are aligned to their size, so a block finds the header of its region by its address.
#include "analyzer/memory/large_pages.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>

namespace latecomer::memory {
namespace {

constexpr std::size_t kRegion = std::size_t{4} << 20;
constexpr std::size_t kAlignment = 64;

struct Region {
  std::size_t used = kAlignment;  // bytes, with this header
  std::size_t blocks = 0;
};
static_assert(sizeof(Region) <= kAlignment);

Region* current = nullptr;  // where the next block goes

void* map_pages(std::size_t bytes) {
  void* const block = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (block == MAP_FAILED) throw std::bad_alloc();
  return block;
}

}  // namespace

void* map(std::size_t bytes, std::size_t alignment) {
  // More than needed, then what is before and behind the aligned part is given back.
  const std::size_t all = bytes + alignment;
  if (all < bytes) throw std::bad_alloc();
  auto* const start = static_cast<std::byte*>(map_pages(all));
  const auto address = reinterpret_cast<std::uintptr_t>(start);
  const std::size_t before = (alignment - address % alignment) % alignment;
  constexpr std::size_t kPage = 4096;
  const std::size_t length = (bytes + kPage - 1) / kPage * kPage;
  if (before > 0) munmap(start, before);
  if (all > before + length) munmap(start + before + length, all - before - length);
  // Advice: without large pages everything works as well.
  static_cast<void>(madvise(start + before, length, MADV_HUGEPAGE));
  return start + before;
}

void unmap(void* block, std::size_t bytes) noexcept { munmap(block, bytes); }

#ifdef __SANITIZE_ADDRESS__
// Every block by itself, so that the sanitizer sees its ends.
void* take(std::size_t bytes) {
  void* const block = std::malloc(bytes);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}
void give(void* block) noexcept { std::free(block); }
#else

void* take(std::size_t bytes) {
  const std::size_t length = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  if (current == nullptr || current->used + length > kRegion) {
    current = ::new (map(kRegion, kRegion)) Region;
  }
  auto* const block = reinterpret_cast<std::byte*>(current) + current->used;
  current->used += length;
  ++current->blocks;
  return block;
}

void give(void* block) noexcept {
  if (block == nullptr) return;
  const auto address = reinterpret_cast<std::uintptr_t>(block);
  auto* const region = reinterpret_cast<Region*>(address / kRegion * kRegion);
  if (--region->blocks > 0) return;
  if (region == current) {
    region->used = kAlignment;
  } else {
    unmap(region, kRegion);
  }
}

#endif

}  // namespace latecomer::memory
