// SPDX-License-Identifier: BSD-3-Clause
// Expected failures as values: what went wrong, where, why, and what to do next.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace latecomer {

// Exit statuses of all commands.
enum class Exit : int { kOk = 0, kCheckFailed = 1, kUsage = 2, kBadInput = 3, kPartial = 4 };

// An expected failure. Printed as two lines, "error: <what>" and "hint:  <next>".
struct Problem {
  std::string what;  // where, what and why, in one sentence
  std::string next;  // the next step for the user; may be empty
  Exit status = Exit::kBadInput;

  [[nodiscard]] std::string text() const {
    return "error: " + what + "\n" + (next.empty() ? "" : "hint:  " + next + "\n");
  }
};

// A value or a Problem.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}            // NOLINT
  Result(Problem problem) : state_(std::in_place_index<1>, std::move(problem)) {}  // NOLINT

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  [[nodiscard]] T& value() { return std::get<0>(state_); }
  [[nodiscard]] const T& value() const { return std::get<0>(state_); }
  [[nodiscard]] T& operator*() { return value(); }
  [[nodiscard]] const T& operator*() const { return value(); }
  [[nodiscard]] T* operator->() { return &value(); }
  [[nodiscard]] const T* operator->() const { return &value(); }
  [[nodiscard]] const Problem& problem() const { return std::get<1>(state_); }

 private:
  std::variant<T, Problem> state_;
};

// Success without a value, or a Problem.
using Status = Result<std::monostate>;
inline Status success() { return Status(std::monostate{}); }

}  // namespace latecomer
