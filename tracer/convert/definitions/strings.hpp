// SPDX-License-Identifier: BSD-3-Clause
// Texts of the global definitions, each once, numbered from 0 in the order of their first use.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace latecomer::convert {

using StringId = std::uint32_t;

class Strings {
 public:
  // A definition must fit a chunk of the definition file; longer texts are cut.
  static constexpr std::size_t kMaxLength = std::size_t{64} << 10;

  Strings() { id(""); }  // 0 is "no name", as in Score-P's archives
  Strings(const Strings&) = delete;
  Strings& operator=(const Strings&) = delete;
  Strings(Strings&&) = default;
  Strings& operator=(Strings&&) = default;

  StringId id(std::string_view text) {
    const auto [place, is_new] = ids_.try_emplace(std::string(text.substr(0, kMaxLength)),
                                                  static_cast<StringId>(texts_.size()));
    if (is_new) texts_.push_back(&place->first);
    return place->second;
  }

  [[nodiscard]] const std::string& text(StringId id) const { return *texts_[id]; }
  [[nodiscard]] std::size_t size() const { return texts_.size(); }

 private:
  std::unordered_map<std::string, StringId> ids_;  // its elements never move
  std::vector<const std::string*> texts_;
};

}  // namespace latecomer::convert
