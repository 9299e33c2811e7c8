// SPDX-License-Identifier: BSD-3-Clause
// What rank 0 decides from what all processes say at the beginning. Knows nothing of MPI.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "archive/result.hpp"

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
  std::uint8_t timer = 0;
};

[[nodiscard]] Introduction introduce();

// "rank 3", "ranks 0-2, 5"
[[nodiscard]] std::string rank_list(const std::vector<int>& ranks);

// Settings that fit together: metahosts are named on all processes or on none, id and name belong
// to each other, processes that share a clock use the same timer. Problems name the ranks.
[[nodiscard]] Status check(std::span<const Introduction> everybody);

// For each rank the lowest rank of its node.
[[nodiscard]] std::vector<int> node_leaders(std::span<const Introduction> everybody);

}  // namespace latecomer::session
