// SPDX-License-Identifier: BSD-3-Clause
// Records of a piece of work, as text with the names of the regions.
#pragma once

#include <functional>
#include <string>

namespace latecomer::test {

// The text is like "(foo (leaf leaf) (leaf leaf) foo) ": enters and leaves of compiled functions
// and named regions, and "off " and "on " where recording is switched. `work` runs in a separate
// thread.
[[nodiscard]] std::string recorded(const std::function<void()>& work);

// Number of events in a text of recorded().
[[nodiscard]] std::size_t events(const std::string& text);

}  // namespace latecomer::test
