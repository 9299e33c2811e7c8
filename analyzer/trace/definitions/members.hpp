// SPDX-License-Identifier: BSD-3-Clause
// Members of communicators. A trace may have thousands of communicators of the same processes.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace latecomer::trace {

// An immutable list of world ranks. Copies share it.
class Members {
 public:
  using Ranks = std::vector<std::uint32_t>;
  Members() = default;
  Members(Ranks ranks)  // NOLINT: a list of ranks is meant
      : ranks_(std::make_shared<const Ranks>(std::move(ranks))) {}
  Members(std::initializer_list<std::uint32_t> ranks) : Members(Ranks(ranks)) {}

  [[nodiscard]] const Ranks& ranks() const {
    static const Ranks nobody;
    return ranks_ ? *ranks_ : nobody;
  }
  [[nodiscard]] auto begin() const { return ranks().begin(); }
  [[nodiscard]] auto end() const { return ranks().end(); }
  [[nodiscard]] std::size_t size() const { return ranks().size(); }
  [[nodiscard]] bool empty() const { return ranks().empty(); }
  [[nodiscard]] std::uint32_t operator[](std::size_t i) const { return ranks()[i]; }
  operator std::span<const std::uint32_t>() const { return ranks(); }  // NOLINT: it is one

  // True if one is a copy of the other.
  [[nodiscard]] bool shared_with(const Members& other) const { return ranks_ == other.ranks_; }

 private:
  std::shared_ptr<const Ranks> ranks_;
};

}  // namespace latecomer::trace
