// SPDX-License-Identifier: BSD-3-Clause
// Finds out which words of a chunk are complete while its thread is writing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace latecomer::follow {

// Result of settled_words(), in words from the beginning of the copies.
struct SettledWords {
  // End of the records that will not change any more.
  std::size_t settled = 0;
  // End of one more record, which may still get parts: a second record that joins an enter, or a
  // leave. The parts that it has are right. Equal to `settled` if there is no such record.
  std::size_t end = 0;
  // The copies end before the records do.
  bool goes_on = false;
};

// Compares two copies of the same words of a live chunk that begin with a record. The second copy
// was begun after the first was complete. Each may be torn: its words were read in any order while
// the thread went on. The thread begins a chunk with zero words, and stores the header word of a
// record last (format.hpp). So a header in the first copy has its payload in the second one:
//
//   first   | send | 0     | 0     | 0 |        torn: the header was read after the payload
//   second  | send | peer  | bytes | leave |    complete up to `leave`, which is taken next time
//
// The last record is only taken if both copies agree on it. A row of unsuccessful polls and the
// enter that follows it may be replaced by a longer row. They are taken when another record follows
// (PollStreak). If the thread is `gone`, all whole records are settled.
[[nodiscard]] SettledWords settled_words(std::span<const std::uint64_t> first,
                                         std::span<const std::uint64_t> second, bool gone);

}  // namespace latecomer::follow
