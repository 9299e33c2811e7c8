// SPDX-License-Identifier: BSD-3-Clause
// Takes, joins and releases free blocks.
#include "analyzer/memory/free_blocks.hpp"

#include <algorithm>
#include <iterator>

#include "archive/mapping.hpp"

namespace latecomer::memory {
namespace {

std::size_t bytes_before(std::uintptr_t address, std::size_t alignment) {
  return (alignment - address % alignment) % alignment;
}

}  // namespace

void* FreeBlocks::take(std::size_t bytes, std::size_t alignment) {
  auto best = blocks_.end();
  for (auto at = blocks_.begin(); at != blocks_.end(); ++at) {
    if (at->second < bytes_before(at->first, alignment) + bytes) continue;
    if (best == blocks_.end() || at->second < best->second) best = at;
  }
  if (best == blocks_.end()) return nullptr;
  const std::uintptr_t start = best->first + bytes_before(best->first, alignment);
  const std::uintptr_t end = best->first + best->second;
  if (start == best->first) {
    blocks_.erase(best);
  } else {
    best->second = start - best->first;
  }
  if (start + bytes < end) blocks_.emplace(start + bytes, end - start - bytes);
  bytes_ -= bytes;
  return reinterpret_cast<void*>(start);  // NOLINT(performance-no-int-to-ptr)
}

void FreeBlocks::add(void* block, std::size_t bytes) {
  auto at = blocks_.emplace(reinterpret_cast<std::uintptr_t>(block), bytes).first;
  bytes_ += bytes;
  const auto join = [&](auto low, auto high) {
    if (low->first + low->second != high->first) return false;
    low->second += high->second;
    blocks_.erase(high);
    return true;
  };
  if (at != blocks_.begin() && join(std::prev(at), at))
    at = std::prev(blocks_.upper_bound(reinterpret_cast<std::uintptr_t>(block)));
  if (std::next(at) != blocks_.end()) join(at, std::next(at));
}

std::size_t FreeBlocks::release(std::size_t bytes) {
  const std::size_t before = bytes_;
  while (bytes > 0 && !blocks_.empty()) {
    const auto smallest =
        std::ranges::min_element(blocks_, {}, [](const auto& block) { return block.second; });
    const std::size_t part = std::min(bytes, smallest->second);
    // The part is cut from the end, so the address that identifies the block stays.
    smallest->second -= part;
    Mapping(reinterpret_cast<void*>(smallest->first + smallest->second), part).reset();  // NOLINT
    if (smallest->second == 0) blocks_.erase(smallest);
    bytes_ -= part;
    bytes -= part;
  }
  return before - bytes_;
}

}  // namespace latecomer::memory
