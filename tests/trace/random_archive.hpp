// SPDX-License-Identifier: BSD-3-Clause
// Archives of one location with random events, and definitions for them.
#pragma once

#include <otf2/otf2.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "analyzer/trace/definitions/definitions.hpp"
#include "patterns/calls/call_kind.hpp"

namespace latecomer::trace::random_archive {

namespace fs = std::filesystem;

inline constexpr std::size_t kChunk = 1 << 18;
inline constexpr std::uint64_t kFirstTick = 1'000;
inline constexpr std::uint32_t kIds = 6;  // defined of each kind; some events name others

// Attributes that the analysis uses, and their types; the archive has others as well.
enum Attribute : std::uint32_t { kAllPositive, kNeighbors, kSeries, kLeftOut, kCalls, kCallTime };
inline constexpr std::uint32_t kUnrecordedAttribute = 6, kOtherAttribute = 10;
inline constexpr std::uint32_t kUnrecorded = 0, kFileCall = 1;  // parameters

inline const char* const kRegions[] = {
    "program",      "flush",    "off",         "main",
    "MPI_Waitall",  "MPI_Test", "MPI_Iprobe",  "MPI_File_read_at",
    "MPI_Win_post", "MPI_Init", "MPI_Finalize"};

// Definitions whose ids equal their index.
inline Definitions definitions() {
  Definitions d;
  d.first_tick = kFirstTick;
  for (const std::string name : kRegions) {
    Region region;
    region.name = name;
    region.mpi = name.starts_with("MPI_");
    region.test = name == "MPI_Test";
    region.probe = name == "MPI_Iprobe";
    region.file_access = name.starts_with("MPI_File");
    region.epoch = patterns::epoch_call(name);
    region.init = name == "MPI_Init";
    region.finalize = name == "MPI_Finalize";
    region.watched = region.mpi;
    region.computation = name == "main" || name == "program";
    d.region_ids.add(d.regions.size());
    d.regions.push_back(region);
  }
  d.flush_region = 1;
  d.off_region = 2;
  d.processes.resize(3);
  d.processes[2].metahost = 1;
  d.metahosts.resize(2);
  for (const std::uint32_t process : {0, 0, 1, 2}) {
    d.locations.push_back({.process = process});
    d.processes[process].locations.push_back(static_cast<std::uint32_t>(d.locations.size() - 1));
  }
  for (std::uint32_t id = 0; id < kIds; ++id) {
    Comm comm;
    comm.members =
        id % 2 == 0 ? std::vector<std::uint32_t>{0, 1, 2} : std::vector<std::uint32_t>{0, 2};
    comm.spans_metahosts = id > 3;
    d.comms.push_back(comm);
    d.comm_ids.add(id);
    d.windows.push_back({.name = "", .comm = id});
    d.window_ids.add(id);
    d.files.push_back({.comm = id});
    d.file_ids.add(id);
    d.groups.push_back({0, 1 + id % 2});
    d.group_ids.add(id);
    d.contexts.push_back({.region = 3 + id, .parent = id == 0 ? kNone : id - 1});
    d.context_ids.add(id);
    d.sample_clocks.push_back({id * 1'000'000, id % 3 == 0});
    d.generator_ids.add(id);
  }
  d.all_positive = kAllPositive;
  d.neighborhood = kNeighbors;
  d.persistent = kSeries;
  d.left_out = kLeftOut;
  d.calls = kCalls;
  d.call_time = kCallTime;
  d.unrecorded = kUnrecorded;
  d.file_call = kFileCall;
  for (std::uint32_t i = 0; i < 4; ++i) d.unrecorded_attributes[i] = kUnrecordedAttribute + i;
  return d;
}

inline OTF2_FlushType flush_always(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) {
  return OTF2_FLUSH;
}
inline OTF2_TimeStamp no_flush_record(void*, OTF2_FileType, OTF2_LocationRef) { return 0; }

inline void check(OTF2_ErrorCode code) {
  if (code != OTF2_SUCCESS) throw std::runtime_error(OTF2_Error_GetDescription(code));
}

// An archive of one location with random events.
class RandomArchive {
 public:
  RandomArchive(const fs::path& directory, std::uint64_t seed, int events) : random_(seed) {
    fs::remove_all(directory);
    OTF2_Archive* archive =
        OTF2_Archive_Open(directory.c_str(), "traces", OTF2_FILEMODE_WRITE, kChunk, kChunk,
                          OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    REQUIRE(archive != nullptr);
    const OTF2_FlushCallbacks flush{flush_always, no_flush_record};
    check(OTF2_Archive_SetFlushCallbacks(archive, &flush, nullptr));
    check(OTF2_Archive_SetSerialCollectiveCallbacks(archive));
    check(OTF2_Archive_OpenEvtFiles(archive));
    writer_ = OTF2_Archive_GetEvtWriter(archive, 0);
    attributes_ = OTF2_AttributeList_New();
    time_ = kFirstTick + below(1'000'000);
    for (int i = 0; i < events; ++i) event();
    OTF2_AttributeList_Delete(attributes_);
    check(OTF2_EvtWriter_GetNumberOfEvents(writer_, &events_));
    check(OTF2_Archive_CloseEvtWriter(archive, writer_));
    check(OTF2_Archive_CloseEvtFiles(archive));
    check(OTF2_Archive_OpenDefFiles(archive));
    OTF2_DefWriter* local = OTF2_Archive_GetDefWriter(archive, 0);
    local_definitions(local);
    check(OTF2_Archive_CloseDefWriter(archive, local));
    check(OTF2_Archive_CloseDefFiles(archive));
    OTF2_GlobalDefWriter* global = OTF2_Archive_GetGlobalDefWriter(archive);
    check(OTF2_GlobalDefWriter_WriteClockProperties(global, 1'000'000'000, 0, time_,
                                                    OTF2_UNDEFINED_TIMESTAMP));
    check(OTF2_GlobalDefWriter_WriteString(global, 0, ""));
    check(
        OTF2_GlobalDefWriter_WriteSystemTreeNode(global, 0, 0, 0, OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    check(OTF2_GlobalDefWriter_WriteLocationGroup(global, 0, 0, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                  OTF2_UNDEFINED_LOCATION_GROUP));
    check(OTF2_GlobalDefWriter_WriteLocation(global, 0, 0, OTF2_LOCATION_TYPE_CPU_THREAD, events_,
                                             0));
    check(OTF2_Archive_CloseGlobalDefWriter(archive, global));
    check(OTF2_Archive_Close(archive));
  }

  [[nodiscard]] std::uint64_t events() const { return events_; }

 private:
  std::uint64_t below(std::uint64_t end) {
    return std::uniform_int_distribution<std::uint64_t>(0, end - 1)(random_);
  }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  // An id that is usually defined, otherwise of any size.
  std::uint32_t id() {
    if (!one_in(30)) return static_cast<std::uint32_t>(below(kIds));
    return one_in(2) ? OTF2_UNDEFINED_UINT32 : static_cast<std::uint32_t>(number());
  }
  std::uint32_t region() {
    return one_in(50) ? id() : static_cast<std::uint32_t>(3 + below(std::size(kRegions) - 3));
  }
  std::uint32_t rank() { return static_cast<std::uint32_t>(below(one_in(20) ? 10 : 2)); }
  std::uint64_t request() { return one_in(50) ? number() : below(5); }
  std::uint64_t number() {
    const std::uint64_t all = (below(std::uint64_t{1} << 32) << 32) | below(std::uint64_t{1} << 32);
    const std::uint64_t bits = below(65);
    return bits == 64 ? all : all & ((std::uint64_t{1} << bits) - 1);
  }
  std::uint32_t short_number() { return static_cast<std::uint32_t>(number()); }
  std::uint8_t small(std::uint64_t end) { return static_cast<std::uint8_t>(below(end)); }

  void local_definitions(OTF2_DefWriter* local) {
    for (const auto type :
         {OTF2_MAPPING_ATTRIBUTE, OTF2_MAPPING_REGION, OTF2_MAPPING_GROUP, OTF2_MAPPING_COMM,
          OTF2_MAPPING_PARAMETER, OTF2_MAPPING_RMA_WIN, OTF2_MAPPING_CALLING_CONTEXT,
          OTF2_MAPPING_IO_HANDLE, OTF2_MAPPING_INTERRUPT_GENERATOR}) {
      if (one_in(2)) continue;
      const bool dense = one_in(2);
      OTF2_IdMap* map = OTF2_IdMap_Create(dense ? OTF2_ID_MAP_DENSE : OTF2_ID_MAP_SPARSE, kIds);
      // Either all ids are mapped, or two are exchanged.
      std::vector<std::uint64_t> to(kIds);
      for (std::uint32_t i = 0; i < kIds; ++i) to[i] = i;
      std::shuffle(to.begin(), to.end(), random_);
      for (std::uint32_t i = 0; i < kIds && dense; ++i) check(OTF2_IdMap_AddIdPair(map, i, to[i]));
      if (!dense) {
        check(OTF2_IdMap_AddIdPair(map, to[0], to[1]));
        check(OTF2_IdMap_AddIdPair(map, to[1], to[0]));
      }
      check(OTF2_DefWriter_WriteMappingTable(local, type, map));
      OTF2_IdMap_Free(map);
    }
    std::uint64_t at = below(2 * time_);
    for (std::uint64_t left = below(5); left > 0; --left) {
      const auto offset = static_cast<std::int64_t>(below(2'000'000)) - 1'000'000;
      check(OTF2_DefWriter_WriteClockOffset(local, at, offset, 0));
      // Offsets are so far apart that time does not go back.
      at += 3'000'000 + below(one_in(2) ? 100'000 : 100'000'000'000);
    }
  }

  void add_attributes() {
    if (!one_in(5)) return;
    const auto add = [&](auto call, std::uint32_t attribute, auto value) {
      if (one_in(2)) check(call(attributes_, attribute, value));
    };
    add(OTF2_AttributeList_AddUint8, kAllPositive, small(2));
    add(OTF2_AttributeList_AddUint8, kNeighbors, small(3));
    add(OTF2_AttributeList_AddUint32, kSeries, short_number());
    if (one_in(3)) {
      add(OTF2_AttributeList_AddUint16, kLeftOut, std::uint16_t{1});  // with another type
    } else {
      add(OTF2_AttributeList_AddUint8, kLeftOut, small(2));
    }
    add(OTF2_AttributeList_AddUint64, kCalls, below(100));
    add(OTF2_AttributeList_AddUint64, kCallTime, below(1000));
    for (std::uint32_t i = 0; i < 4; ++i) {
      add(OTF2_AttributeList_AddUint32, kUnrecordedAttribute + i,
          i == 0 ? static_cast<std::uint32_t>(below(9)) : id());
    }
    add(OTF2_AttributeList_AddStringRef, kOtherAttribute, short_number());
    add(OTF2_AttributeList_AddDouble, kOtherAttribute + 1, 1.5);
    add(OTF2_AttributeList_AddFloat, kOtherAttribute + 2, 1.5F);
    add(OTF2_AttributeList_AddInt64, kOtherAttribute + 3, static_cast<std::int64_t>(number()));
    add(OTF2_AttributeList_AddInt16, kOtherAttribute + 4, static_cast<std::int16_t>(number()));
    add(OTF2_AttributeList_AddLocationRef, kOtherAttribute + 5, number());
  }

  // OTF2_EvtWriter_*(writer, attributes, time, arguments...).
  template <typename F, typename... A>
  void put(F write, A... arguments) {
    check(write(writer_, attributes_, time_, arguments...));
    OTF2_AttributeList_RemoveAllAttributes(attributes_);
  }

  void event() {
    if (!one_in(4)) time_ += below(one_in(10) ? 10'000'000 : 1'000);
    add_attributes();
    const std::uint64_t kind = below(100);
    if (kind < 25) return put(OTF2_EvtWriter_Enter, region());
    if (kind < 48) return put(OTF2_EvtWriter_Leave, region());
    if (kind < 68) return message();
    if (kind < 78) return collective();
    if (kind < 86) return one_sided();
    if (kind < 92) return file();
    return other();
  }
  void message() {
    switch (below(7)) {
      case 0:
        return put(OTF2_EvtWriter_MpiSend, rank(), id(), short_number(), number());
      case 1:
        return put(OTF2_EvtWriter_MpiRecv, rank(), id(), short_number(), number());
      case 2:
        return put(OTF2_EvtWriter_MpiIsend, rank(), id(), short_number(), number(), request());
      case 3:
        return put(OTF2_EvtWriter_MpiIsendComplete, request());
      case 4:
        return put(OTF2_EvtWriter_MpiIrecvRequest, request());
      case 5:
        return put(OTF2_EvtWriter_MpiIrecv, rank(), id(), short_number(), number(), request());
      default:
        return put(OTF2_EvtWriter_MpiRequestCancelled, request());
    }
  }
  void collective() {
    const OTF2_CollectiveOp operation =
        one_in(3) ? OTF2_CollectiveOp{OTF2_COLLECTIVE_OP_ALLTOALLV} : small(256);
    switch (below(4)) {
      case 0:
        return put(OTF2_EvtWriter_MpiCollectiveBegin);
      case 1:
        return put(OTF2_EvtWriter_MpiCollectiveEnd, operation, id(), rank(), number(), number());
      case 2:
        return put(OTF2_EvtWriter_NonBlockingCollectiveRequest, request());
      default:
        return put(OTF2_EvtWriter_NonBlockingCollectiveComplete, operation, id(), rank(), number(),
                   number(), request());
    }
  }
  void one_sided() {
    switch (below(10)) {
      case 0:
        return put(OTF2_EvtWriter_RmaCollectiveBegin);
      case 1:
        return put(OTF2_EvtWriter_RmaCollectiveEnd, small(256), OTF2_RmaSyncLevel(below(4)), id(),
                   rank(), number(), number());
      case 2:
        return put(OTF2_EvtWriter_RmaGroupSync, OTF2_RmaSyncLevel(below(4)), id(), id());
      case 3:
        return put(OTF2_EvtWriter_RmaRequestLock, id(), rank(), number(), small(2));
      case 4:
        return put(OTF2_EvtWriter_RmaReleaseLock, id(), rank(), number());
      case 5:
        return put(OTF2_EvtWriter_RmaPut, id(), rank(), number(), request());
      case 6:
        return put(OTF2_EvtWriter_RmaGet, id(), rank(), number(), request());
      case 7:
        return put(OTF2_EvtWriter_RmaAtomic, id(), rank(), small(8), number(), number(), request());
      case 8:
        return put(OTF2_EvtWriter_RmaOpCompleteBlocking, id(), request());  // is ignored
      default:
        return put(OTF2_EvtWriter_RmaOpCompleteRemote, id(), request());
    }
  }
  void file() {
    switch (below(5)) {
      case 0:
        return put(OTF2_EvtWriter_IoCreateHandle, id(), small(3), OTF2_IoCreationFlag(number()),
                   OTF2_IoStatusFlag(number()));
      case 1:
        return put(OTF2_EvtWriter_IoDestroyHandle, id());
      case 2:
        return put(OTF2_EvtWriter_IoOperationBegin, id(), small(3), OTF2_IoOperationFlag(below(4)),
                   number(), request());
      case 3:
        return put(OTF2_EvtWriter_IoOperationComplete, id(), number(), request());
      default:
        return put(OTF2_EvtWriter_IoOperationCancelled, id(), request());
    }
  }
  void other() {
    switch (below(18)) {
      case 0:
        return put(OTF2_EvtWriter_MeasurementOnOff,
                   one_in(2) ? OTF2_MEASUREMENT_ON : OTF2_MEASUREMENT_OFF);
      case 1:
        return put(OTF2_EvtWriter_BufferFlush, time_ + below(2'000));
      case 2:
      case 3:
        return put(OTF2_EvtWriter_ParameterUnsignedInt, id(), number());
      case 4:
        return put(OTF2_EvtWriter_ParameterInt, id(), static_cast<std::int64_t>(number()));
      case 5:
        return put(OTF2_EvtWriter_ThreadFork, OTF2_Paradigm{3}, short_number());
      case 6:
        return put(OTF2_EvtWriter_ThreadJoin, OTF2_Paradigm{3});
      case 7:
        return put(OTF2_EvtWriter_ThreadTeamBegin, id());
      case 8:
        return put(OTF2_EvtWriter_ThreadTeamEnd, id());
      case 9:
        return put(OTF2_EvtWriter_ThreadAcquireLock, OTF2_Paradigm{3}, id(), short_number());
      case 10:
        return put(OTF2_EvtWriter_ThreadReleaseLock, OTF2_Paradigm{3}, id(), short_number());
      case 11:
        return put(OTF2_EvtWriter_CallingContextEnter, id(), static_cast<std::uint32_t>(below(4)));
      case 12:
        return put(OTF2_EvtWriter_CallingContextLeave, id());
      case 13:
        return put(OTF2_EvtWriter_CallingContextSample, id(), static_cast<std::uint32_t>(below(4)),
                   OTF2_InterruptGeneratorRef{id()});
      case 14:
        return put(OTF2_EvtWriter_ThreadEnd, OTF2_CommRef{id()}, number());
      case 15:
        return put(OTF2_EvtWriter_CommCreate, id());
      case 16:
        return put(OTF2_EvtWriter_ProgramEnd, static_cast<std::int64_t>(number()));
      default: {
        std::vector<OTF2_StringRef> words(below(300), 12345);
        return put(OTF2_EvtWriter_ProgramBegin, OTF2_StringRef{1},
                   static_cast<std::uint32_t>(words.size()), words.data());
      }
    }
  }

  std::mt19937_64 random_;
  OTF2_EvtWriter* writer_ = nullptr;
  OTF2_AttributeList* attributes_ = nullptr;
  std::uint64_t time_ = 0, events_ = 0;
};

}  // namespace latecomer::trace::random_archive
