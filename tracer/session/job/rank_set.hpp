// SPDX-License-Identifier: BSD-3-Clause
// Sets of ranks as the user writes them: 0-3,8
#pragma once

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace latecomer::session {

class RankSet {
 public:
  // Empty for an empty or malformed text (settings are checked before).
  [[nodiscard]] static std::optional<RankSet> parse(std::string_view text) {
    RankSet set;
    while (!text.empty()) {
      const std::string_view part = text.substr(0, text.find(','));
      text.remove_prefix(part.size() == text.size() ? part.size() : part.size() + 1);
      const std::size_t dash = part.find('-');
      const auto first = number(part.substr(0, dash));
      const auto last = dash == std::string_view::npos ? first : number(part.substr(dash + 1));
      if (!first || !last || *last < *first) return std::nullopt;
      set.ranges_.emplace_back(*first, *last);
    }
    if (set.ranges_.empty()) return std::nullopt;
    return set;
  }

  [[nodiscard]] bool contains(int rank) const {
    for (const auto& [first, last] : ranges_) {
      if (rank >= first && rank <= last) return true;
    }
    return false;
  }
  [[nodiscard]] int highest() const {
    int highest = 0;
    for (const auto& range : ranges_) highest = std::max(highest, range.second);
    return highest;
  }

 private:
  static std::optional<int> number(std::string_view text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc() || end != text.data() + text.size() || value < 0) {
      return std::nullopt;
    }
    return value;
  }

  std::vector<std::pair<int, int>> ranges_;
};

}  // namespace latecomer::session
