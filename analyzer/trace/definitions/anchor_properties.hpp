// SPDX-License-Identifier: BSD-3-Clause
// Changes properties in the bytes of an anchor file. The OTF2 library can only write new archives,
// which have another identity.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace latecomer::trace {

// New values by name; no value: the property is removed. Properties that the anchor lacks are not
// added.
using PropertyChanges = std::map<std::string, std::optional<std::string>>;

// `anchor`: bytes of a file that check_anchor() accepts.
[[nodiscard]] std::string with_properties(std::string_view anchor, const PropertyChanges& changes);

// The anchor with another identity.
[[nodiscard]] std::string with_trace_id(std::string_view anchor, std::uint64_t id);

}  // namespace latecomer::trace
