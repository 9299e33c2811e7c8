// SPDX-License-Identifier: BSD-3-Clause
// What all formulas of a report share: tables of its definitions, global variables, and bounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "analyzer/report/anchor_reader.hpp"
#include "analyzer/report/formula/syntax.hpp"
#include "analyzer/report/formula/value.hpp"

namespace latecomer::report::formula {

// Why a formula cannot be evaluated; thrown, and caught by who asked for the value.
struct Stop {
  std::string what;
  std::uint32_t at = 0;    // byte of its text
  bool exhausted = false;  // no more steps, whoever has done them
};

// An array; what was never set is 0.
struct Variable {
  std::vector<double> numbers;
  std::unordered_map<std::size_t, std::string> texts;
  std::unordered_map<std::size_t, std::vector<double>> rows;
  bool defined = false;

  [[nodiscard]] Value get(std::size_t index) const;
  // How much room it takes more now, or less, in numbers.
  std::ptrdiff_t set(std::size_t index, Value value);
};

// The tables cube::region::name and so on: a value per id, ids as in the file.
class Tables {
 public:
  explicit Tables(const Anchor& anchor);

  // Index of a table; nothing: there is none of this name.
  [[nodiscard]] static const std::uint32_t* find(const std::string& name);
  [[nodiscard]] Value get(std::uint32_t table, double id) const;
  [[nodiscard]] std::size_t size(std::uint32_t table) const;

  // Index of the call path or region with this id in the file; kNone: there is none.
  [[nodiscard]] std::uint32_t call_path(double id) const;
  [[nodiscard]] std::uint32_t region(double id) const;

 private:
  const Anchor& anchor_;
  std::vector<std::uint32_t> call_paths_, regions_;  // by id
  std::vector<std::uint32_t> children_;              // number of them, by call path
};

// ${calculation::...}
enum class Calculation : std::uint8_t {
  kCallPath,
  kCallPathState,
  kRegion,
  kMetric,
  kPlace,
  kPlaceKind,
};

struct Nothing {};  // a name of old formulas that is always empty
struct Local {
  std::uint32_t slot = 0;
};
struct Table {
  std::uint32_t index = 0;
};
using Binding = std::variant<Local, Variable*, Table, Calculation, Nothing>;

class Environment {
 public:
  explicit Environment(const Anchor& anchor) : tables_(anchor) {}
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  // Variables that are global for all formulas that do not declare them as local.
  void declare(const Program& program);
  // What the names of a program stand for. Throws Stop.
  [[nodiscard]] std::vector<Binding> bind(const Program& program);

  [[nodiscard]] const Tables& tables() const { return tables_; }

  // Steps that may still be done; throws Stop at the last one.
  void spend(std::uint64_t steps, std::uint32_t at) {
    if (steps > left_) stop(at);
    left_ -= steps;
  }
  void allow(std::uint64_t steps) { left_ = steps; }
  [[nodiscard]] std::uint64_t left() const { return left_; }

  std::size_t room_taken = 0;  // by global variables
  std::uint64_t random_state = 0x9e3779b97f4a7c15;

 private:
  [[noreturn]] void stop(std::uint32_t at);

  Tables tables_;
  std::map<std::string, Variable> globals_;
  std::uint64_t left_ = 0;
};

}  // namespace latecomer::report::formula
