// SPDX-License-Identifier: BSD-3-Clause
// The page without its data; bundle.py makes it of the files in page/ when Latecomer is built.
#pragma once

#include <string_view>

namespace latecomer::view {

extern const std::string_view kPageBeforeData, kPageAfterData;

}  // namespace latecomer::view
