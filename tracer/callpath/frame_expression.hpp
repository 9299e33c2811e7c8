// SPDX-License-Identifier: BSD-3-Clause
// Expressions of call frame information: how to compute an address that no fixed rule yields.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "tracer/callpath/module_tables.hpp"
#include "tracer/callpath/stack_copy.hpp"

namespace latecomer::callpath {

// Value of the expression at a position in the tables: its length (ULEB128), then its operations
// (DWARF 5, section 2.5). `first` is pushed before it starts, if there is one. Empty if the
// expression needs a word or a register that is not known, or has an operation that compilers do
// not use for frames. There are no loops.
[[nodiscard]] std::optional<std::uintptr_t> evaluate_expression(
    const ModuleTables& tables, std::size_t position, const Registers& registers,
    const StackCopy& copy, std::optional<std::uintptr_t> first);

}  // namespace latecomer::callpath
