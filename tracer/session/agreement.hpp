// SPDX-License-Identifier: BSD-3-Clause
// What rank 0 decides from what all processes say at the beginning. Knows nothing of MPI.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "archive/rank_list.hpp"
#include "archive/result.hpp"
#include "tracer/session/clock_plan.hpp"

namespace latecomer::session {

// Text of bounded length that travels in a message; longer text is cut.
template <std::size_t N>
class BoundedText {
 public:
  BoundedText() = default;
  explicit BoundedText(std::string_view text) { text.copy(text_.data(), N - 1); }
  [[nodiscard]] std::string str() const { return text_.data(); }

 private:
  std::array<char, N> text_{};
};

// What each process tells rank 0.
struct Introduction {
  BoundedText<160> node;
  BoundedText<96> metahost_name;
  BoundedText<256> problem;  // a setting that this process does not understand
  BoundedText<160> problem_hint;
  std::int64_t metahost_id = 0;
  std::uint8_t metahost_id_given = 0;
  std::uint8_t metahost_name_given = 0;
  std::uint8_t global_clock = 0;  // one for the whole metahost
  std::uint8_t timer = 0;
};

[[nodiscard]] Introduction introduce();

// What its metahost is called.
[[nodiscard]] std::string metahost_name(const Introduction& process);

// Settings that fit together: metahosts are named on all processes or on none, id and name belong
// to each other, a metahost has a global clock for all of its processes or for none. Problems name
// the ranks.
[[nodiscard]] Status check(std::span<const Introduction> everybody);

// For each rank the lowest rank that shares its clock (the same node, or metahost with a global
// clock, and the same timer), and its metahost.
[[nodiscard]] std::vector<Place> places(std::span<const Introduction> everybody);

}  // namespace latecomer::session
