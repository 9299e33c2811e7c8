// SPDX-License-Identifier: BSD-3-Clause
// Reads events with OTF2's local readers and counts them, for the benchmarks.
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <string>
#include <vector>

namespace latecomer::bench {

struct Location {
  OTF2_LocationRef id;
  std::uint64_t events;
};

template <typename... Arguments>
OTF2_CallbackCode count(OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void* counter,
                        OTF2_AttributeList*, Arguments...) {
  ++*static_cast<std::uint64_t*>(counter);
  return OTF2_CALLBACK_SUCCESS;
}

template <typename... Arguments>
using Setter = OTF2_ErrorCode (*)(OTF2_EvtReaderCallbacks*,
                                  OTF2_CallbackCode (*)(OTF2_LocationRef, OTF2_TimeStamp,
                                                        std::uint64_t, void*, OTF2_AttributeList*,
                                                        Arguments...));
template <typename... Arguments>
void count_with(OTF2_EvtReaderCallbacks* callbacks, Setter<Arguments...> set) {
  set(callbacks, count<Arguments...>);
}

inline OTF2_EvtReaderCallbacks* counting_callbacks() {
  OTF2_EvtReaderCallbacks* cb = OTF2_EvtReaderCallbacks_New();
  count_with(cb, OTF2_EvtReaderCallbacks_SetEnterCallback);
  count_with(cb, OTF2_EvtReaderCallbacks_SetLeaveCallback);
  count_with(cb, OTF2_EvtReaderCallbacks_SetMpiSendCallback);
  count_with(cb, OTF2_EvtReaderCallbacks_SetMpiIsendCallback);
  count_with(cb, OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback);
  count_with(cb, OTF2_EvtReaderCallbacks_SetMpiRecvCallback);
  count_with(cb, OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback);
  count_with(cb, OTF2_EvtReaderCallbacks_SetMpiIrecvCallback);
  count_with(cb, OTF2_EvtReaderCallbacks_SetMpiCollectiveBeginCallback);
  count_with(cb, OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback);
  count_with(cb, OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback);
  count_with(cb, OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback);
  count_with(cb, OTF2_EvtReaderCallbacks_SetCommCreateCallback);
  count_with(cb, OTF2_EvtReaderCallbacks_SetCommDestroyCallback);
  count_with(cb, OTF2_EvtReaderCallbacks_SetProgramBeginCallback);
  count_with(cb, OTF2_EvtReaderCallbacks_SetProgramEndCallback);
  count_with(cb, OTF2_EvtReaderCallbacks_SetUnknownCallback);
  return cb;
}

inline std::vector<Location> read_locations(OTF2_Reader* reader) {
  std::vector<Location> locations;
  OTF2_GlobalDefReader* definitions = OTF2_Reader_GetGlobalDefReader(reader);
  OTF2_GlobalDefReaderCallbacks* cb = OTF2_GlobalDefReaderCallbacks_New();
  OTF2_GlobalDefReaderCallbacks_SetLocationCallback(
      cb, [](void* all, OTF2_LocationRef id, OTF2_StringRef, OTF2_LocationType,
             std::uint64_t events, OTF2_LocationGroupRef) {
        static_cast<std::vector<Location>*>(all)->push_back({id, events});
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, cb, &locations);
  OTF2_GlobalDefReaderCallbacks_Delete(cb);
  std::uint64_t read = 0;
  OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &read);
  OTF2_Reader_CloseGlobalDefReader(reader, definitions);
  return locations;
}

// Reads the events of some locations with clock offsets applied, and returns their number. The
// callbacks count only events of frequent types.
inline std::uint64_t read_events(OTF2_Reader* reader, const std::vector<Location>& mine) {
  std::uint64_t counted = 0, read = 0, all = 0;
  for (const auto& l : mine) OTF2_Reader_SelectLocation(reader, l.id);
  OTF2_Reader_OpenDefFiles(reader);
  for (const auto& l : mine) {  // attaches the clock offsets
    OTF2_DefReader* definitions = OTF2_Reader_GetDefReader(reader, l.id);
    if (definitions == nullptr) continue;
    OTF2_Reader_ReadAllLocalDefinitions(reader, definitions, &read);
    OTF2_Reader_CloseDefReader(reader, definitions);
  }
  OTF2_Reader_CloseDefFiles(reader);
  OTF2_Reader_OpenEvtFiles(reader);
  OTF2_EvtReaderCallbacks* callbacks = counting_callbacks();
  for (const auto& l : mine) {
    OTF2_EvtReader* events = OTF2_Reader_GetEvtReader(reader, l.id);
    if (events == nullptr) continue;
    OTF2_Reader_RegisterEvtCallbacks(reader, events, callbacks, &counted);
    OTF2_Reader_ReadLocalEvents(reader, events, l.events, &read);
    all += read;
    OTF2_Reader_CloseEvtReader(reader, events);
  }
  OTF2_EvtReaderCallbacks_Delete(callbacks);
  OTF2_Reader_CloseEvtFiles(reader);
  return all;
}

// Opens an experiment for a single process; null if there is none.
inline OTF2_Reader* open_archive(const char* experiment) {
  OTF2_Reader* reader = OTF2_Reader_Open((std::string(experiment) + "/traces.otf2").c_str());
  if (reader != nullptr) OTF2_Reader_SetSerialCollectiveCallbacks(reader);
  return reader;
}

}  // namespace latecomer::bench
