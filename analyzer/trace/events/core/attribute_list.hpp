// SPDX-License-Identifier: BSD-3-Clause
// The list of attributes that may precede an event: their number, then id, type and value of each.
#pragma once

#include <cstdint>
#include <optional>

#include "analyzer/trace/definitions/id_maps.hpp"
#include "analyzer/trace/events/core/event_file.hpp"

namespace latecomer::trace {

// Types of attribute values. Values that are ids are stored as numbers, like kUint32.
enum class AttributeType : std::uint8_t {
  kUint8 = 1,
  kUint16 = 2,
  kUint32 = 3,
  kUint64 = 4,
  kInt8 = 5,
  kInt16 = 6,
  kFloat = 9,
  kDouble = 10
};

// True if the list is complete and nothing follows it.
[[nodiscard]] bool is_whole_list(Fields list);
// The value of an attribute in a complete list; none if it is missing or has another type.
[[nodiscard]] std::optional<std::uint64_t> find_attribute(Fields list, const IdMaps& ids,
                                                          std::uint32_t wanted, AttributeType type);

}  // namespace latecomer::trace
