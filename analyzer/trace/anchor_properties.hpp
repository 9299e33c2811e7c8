// SPDX-License-Identifier: BSD-3-Clause
// Properties in an anchor file, changed in its bytes: the library can only write new archives, with
// another identity.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace latecomer::trace {

// Values by name; nothing: the property is removed. Properties that the anchor lacks are not added.
using PropertyChanges = std::map<std::string, std::optional<std::string>>;

// `anchor` holds the bytes of a file that check_anchor() accepts.
[[nodiscard]] std::string with_properties(std::string_view anchor, const PropertyChanges& changes);

// The same with another identity.
[[nodiscard]] std::string with_trace_id(std::string_view anchor, std::uint64_t id);

}  // namespace latecomer::trace
