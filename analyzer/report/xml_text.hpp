// SPDX-License-Identifier: BSD-3-Clause
// Text as CUBE's reader and XML parsers both accept it.
#pragma once

#include <string>
#include <string_view>

namespace latecomer::report {

// Escapes & < > ' " and replaces what XML cannot hold (control characters, bytes that are not
// UTF-8) by a question mark each.
[[nodiscard]] std::string xml_text(std::string_view text);

}  // namespace latecomer::report
