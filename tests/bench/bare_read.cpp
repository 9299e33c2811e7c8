// SPDX-License-Identifier: BSD-3-Clause
// bare_read ARCHIVE: measures the cost of reading alone. Each process has local OTF2 readers for
// its share of the locations, applies clock offsets, counts, and does nothing else. Prints the
// number of events.
#include <mpi.h>
#include <otf2/otf2.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

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

OTF2_EvtReaderCallbacks* counting_callbacks() {
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

std::vector<Location> read_locations(OTF2_Reader* reader) {
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

// The locations of this process. All shares are contiguous and have about the same number of
// events.
std::vector<Location> own_share(const std::vector<Location>& all, int rank, int size) {
  std::uint64_t total = 0, before = 0;
  for (const auto& l : all) total += l.events;
  std::vector<Location> mine;
  for (const auto& l : all) {
    const std::uint64_t middle = before + l.events / 2;
    const auto owner = total == 0 ? 0 : middle * static_cast<std::uint64_t>(size) / total;
    if (static_cast<int>(owner) == rank) mine.push_back(l);
    before += l.events;
  }
  return mine;
}

std::uint64_t read_events(OTF2_Reader* reader, const std::vector<Location>& mine) {
  std::uint64_t counted = 0, read = 0;
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
    OTF2_Reader_CloseEvtReader(reader, events);
  }
  OTF2_EvtReaderCallbacks_Delete(callbacks);
  OTF2_Reader_CloseEvtFiles(reader);
  return counted;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  OTF2_Reader* reader =
      argc > 1 ? OTF2_Reader_Open((std::string(argv[1]) + "/traces.otf2").c_str()) : nullptr;
  if (reader == nullptr) {
    if (rank == 0) std::fprintf(stderr, "usage: bare_read EXPERIMENT\n");
    MPI_Finalize();
    return 2;
  }
  OTF2_Reader_SetSerialCollectiveCallbacks(reader);
  const auto mine = own_share(read_locations(reader), rank, size);
  std::uint64_t counted = mine.empty() ? 0 : read_events(reader, mine), total = 0;
  OTF2_Reader_Close(reader);
  MPI_Reduce(&counted, &total, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) std::printf("%llu\n", static_cast<unsigned long long>(total));
  MPI_Finalize();
  return 0;
}
