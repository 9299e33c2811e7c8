// SPDX-License-Identifier: BSD-3-Clause
// Makes text that both CUBE's reader and XML parsers accept.
#pragma once

#include <string>
#include <string_view>

namespace latecomer::report {

// Escapes & < > ' " and replaces each character that XML cannot hold (control characters, bytes
// that are not UTF-8) by a question mark.
[[nodiscard]] std::string xml_text(std::string_view text);

}  // namespace latecomer::report
