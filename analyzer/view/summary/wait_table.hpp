// SPDX-License-Identifier: BSD-3-Clause
// Draws the largest wait states of a summary as a table that fits the terminal.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analyzer/view/summary/summary.hpp"

namespace latecomer::view {

struct WaitTable {
  std::string heading;                            // of the names of wait states
  std::string waiters;                            // heading of the column of those who wait most
  const std::vector<Summary::WaitState>& states;  // the largest first, not empty
};

struct DrawnWaits {
  std::string text;
  std::size_t left_out = 0;  // number of wait states that are not in it
};

// At most `most` wait states and call paths, in at most `lines` lines below the heading, but one at
// least. A line is left free if wait states are left out.
[[nodiscard]] DrawnWaits draw(const Summary& summary, const WaitTable& table, std::size_t lines,
                              std::size_t most);

// True if the report has the time and this is less than 0.1 % of it.
[[nodiscard]] bool is_negligible(const Summary& summary, double seconds);

// Removes the program itself, which is the root of all call paths and says nothing new.
[[nodiscard]] std::vector<std::string> without_program(const Summary& summary,
                                                       std::vector<std::string> call_path);

// The argument that other commands take for this report: its experiment if it lies in one, else the
// file.
[[nodiscard]] std::string argument_for(const std::string& file);

// The shares of at most `most` threads: "1: 98%, 0: 2%"; with "0.1" for thread 1 of rank 0 if there
// are several ranks.
[[nodiscard]] std::string shares_of_threads(const Summary& summary,
                                            const std::vector<Summary::ThreadShare>& threads,
                                            double seconds, std::size_t most);

}  // namespace latecomer::view
