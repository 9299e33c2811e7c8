// SPDX-License-Identifier: BSD-3-Clause
// The current event of a location, as the builders of its family take it apart.
#pragma once

#include <cstdint>
#include <optional>

#include "analyzer/trace/definitions/definitions.hpp"
#include "analyzer/trace/definitions/id_maps.hpp"
#include "analyzer/trace/events/core/attribute_list.hpp"
#include "analyzer/trace/events/core/event_file.hpp"
#include "analyzer/trace/events/core/event_types.hpp"
#include "analyzer/trace/events/core/region_events.hpp"

namespace latecomer::trace {

// Fields are taken in their order in the record. Ids are those of the archive after id() or comm().
struct Event {
  Event(const IdMaps& maps, const Definitions& defined)
      : ids(maps), definitions(defined), last_comm_id_(maps(IdKind::kComm, last_comm_)) {}

  // Takes the next fields of the record; false: they are not there.
  template <typename... Field>
  bool take(Field&... fields) {
    return take_from(record.fields, fields...);
  }
  template <typename... Field>
  static bool take_from(Fields& from, Field&... fields) {
    static_assert(sizeof...(fields) < Fields::kMost);
    const auto one = [&from](auto& field) {
      if constexpr (sizeof field == sizeof(std::uint8_t)) {
        field = from.u8();
      } else if constexpr (sizeof field == sizeof(std::uint32_t)) {
        field = from.u32();
      } else {
        field = from.u64();
      }
    };
    (one(fields), ...);
    return !from.bad();
  }
  // Takes one number and uses it.
  template <typename Number, typename Use>
  bool with(Use&& use) {
    Number number = 0;
    if (!take(number)) return false;
    use(number);
    return true;
  }

  [[nodiscard]] std::uint32_t id(IdKind kind, std::uint32_t local) const {
    return ids(kind, local);
  }
  // Index of a region in Definitions::regions; kNone: not defined.
  [[nodiscard]] std::uint32_t region(std::uint32_t local) const {
    return definitions.region_ids.find(ids(IdKind::kRegion, local));
  }
  // The archive's id of a communicator, which is usually that of the previous event.
  std::uint32_t comm(std::uint32_t local) {
    if (local != last_comm_) [[unlikely]] {
      last_comm_ = local;
      last_comm_id_ = ids(IdKind::kComm, local);
    }
    return last_comm_id_;
  }

  [[nodiscard]] std::optional<std::uint64_t> find_attribute(std::uint32_t wanted,
                                                            AttributeType type) const {
    return trace::find_attribute(record.attributes, ids, wanted, type);
  }
  // The value of an attribute of that type; 0 if it is missing.
  [[nodiscard]] std::uint64_t attribute(std::uint32_t wanted, AttributeType type) const {
    if (record.attributes.at_end() || wanted == kNone) return 0;
    return find_attribute(wanted, type).value_or(0);
  }
  // True if the event happened in a call that a filter left out.
  [[nodiscard]] bool is_left_out() const {
    return attribute(definitions.left_out, AttributeType::kUint8) != 0;
  }

  EventRecord record;  // not set for usual records, which read_events takes apart itself
  Ticks time = 0;      // since Definitions::first_tick
  const IdMaps& ids;
  const Definitions& definitions;

 private:
  std::uint32_t last_comm_ = 0, last_comm_id_;
};

}  // namespace latecomer::trace
