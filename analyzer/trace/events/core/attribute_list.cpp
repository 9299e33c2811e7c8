// SPDX-License-Identifier: BSD-3-Clause
// Walks through attribute lists.
#include "analyzer/trace/events/core/attribute_list.hpp"

namespace latecomer::trace {
namespace {

// Takes a value of any type.
std::uint64_t take_value(Fields& list, AttributeType type) {
  using enum AttributeType;
  switch (type) {
    case kUint8:
    case kInt8:
      return list.u8();
    case kUint16:
    case kInt16:
      return list.whole(2);
    case kFloat:
      return list.whole(4);
    case kDouble:
      return list.whole(8);
    default:
      return list.u64();
  }
}

}  // namespace

bool is_whole_list(Fields list) {
  for (std::uint32_t left = list.u32(); left > 0 && !list.bad(); --left) {
    list.u32();
    take_value(list, AttributeType{list.u8()});
  }
  return list.at_end() && !list.bad();
}

std::optional<std::uint64_t> find_attribute(Fields list, const IdMaps& ids, std::uint32_t wanted,
                                            AttributeType type) {
  for (std::uint32_t left = list.u32(); left > 0; --left) {
    const std::uint32_t id = ids(IdKind::kAttribute, list.u32());
    const AttributeType found{list.u8()};
    const std::uint64_t value = take_value(list, found);
    if (id == wanted) return found == type ? std::optional(value) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace latecomer::trace
