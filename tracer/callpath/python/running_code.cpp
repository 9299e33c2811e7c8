// SPDX-License-Identifier: BSD-3-Clause
// Looks backward from an instruction for the type of a code object.
#include "tracer/callpath/python/running_code.hpp"

#include <algorithm>
#include <iterator>

#include "tracer/callpath/python/readable.hpp"

namespace latecomer::python {
namespace {

constexpr std::uintptr_t kUnit = 2;        // bytes of an instruction
constexpr std::uintptr_t kAlignment = 16;  // of Python's objects
constexpr std::uintptr_t kPage = 4096;
// File of the code that the interpreter makes for the frames by which its loop is entered.
constexpr const char* kShim = "<shim>";

// A word at any address that can be read, by an instruction of its own: sanitizers report reads
// between objects.
std::uintptr_t word_at(std::uintptr_t address) {
#if defined(__x86_64__)
  std::uintptr_t word = 0;
  asm volatile("mov (%1), %0" : "=r"(word) : "r"(address) : "memory");
  return word;
#else
  return read_address(address);
#endif
}

}  // namespace

bool RunningCode::contains(std::uintptr_t code, std::uintptr_t address) const {
  const Layout& l = interpreter_.layout;
  if (!readable(code, l.code_size()) || word_at(code + l.object_type) != interpreter_.types.code) {
    return false;
  }
  const std::uintptr_t first = first_in(code);
  const std::uint64_t units = word_at(code + l.object_size);
  return address >= first && units <= kLongest / kUnit && address - first < units * kUnit;
}

std::uintptr_t RunningCode::code_around(std::uintptr_t address) {
  if (address % kUnit != 0 || address < 2 * kLongest) return 0;
  const auto after = known_.upper_bound(address);
  if (after != known_.begin()) {
    const auto known = std::prev(after);
    if (contains(known->second, address)) return known->second;
  }
  const Layout& l = interpreter_.layout;
  std::uintptr_t code = (address - l.code_bytes) & ~(kAlignment - 1);
  std::uintptr_t known_from = address & ~(kPage - 1);  // memory from here on can be read
  if (!readable(known_from, kPage)) return 0;
  for (const auto end = address - l.code_bytes - kLongest; code > end; code -= kAlignment) {
    const std::uintptr_t type = code + l.object_type;
    if (type < known_from) {
      known_from -= kPage;
      if (!readable(known_from, kPage)) return 0;
    }
    if (word_at(type) != interpreter_.types.code) continue;
    if (code == entry_code_ || !contains(code, address)) return 0;
    if (const auto place = describe(l, interpreter_.types, {code}); place && place->file == kShim) {
      entry_code_ = code;
      return 0;
    }
    known_[first_in(code)] = code;
    return code;
  }
  return 0;
}

std::optional<Frame> RunningCode::find(std::span<const std::uintptr_t> registers,
                                       std::span<const std::uintptr_t> words) {
  std::uintptr_t code = 0;
  bool is_one = true;  // no other one was found
  const auto found = [&](std::uintptr_t one) {
    is_one = is_one && (code == 0 || one == 0 || one == code);
    if (one != 0) code = one;
  };
  const bool has_first = interpreter_.layout.chain == Chain::kEntryFlags;
  for (const auto& addresses : {registers, words}) {
    for (const auto address : has_first ? addresses : std::span<const std::uintptr_t>()) {
      const std::uintptr_t one = address - interpreter_.layout.code_bytes;
      if (one % kAlignment == 0 && contains(one, address)) found(one);
    }
  }
  for (const auto& addresses : {registers, words}) {
    if (code != 0) break;
    for (const auto address : addresses) found(code_around(address));
  }
  if (code == 0 || !is_one) return std::nullopt;
  const std::uintptr_t first = first_in(code);
  std::uintptr_t next = UINTPTR_MAX;
  for (const auto address : registers) {
    if (address > first && contains(code, address)) next = std::min(next, address);
  }
  for (const auto address : next == UINTPTR_MAX ? words : std::span<const std::uintptr_t>()) {
    if (address <= first || !contains(code, address)) continue;
    if (next != UINTPTR_MAX && next != address) return Frame{.code = code, .offset = -1};
    next = address;
  }
  if (next == UINTPTR_MAX) return Frame{.code = code, .offset = -1};
  return Frame{.code = code, .offset = static_cast<std::int64_t>(next - first - kUnit)};
}

}  // namespace latecomer::python
