// SPDX-License-Identifier: BSD-3-Clause
// The page without its data; bundle.py makes it of the files in page/ when Latecomer is built.
#pragma once

#include <string_view>

namespace latecomer::view {

// Definitions stand between the first two, values behind the script, which draws the first view
// while the browser still reads them.
extern const std::string_view kPageBeforeData, kPageAfterData, kPageAfterValues;

}  // namespace latecomer::view
