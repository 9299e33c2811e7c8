// SPDX-License-Identifier: BSD-3-Clause
// Regions are aligned to their size, so a block finds the header of its region by its address.
#include "analyzer/memory/large_pages.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

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

namespace {

constexpr std::size_t kLargePage = std::size_t{2} << 20;
constexpr std::size_t kKept = std::size_t{8} << 20;

struct Kept {
  void* block;
  std::size_t bytes;
};
std::vector<Kept>& kept() {
  static std::vector<Kept> blocks;
  return blocks;
}
std::size_t kept_bytes = 0;

std::size_t whole_pages(std::size_t bytes) {
  if (bytes > SIZE_MAX - kLargePage) throw std::bad_alloc();
  return (bytes + kLargePage - 1) / kLargePage * kLargePage;
}

void* map_aligned(std::size_t bytes, std::size_t alignment) {
  // More than needed, then what is before and behind the aligned part is given back.
  const std::size_t all = bytes + alignment;
  if (all < bytes) throw std::bad_alloc();
  auto* const start = static_cast<std::byte*>(map_pages(all));
  const auto address = reinterpret_cast<std::uintptr_t>(start);
  const std::size_t before = (alignment - address % alignment) % alignment;
  if (before > 0) munmap(start, before);
  if (all > before + bytes) munmap(start + before + bytes, all - before - bytes);
  // Advice: without large pages everything works as well.
  static_cast<void>(madvise(start + before, bytes, MADV_HUGEPAGE));
  return start + before;
}

}  // namespace

void* map(std::size_t bytes) {
  bytes = whole_pages(bytes);
  const auto same = std::ranges::find(kept(), bytes, &Kept::bytes);
  if (same == kept().end()) return map_aligned(bytes, kLargePage);
  void* const block = same->block;
  kept().erase(same);
  kept_bytes -= bytes;
  return block;
}

void unmap(void* block, std::size_t bytes) noexcept {
  bytes = whole_pages(bytes);
  if (kept_bytes + bytes > kKept) {
    munmap(block, bytes);
    return;
  }
  kept().push_back({block, bytes});
  kept_bytes += bytes;
}

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
  if (bytes > kLargest) throw std::bad_alloc();
  const std::size_t length = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  if (current == nullptr || current->used + length > kRegion) {
    current = ::new (map_aligned(kRegion, kRegion)) Region;
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
    munmap(region, kRegion);
  }
}

#endif

}  // namespace latecomer::memory
