// SPDX-License-Identifier: BSD-3-Clause
// Evaluates a formula, for all columns of a row at once if possible.
#pragma once

#include <optional>
#include <span>

#include "analyzer/report/formula/environment.hpp"
#include "analyzer/report/formula/syntax.hpp"
#include "analyzer/report/formula/value.hpp"

namespace latecomer::report::formula {

// The place where a formula is evaluated: a call path, with one column per place of the system
// tree. All functions may throw Stop.
class Operands {
 public:
  virtual ~Operands() = default;
  // Number of columns, which is the length of rows.
  [[nodiscard]] virtual std::size_t columns() const = 0;
  // A row, or one number for all columns.
  [[nodiscard]] virtual Value metric(std::uint32_t metric, Flavour flavour) = 0;
  // The value for the whole report.
  [[nodiscard]] virtual double fixed(std::uint32_t metric) = 0;
  // The value at a call path: the sum over all locations, or that of one.
  [[nodiscard]] virtual double call(std::uint32_t metric, double call_path, Flavour flavour,
                                    std::optional<double> location) = 0;
  // A property of the place of evaluation.
  [[nodiscard]] virtual Value calculation(Calculation what) = 0;
  virtual void switch_off(std::uint32_t /*metric*/) {}
};

// A formula whose names are resolved.
struct Bound {
  const Program* program = nullptr;
  std::vector<Binding> names;
  bool by_column = false;  // columns take different branches: set by the first evaluation
};

// Returns a number, a text, or a row of operands.columns() numbers. `arguments` are arg1 and arg2.
// Throws Stop.
[[nodiscard]] Value evaluate(Bound& formula, Environment& environment, Operands& operands,
                             std::span<const Value> arguments = {});

}  // namespace latecomer::report::formula
