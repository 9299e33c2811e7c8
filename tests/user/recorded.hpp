// SPDX-License-Identifier: BSD-3-Clause
// What a piece of work records, as text with the names of the regions.
#pragma once

#include <functional>
#include <string>

namespace latecomer::test {

// "(foo (leaf leaf) (leaf leaf) foo) ": enters and leaves of compiled functions and named regions;
// "off " and "on " where recording is switched. Runs in a thread of its own.
[[nodiscard]] std::string recorded(const std::function<void()>& work);

// Number of events in a text of recorded().
[[nodiscard]] std::size_t events(const std::string& text);

}  // namespace latecomer::test
