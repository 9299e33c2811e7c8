// SPDX-License-Identifier: BSD-3-Clause
// Copies definitions: for each type the reader's callback has the arguments of the writer's
// function.
#include "analyzer/trace/copy/copy_definitions.hpp"

#include <algorithm>
#include <unordered_map>

#include "analyzer/trace/definitions/otf2_records.hpp"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // old archives have such definitions

namespace latecomer::trace {
namespace {

// Data of the callbacks.
struct DefinitionCopy {
  OTF2_GlobalDefWriter* out;
  const DefinitionChanges& changes;
};

template <auto Write>
struct Copy;
template <typename... Arguments, OTF2_ErrorCode (*Write)(OTF2_GlobalDefWriter*, Arguments...)>
struct Copy<Write> {
  static OTF2_CallbackCode definition(void* data, Arguments... arguments) {
    Write(static_cast<DefinitionCopy*>(data)->out, arguments...);
    return OTF2_CALLBACK_SUCCESS;
  }
};

// The trace must cover the new times, too.
OTF2_CallbackCode copy_clock(void* data, std::uint64_t resolution, std::uint64_t offset,
                             std::uint64_t length, std::uint64_t realtime) {
  const auto& changes = static_cast<DefinitionCopy*>(data)->changes;
  const std::uint64_t first = std::min(offset, changes.first);
  const std::uint64_t last = std::max(offset + length, changes.last);
  return Copy<OTF2_GlobalDefWriter_WriteClockProperties>::definition(data, resolution, first,
                                                                     last - first, realtime);
}

// Records that are left out are subtracted from the announced number of events.
OTF2_CallbackCode copy_location(void* data, OTF2_LocationRef id, OTF2_StringRef name,
                                OTF2_LocationType type, std::uint64_t events,
                                OTF2_LocationGroupRef group) {
  const auto& lost = static_cast<DefinitionCopy*>(data)->changes.lost;
  if (const auto found = lost.find(id); found != lost.end()) {
    events -= std::min(events, found->second);
  }
  return Copy<OTF2_GlobalDefWriter_WriteLocation>::definition(data, id, name, type, events, group);
}

// Reads all global definitions. A reader can do that only once, so each call needs a fresh one.
bool read(OTF2_Reader* reader, OTF2_GlobalDefReaderCallbacks* callbacks, void* data) {
  OTF2_GlobalDefReader* definitions = OTF2_Reader_GetGlobalDefReader(reader);
  bool done = definitions != nullptr;
  if (done) {
    OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks, data);
    std::uint64_t count = 0;
    done = OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &count) == OTF2_SUCCESS;
    OTF2_Reader_CloseGlobalDefReader(reader, definitions);
  }
  OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
  return done;
}

}  // namespace

bool read_locations(OTF2_Reader* reader, std::vector<AnyLocation>& locations) {
  struct Found {
    std::vector<AnyLocation>& locations;
    std::unordered_map<OTF2_LocationGroupRef, OTF2_LocationGroupRef> creators;
  } found{locations, {}};
  auto* callbacks = OTF2_GlobalDefReaderCallbacks_New();
  OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(
      callbacks, [](void* data, OTF2_LocationGroupRef id, OTF2_StringRef, OTF2_LocationGroupType,
                    OTF2_SystemTreeNodeRef, OTF2_LocationGroupRef creator) {
        static_cast<Found*>(data)->creators.emplace(id, creator);
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_GlobalDefReaderCallbacks_SetLocationCallback(
      callbacks, [](void* data, OTF2_LocationRef id, OTF2_StringRef, OTF2_LocationType,
                    std::uint64_t events, OTF2_LocationGroupRef group) {
        auto& all = *static_cast<Found*>(data);
        const auto known = all.creators.find(group);
        all.locations.push_back(
            {id, events, group,
             known == all.creators.end() ? OTF2_UNDEFINED_LOCATION_GROUP : known->second});
        return OTF2_CALLBACK_SUCCESS;
      });
  return read(reader, callbacks, &found);
}

void copy_definitions(OTF2_Reader* reader, OTF2_GlobalDefWriter* out,
                      const DefinitionChanges& changes) {
  DefinitionCopy copying{out, changes};
  auto* callbacks = OTF2_GlobalDefReaderCallbacks_New();
#define LATECOMER_COPY(name)                         \
  OTF2_GlobalDefReaderCallbacks_Set##name##Callback( \
      callbacks, Copy<OTF2_GlobalDefWriter_Write##name>::definition);
  LATECOMER_DEFINITIONS(LATECOMER_COPY)
#undef LATECOMER_COPY
  OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(callbacks, copy_clock);
  OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, copy_location);
  (void)read(reader, callbacks, &copying);
}

}  // namespace latecomer::trace
