// SPDX-License-Identifier: BSD-3-Clause
// Statements of a report in which no member and no list is empty, so that its JSON has all keys.
#pragma once

#include "analyzer/report/extras/extras.hpp"

namespace latecomer::test {

[[nodiscard]] report::Extras full_extras();

}  // namespace latecomer::test
