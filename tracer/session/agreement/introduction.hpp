// SPDX-License-Identifier: BSD-3-Clause
// Decisions of rank 0 from the introductions of all processes at the beginning. Independent of MPI.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "archive/rank_list.hpp"
#include "archive/result.hpp"
#include "tracer/session/clocks/clock_plan.hpp"

namespace latecomer::session {

// Text of bounded length for messages; longer text is cut.
template <std::size_t N>
class BoundedText {
 public:
  BoundedText() = default;
  explicit BoundedText(std::string_view text) { text.copy(text_.data(), N - 1); }
  [[nodiscard]] std::string str() const { return text_.data(); }

 private:
  std::array<char, N> text_{};
};

// Data that each process sends to rank 0.
struct Introduction {
  BoundedText<160> node;
  BoundedText<96> metahost_name;
  BoundedText<256> problem;  // a setting that this process does not understand
  BoundedText<160> problem_hint;
  std::int64_t metahost_id = 0;
  std::uint8_t metahost_id_given = 0;
  std::uint8_t metahost_name_given = 0;
  std::uint8_t global_clock = 0;  // set if the whole metahost has one clock
  std::uint8_t timer = 0;
};

// The introduction of this process, from its settings.
[[nodiscard]] Introduction introduce();

// Name of the metahost of a process.
[[nodiscard]] std::string metahost_name(const Introduction& process);

// Checks that settings fit together. Metahosts are named on all processes or on none; each id has
// one name; a metahost has a global clock for all of its processes or for none. Problems name the
// ranks.
[[nodiscard]] Status check(std::span<const Introduction> everybody);

// The lowest rank that shares the clock of each rank, and the index of its metahost. Ranks share
// a clock if they have the same timer and the same node, or the same metahost with a global clock.
[[nodiscard]] std::vector<Place> places(std::span<const Introduction> everybody);

}  // namespace latecomer::session
