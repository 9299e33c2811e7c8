// SPDX-License-Identifier: BSD-3-Clause
// Gives out memory. Regions are aligned to their size, so the address of a block leads to the
// header of its region.
#include "analyzer/memory/large_pages.hpp"

#include <malloc.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>

#include "analyzer/memory/free_blocks.hpp"
#include "analyzer/memory/spill_file.hpp"
#include "archive/mapping.hpp"

namespace latecomer::memory {
namespace {

constexpr std::size_t kLargePage = FreeBlocks::kLargePage;

// Never destroyed, since blocks are given back until the process ends.
struct Memory {
  FreeBlocks free;
  SpillFile file;
  std::size_t limit = SIZE_MAX;
  std::size_t held = 0;  // bytes of mapped memory, free or not, except the file
};
Memory& memory() {
  static auto* const all = new Memory;
  return *all;
}

std::size_t whole_pages(std::size_t bytes) {
  if (bytes > SIZE_MAX - kLargePage) throw std::bad_alloc();
  return (bytes + kLargePage - 1) / kLargePage * kLargePage;
}

void* map_fresh(std::size_t bytes, std::size_t alignment) {
  // Maps more than needed and returns the parts before and after the aligned block.
  const std::size_t all = bytes + alignment;
  if (all < bytes) throw std::bad_alloc();
  Mapping fresh = Mapping::of_memory(all, PROT_READ | PROT_WRITE, MAP_NORESERVE);
  if (!fresh) throw std::bad_alloc();
  fresh.keep_aligned(bytes, alignment);
  // Only advice: everything works without large pages, too.
  static_cast<void>(madvise(fresh.data(), bytes, MADV_HUGEPAGE));
  return fresh.release();
}

// Maps fresh memory only if no free block fits. It then returns as much of the free blocks, so that
// no more memory is held than without free blocks. Memory beyond the limit comes from the file.
void* map_aligned(std::size_t bytes, std::size_t alignment) {
  Memory& all = memory();
  if (void* const block = all.free.take(bytes, alignment)) return block;
  const std::size_t kept = all.held - std::min(bytes, all.free.bytes());
  if (bytes > all.limit || kept > all.limit - bytes) return all.file.take(bytes, alignment);
  all.held -= all.free.release(bytes);
  void* const block = map_fresh(bytes, alignment);
  all.held += bytes;
  return block;
}

}  // namespace

void set_limit(std::size_t bytes, const std::filesystem::path& directory) {
  memory().limit = bytes;
  memory().file.set_directory(directory);
}
std::size_t spilled() { return memory().file.size(); }
const std::string& spill_problem() { return memory().file.problem(); }

void* map(std::size_t bytes) { return map_aligned(whole_pages(bytes), kLargePage); }

void unmap(void* block, std::size_t bytes) noexcept {
  Memory& all = memory();
  bytes = whole_pages(bytes);
  try {
    if (all.file.has(block)) return all.file.give(block, bytes);
    all.free.add(block, bytes);
  } catch (const std::bad_alloc&) {
    // A block of the file stays where it is.
    if (all.file.has(block)) return;
    Mapping(block, bytes).reset();
    all.held -= bytes;
  }
}

namespace {

// Advises large pages for the memory that malloc() will use next. Unused room costs nothing.
void want_large_pages_in_heap() {
  constexpr std::size_t kRoom = std::size_t{64} << 20;
  void* const room = std::malloc(kRoom);
  if (room == nullptr) return;
  const auto address = reinterpret_cast<std::uintptr_t>(room);
  const std::size_t before = (kLargePage - address % kLargePage) % kLargePage;
  static_cast<void>(
      madvise(static_cast<std::byte*>(room) + before, kRoom - kLargePage, MADV_HUGEPAGE));
  std::free(room);
}

}  // namespace

void keep_heap() {
  constexpr int kNever = 1 << 30;
  mallopt(M_MMAP_THRESHOLD, kNever);
  mallopt(M_TRIM_THRESHOLD, kNever);
  mallopt(M_TOP_PAD, 1 << 20);
  want_large_pages_in_heap();
}

void trim_heap() {
  malloc_trim(0);
  want_large_pages_in_heap();
}

#ifdef LATECOMER_SANITIZED
// Every block is allocated separately, so that the sanitizer sees its ends.
void* take(std::size_t bytes, Life) {
  void* const block = std::malloc(bytes);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}
void give(void* block) noexcept { std::free(block); }
#else
namespace {

constexpr std::size_t kRegion = std::size_t{4} << 20;
constexpr std::size_t kAlignment = 64;

// Header of a region.
struct Region {
  std::size_t used = kAlignment;  // bytes in use, including this header
  std::size_t blocks = 0;
  std::size_t life = 0;
};
static_assert(sizeof(Region) <= kAlignment);

std::array<Region*, kLives> currents{};  // by life: region of the next block

}  // namespace

void* take(std::size_t bytes, Life life) {
  if (bytes > kLargest) throw std::bad_alloc();
  const std::size_t length = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  Region*& current = currents[static_cast<std::size_t>(life)];
  if (current == nullptr || current->used + length > kRegion) {
    current = ::new (map_aligned(kRegion, kRegion)) Region;
    current->life = static_cast<std::size_t>(life);
  }
  auto* const block = reinterpret_cast<std::byte*>(current) + current->used;
  current->used += length;
  ++current->blocks;
  return block;
}

void give(void* block) noexcept {
  if (block == nullptr) return;
  const auto address = reinterpret_cast<std::uintptr_t>(block);
  auto* const region =
      reinterpret_cast<Region*>(address / kRegion * kRegion);  // NOLINT(performance-no-int-to-ptr)
  if (--region->blocks > 0) return;
  Region*& current = currents[region->life];
  if (region == current) current = nullptr;
  unmap(region, kRegion);
}

#endif

}  // namespace latecomer::memory
