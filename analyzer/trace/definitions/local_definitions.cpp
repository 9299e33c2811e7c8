// SPDX-License-Identifier: BSD-3-Clause
// Reads local definitions with the OTF2 library.
#include "analyzer/trace/definitions/local_definitions.hpp"

#include <otf2/otf2.h>

#include <optional>

namespace latecomer::trace {
namespace {

std::optional<IdKind> mapped_kind(OTF2_MappingType type) {
  switch (type) {
    case OTF2_MAPPING_ATTRIBUTE:
      return IdKind::kAttribute;
    case OTF2_MAPPING_REGION:
      return IdKind::kRegion;
    case OTF2_MAPPING_GROUP:
      return IdKind::kGroup;
    case OTF2_MAPPING_COMM:
      return IdKind::kComm;
    case OTF2_MAPPING_PARAMETER:
      return IdKind::kParameter;
    case OTF2_MAPPING_RMA_WIN:
      return IdKind::kWindow;
    case OTF2_MAPPING_CALLING_CONTEXT:
      return IdKind::kContext;
    case OTF2_MAPPING_IO_HANDLE:
      return IdKind::kFileHandle;
    case OTF2_MAPPING_INTERRUPT_GENERATOR:
      return IdKind::kInterruptGenerator;
    case OTF2_MAPPING_METRIC:
      return IdKind::kMetric;
    default:
      return std::nullopt;
  }
}

OTF2_CallbackCode on_clock_offset(void* data, std::uint64_t time, std::int64_t offset,
                                  double deviation) {
  static_cast<LocalDefinitions*>(data)->offsets.push_back({time, offset, deviation});
  return OTF2_CALLBACK_SUCCESS;
}

struct Table {
  IdMaps& ids;
  IdKind kind;
};

OTF2_CallbackCode on_mapping_table(void* data, OTF2_MappingType type, const OTF2_IdMap* map) {
  const auto kind = mapped_kind(type);
  if (!kind) return OTF2_CALLBACK_SUCCESS;
  Table table{static_cast<LocalDefinitions*>(data)->ids, *kind};
  const auto add = [](std::uint64_t local, std::uint64_t global, void* to) {
    const auto& t = *static_cast<Table*>(to);
    t.ids.add(t.kind, local, global);
  };
  OTF2_IdMap_Traverse(map, add, &table);
  return OTF2_CALLBACK_SUCCESS;
}

}  // namespace

bool read_local_definitions(OTF2_Reader_struct* reader, std::uint64_t location,
                            LocalDefinitions& to) {
  OTF2_DefReader* const definitions = OTF2_Reader_GetDefReader(reader, location);
  if (definitions == nullptr) return false;
  OTF2_DefReaderCallbacks* const callbacks = OTF2_DefReaderCallbacks_New();
  OTF2_DefReaderCallbacks_SetClockOffsetCallback(callbacks, on_clock_offset);
  OTF2_DefReaderCallbacks_SetMappingTableCallback(callbacks, on_mapping_table);
  OTF2_Reader_RegisterDefCallbacks(reader, definitions, callbacks, &to);
  OTF2_DefReaderCallbacks_Delete(callbacks);
  std::uint64_t count = 0;
  const bool all = OTF2_Reader_ReadAllLocalDefinitions(reader, definitions, &count) == OTF2_SUCCESS;
  OTF2_Reader_CloseDefReader(reader, definitions);
  return all;
}

}  // namespace latecomer::trace
