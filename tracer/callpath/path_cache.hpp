// SPDX-License-Identifier: BSD-3-Clause
// Cache of the call paths of a thread, which finds known paths without unwinding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "archive/hash.hpp"

namespace latecomer::callpath {

using FrameId = std::uint32_t;

// Place at which an MPI function was called: the slot of its return address on the stack, that
// address, and the caller's frame pointer register.
struct CallPlace {
  std::uintptr_t slot = 0;
  std::uintptr_t caller = 0;
  std::uintptr_t frame = 0;
};

// A word of the stack on which a path rests. It has no initial value, so that an array of them
// takes no memory before it is used.
struct StackWord {
  std::uintptr_t where;
  std::uintptr_t value;
};
static_assert(std::is_trivially_default_constructible_v<StackWord>);

// Everything on which a path rests: words of the stack, and possibly the frame pointer register.
struct PathBasis {
  std::span<const StackWord> words;
  bool on_register = false;
};

// A function that calls MPI at a given depth of the stack may have been reached in many ways. A
// known path therefore counts only if all return addresses on the stack are still the same. If
// functions have frames of variable size (alloca), return addresses may be elsewhere. Such frames
// depend on the frame pointer, so saved frame pointers are among the words as well. The register
// itself counts only if such a frame depends on it. Otherwise it may hold anything, for instance a
// loop counter, which differs from call to call.
//
//   slot 0x7ff0, caller exchange+0x42     words                       path
//     0x8010 solve+0x10  0x80a0 main+0x5                               7
//     0x8010 solve+0x30  0x80a0 main+0x5                               9    the other call in solve
//
// The words must be readable as long as the thread can call from this place: they lie between the
// slot and the upper end of the thread's own stack.
// MT: one thread.
class PathCache {
 public:
  static constexpr FrameId kUnknown = 0xffffffff;
  // From this number on, paths stand for native stacks, which do not suffice (PythonPaths).
  static constexpr FrameId kFirstNative = 0x80000000;

  PathCache()
      : buckets_(std::make_unique<std::uint16_t[]>(kBuckets)),
        entries_(std::make_unique_for_overwrite<Entry[]>(kEntries)),
        words_(std::make_unique_for_overwrite<StackWord[]>(kWords)) {}

  [[nodiscard]] FrameId find(const CallPlace& place) {
    std::uint16_t* const head = &buckets_[home(place)];
    std::uint16_t* link = head;
    while (*link != 0) {
      Entry& e = entries_[*link];
      if (e.fits(place) && same(e)) {
        // moves it to the front: the next call probably has the same path
        if (link != head) [[unlikely]] {
          const std::uint16_t here = std::exchange(*link, e.next);
          e.next = std::exchange(*head, here);
        }
        return e.path;
      }
      link = &e.next;
    }
    return kUnknown;
  }

  // Adds a path, unless it has more words than kMostWords.
  void insert(const CallPlace& place, const PathBasis& basis, FrameId path) {
    const std::span<const StackWord> words = basis.words;
    if (words.size() > kMostWords) return;
    if (entries_used_ == kEntries || words_used_ + words.size() > kWords) clear();
    std::uint16_t* const head = &buckets_[home(place)];
    if (length(*head) >= kLongestChain) *head = 0;  // too many paths to search through
    Entry& e = entries_[entries_used_];
    e = {.slot = place.slot,
         .caller = place.caller,
         .frame = place.frame,
         .on_register = basis.on_register,
         .first = words_used_,
         .count = static_cast<std::uint32_t>(words.size()),
         .path = path,
         .next = *head};
    for (const StackWord& word : words) words_[words_used_++] = word;
    *head = entries_used_++;
  }

  void clear() {
    for (std::size_t i = 0; i < kBuckets; ++i) buckets_[i] = 0;
    entries_used_ = 1;
    words_used_ = 0;
  }

  static constexpr std::size_t kMostWords = 1024;
  static constexpr std::size_t kLongestChain = 64;

 private:
  static constexpr unsigned kBucketBits = 9;
  static constexpr std::size_t kBuckets = std::size_t{1} << kBucketBits;
  static constexpr std::size_t kEntries = 2048;
  static constexpr std::size_t kWords = 32768;  // unused pages take no memory

  struct Entry {
    std::uintptr_t slot;
    std::uintptr_t caller;
    std::uintptr_t frame;
    bool on_register;
    std::uint32_t first;  // index of its first word
    std::uint32_t count;
    FrameId path;
    std::uint16_t next;  // next entry in the bucket; 0: none

    [[nodiscard]] bool fits(const CallPlace& p) const {
      return slot == p.slot && caller == p.caller && (frame == p.frame || !on_register);
    }
  };

  [[nodiscard]] static std::size_t home(const CallPlace& p) {
    return slot_in_table((p.slot >> 3) ^ (p.caller << 16), kBucketBits);
  }

  [[nodiscard]] bool same(const Entry& e) const {
    const StackWord* word = &words_[e.first];
    for (const StackWord* const end = word + e.count; word != end; ++word) {
      if (*reinterpret_cast<const volatile std::uintptr_t*>(word->where) != word->value) {
        return false;
      }
    }
    return true;
  }

  [[nodiscard]] std::size_t length(std::uint16_t at) const {
    std::size_t n = 0;
    for (; at != 0; at = entries_[at].next) ++n;
    return n;
  }

  std::unique_ptr<std::uint16_t[]> buckets_;
  std::unique_ptr<Entry[]> entries_;
  std::unique_ptr<StackWord[]> words_;
  std::uint16_t entries_used_ = 1;  // number 0 means none
  std::uint32_t words_used_ = 0;
};

}  // namespace latecomer::callpath
