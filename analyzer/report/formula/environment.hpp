// SPDX-License-Identifier: BSD-3-Clause
// Data that all formulas of a report share: tables of its definitions, global variables, and
// limits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "analyzer/report/formula/syntax.hpp"
#include "analyzer/report/formula/value.hpp"
#include "analyzer/report/model/anchor_reader.hpp"
#include "archive/hash.hpp"

namespace latecomer::report::formula {

// The reason why a formula cannot be evaluated. It is thrown, and caught where the value was
// requested.
struct Stop {
  std::string what;
  std::uint32_t at = 0;    // byte of the formula's text
  bool exhausted = false;  // the steps are used up, by this or another formula
};

// An array variable; elements that were never set are 0.
struct Variable {
  std::vector<double> numbers;
  std::unordered_map<std::size_t, std::string> texts;
  std::unordered_map<std::size_t, std::vector<double>> rows;
  bool defined = false;

  [[nodiscard]] Value get(std::size_t index) const;
  // Sets an element. Returns how much more room the variable takes now (negative: less), in
  // numbers.
  std::ptrdiff_t set(std::size_t index, Value value);
};

// The tables cube::region::name and so on: one value per id; ids as in the file.
class Tables {
 public:
  explicit Tables(const Anchor& anchor);

  // Index of a table; null if there is no table of this name.
  [[nodiscard]] static const std::uint32_t* find(const std::string& name);
  // The value for an id; empty or 0 if there is no such id.
  [[nodiscard]] Value get(std::uint32_t table, double id) const;
  [[nodiscard]] std::size_t size(std::uint32_t table) const;

  // Index of the call path or region with this id in the file; kNone: there is none.
  [[nodiscard]] std::uint32_t call_path(double id) const;
  [[nodiscard]] std::uint32_t region(double id) const;

 private:
  const Anchor& anchor_;
  std::vector<std::uint32_t> call_paths_, regions_;  // index by id
  std::vector<std::uint32_t> children_;              // number of children by call path
};

// The variables ${calculation::...}: properties of the place of evaluation.
enum class Calculation : std::uint8_t {
  kCallPath,
  kCallPathState,
  kRegion,
  kMetric,
  kPlace,
  kPlaceKind,
};

struct Nothing {};  // a name in old formulas that is always empty
// A variable of one formula; `slot` is the index of its name in the program.
struct Local {
  std::uint32_t slot = 0;
};
// A table of the definitions; `index` as from Tables::find().
struct Table {
  std::uint32_t index = 0;
};
// The meaning of a name. Variable*: a global variable.
using Binding = std::variant<Local, Variable*, Table, Calculation, Nothing>;

// State that the formulas of a report share.
class Environment {
 public:
  explicit Environment(const Anchor& anchor) : tables_(anchor) {}
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  // Declares the global variables of a program. They are global for all formulas that do not
  // declare them as local.
  void declare(const Program& program);
  // Returns what the names of a program stand for. Throws Stop.
  [[nodiscard]] std::vector<Binding> bind(const Program& program);

  [[nodiscard]] const Tables& tables() const { return tables_; }

  // Uses up steps; throws Stop if too few are left.
  void spend(std::uint64_t steps, std::uint32_t at) {
    if (steps > left_) stop(at);
    left_ -= steps;
  }
  // Sets the number of steps that are left.
  void allow(std::uint64_t steps) { left_ = steps; }
  [[nodiscard]] std::uint64_t left() const { return left_; }

  std::size_t room_taken = 0;  // by global variables, in numbers
  std::uint64_t random_state = kGoldenRatio;

 private:
  [[noreturn]] void stop(std::uint32_t at);

  Tables tables_;
  std::map<std::string, Variable> globals_;
  std::uint64_t left_ = 0;
};

}  // namespace latecomer::report::formula
