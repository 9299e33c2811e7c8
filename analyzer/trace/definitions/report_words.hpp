// SPDX-License-Identifier: BSD-3-Clause
// Translates OTF2 enumerators to the words that CUBE reports use.
#pragma once

#include <cstdint>
#include <string>

namespace latecomer::trace {

[[nodiscard]] std::string paradigm_word(std::uint8_t otf2_paradigm);
[[nodiscard]] std::string role_word(std::uint8_t otf2_role);

}  // namespace latecomer::trace
