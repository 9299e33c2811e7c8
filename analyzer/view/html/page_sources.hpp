// SPDX-License-Identifier: BSD-3-Clause
// Declares the page without its data. bundle.py makes it from the files in page/ at build time.
#pragma once

#include <string_view>

namespace latecomer::view {

// The definitions go between the first two parts. The values follow the script, which draws the
// first view while the browser still reads them.
extern const std::string_view kPageBeforeData, kPageAfterData, kPageAfterValues;

}  // namespace latecomer::view
