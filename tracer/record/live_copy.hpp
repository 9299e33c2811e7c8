// SPDX-License-Identifier: BSD-3-Clause
// Copies the chunk that a thread is currently writing.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "tracer/record/format.hpp"

namespace latecomer::record {
namespace detail {

// The owner appends records and may take one back: the enter after a row of unsuccessful polls,
// which then becomes part of the row (PollStreak::extend). Only the last record is ever
// taken back, and none of a region that is no function. An enter may get more records in its word
// (join); then it stays.
//
//   row  | calls  | enter |  0  |     nothing follows the enter: it may be taken back
//   row' | calls' |   0   |  0  |     the row gets longer, then it counts one more call
//   row' | calls' | time  | ... |     any record may now replace the enter
//
// Therefore the end is found first, then words are copied backward. A last record that has changed
// meanwhile is left out. `read(i)` returns the current value of word i.
template <typename Read>
void copy_live_words(Read&& read, std::uint64_t* copy, std::size_t words) {
  std::size_t last = 0, end = 0;
  bool stays = false;      // the last record is an enter that is never taken back
  Kind kind = Kind::kEnd;  // kind of the last record
  for (std::uint64_t head = words == 0 ? 0 : read(0); head != 0;) {
    const std::size_t behind = end + 1 + payload_words_after(head);
    const std::uint64_t following = behind < words ? read(behind) : 0;
    if (const std::uint64_t again = read(end); kind_of(again) != kind_of(head)) {
      head = again;  // the record was replaced, so `following` is not the word after it
      continue;
    }
    last = end;
    kind = kind_of(head);
    stays = kind == Kind::kEnter && (head >> kKindBits & kMaxId) >= kFirstOwnRegion;
    end = behind;
    head = following;
  }
  for (std::size_t i = end; i-- > 0;) copy[i] = read(i);
  if (end == 0 || stays) return;
  const auto enter = [](std::uint64_t head) { return has_enter(head) ? enter_in(head) : head; };
  if (kind == Kind::kEnter && enter(read(last)) != enter(copy[last])) {
    copy[last] = 0;  // taken back meanwhile; it is in the row, which was copied after it
  } else if (kind_of(copy[last]) != kind && kind_of(enter(copy[last])) != kind) {
    copy[last] = 0;
  }
}

}  // namespace detail

// Copies whole records from the beginning of `chunk`. `target` has the same length and is zeroed.
// The owner may continue: its new records may be missing in the copy, but no record before them.
// MT: any thread; the owner must not begin the chunk anew (seal).
inline void copy_live_chunk(const std::byte* chunk, std::byte* target, std::size_t bytes) {
  auto* const source = reinterpret_cast<std::uint64_t*>(const_cast<std::byte*>(chunk));
  detail::copy_live_words(
      [&](std::size_t i) { return std::atomic_ref(source[i]).load(std::memory_order_acquire); },
      reinterpret_cast<std::uint64_t*>(target), bytes / sizeof(std::uint64_t));
}

}  // namespace latecomer::record
