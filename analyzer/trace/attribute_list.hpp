// SPDX-License-Identifier: BSD-3-Clause
// The list of attributes that may stand before an event: their number, then id, type and value of
// each.
#pragma once

#include <cstdint>
#include <optional>

#include "analyzer/trace/event_file.hpp"
#include "analyzer/trace/id_maps.hpp"

namespace latecomer::trace {

// Types of the values of attributes; those of ids are one number, as kUint32 is.
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

// All of them are there, and nothing else.
[[nodiscard]] bool is_whole_list(Fields list);
// Of a whole list: the value of an attribute; nothing if it is not there, or of another type.
[[nodiscard]] std::optional<std::uint64_t> find_attribute(Fields list, const IdMaps& ids,
                                                          std::uint32_t wanted, AttributeType type);

}  // namespace latecomer::trace
