// SPDX-License-Identifier: BSD-3-Clause
// Interface of a fuzz target: the three functions below, in a separate source.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "tests/fuzz/mutate.hpp"

namespace latecomer::fuzz {

// Reads an input as the product would. It always returns: no crash, no exception, and time and
// memory within a multiple of the input's size. Prints nothing. Properties of everything that was
// read are checked with must().
void run(std::span<const std::uint8_t> input);

// Intact inputs, made by code; the same at every call.
[[nodiscard]] std::vector<Bytes> seeds();

// Changes an input where its format has something to change: fields, records, lengths, words. The
// driver changes single bytes.
void mutate(Bytes& input, Random& random);

// Ends the program if a property does not hold that holds for every input.
void must(bool holds, std::string_view what);

}  // namespace latecomer::fuzz
