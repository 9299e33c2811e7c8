// SPDX-License-Identifier: BSD-3-Clause
// What a fuzz target is: the three functions below, in a source of its own.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "tests/fuzz/mutate.hpp"

namespace latecomer::fuzz {

// Reads an input as the product would. Whatever it holds, this returns: no crash, no exception, no
// more time and memory than a multiple of the input's size. Prints nothing. What must hold for
// everything that was read is checked with must().
void run(std::span<const std::uint8_t> input);

// Good inputs, made by code; the same at every call.
[[nodiscard]] std::vector<Bytes> seeds();

// Changes an input where its format has something to change: fields, records, lengths, words. Bytes
// are changed by others.
void mutate(Bytes& input, Random& random);

// Ends the program when something does not hold that holds for every input.
void must(bool holds, std::string_view what);

}  // namespace latecomer::fuzz
