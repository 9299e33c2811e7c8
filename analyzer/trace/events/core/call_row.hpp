// SPDX-License-Identifier: BSD-3-Clause
// A visit that stands for several successive calls (layout::kAttributeCalls).
#pragma once

#include <algorithm>
#include <cstdint>

namespace latecomer::trace {

// Attributes of such a visit.
struct CallRow {
  std::int64_t enter = 0, leave = 0;  // enter of the first call, leave of the last one
  std::uint64_t calls = 0;
  std::uint64_t time = 0;  // time in all of them; the rest of the visit belongs to the caller

  // Only the number of calls and their total time are known. The calls are assumed to be equally
  // long and equally far apart. If there are many, each piece stands for several calls:
  //
  //   10..31, 3 calls, 9 in them     10..13  19..22  28..31
  static constexpr std::int64_t kMostPieces = 32;
  // A visit of more calls is not taken as a row.
  static constexpr std::uint64_t kMostCalls = std::uint64_t{1} << 48;
  [[nodiscard]] std::int64_t pieces() const {
    return static_cast<std::int64_t>(std::clamp<std::uint64_t>(calls, 1, kMostPieces));
  }
  // Calls f(enter, leave) for each piece.
  template <typename F>
  void for_each_piece(F&& f) const {
    const std::int64_t count = pieces(), span = leave - enter;
    const auto inside = static_cast<std::int64_t>(std::min(time, static_cast<std::uint64_t>(span)));
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t begin =
          enter + cut(span - inside, i, std::max<std::int64_t>(1, count - 1));
      f(begin + cut(inside, i, count), begin + cut(inside, i + 1, count));
    }
  }

 private:
  // The first `part` of `of` equal parts, computed without overflow.
  static std::int64_t cut(std::int64_t whole, std::int64_t part, std::int64_t of) {
    return whole / of * part + whole % of * part / of;
  }
};

}  // namespace latecomer::trace
