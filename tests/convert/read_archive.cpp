// SPDX-License-Identifier: BSD-3-Clause
// Callbacks of OTF2 that print definitions and events into vectors.
#include "tests/convert/read_archive.hpp"

#include <otf2/otf2.h>

#include <array>
#include <cstdarg>
#include <cstdio>
#include <stdexcept>

#include "tracer/convert/definitions/global_definitions.hpp"

namespace latecomer::test {
namespace {

struct Names {
  ReadArchive archive;
  std::map<OTF2_StringRef, std::string> strings;
  std::map<OTF2_RegionRef, std::string> regions;
  std::map<OTF2_CommRef, std::string> comms;
  std::map<OTF2_SourceCodeLocationRef, std::string> lines;
  std::map<OTF2_CallingContextRef, std::string> contexts;
  std::map<OTF2_InterruptGeneratorRef, std::string> generators;
  std::map<OTF2_MetricMemberRef, std::string> members;
  std::map<OTF2_MetricRef, std::string> metrics;  // the members of a class, with commas

  std::string text(OTF2_StringRef id) const {
    if (id == OTF2_UNDEFINED_STRING) return "-";
    const auto found = strings.find(id);
    return found == strings.end() ? "undefined string" : found->second;
  }
};

std::string id_text(std::uint32_t id) {
  return id == OTF2_UNDEFINED_UINT32 ? "-" : std::to_string(id);
}

Names& names(void* data) { return *static_cast<Names*>(data); }

OTF2_CallbackCode clock(void* data, std::uint64_t, std::uint64_t begin, std::uint64_t length,
                        std::uint64_t wall) {
  names(data).archive.begin = begin;
  names(data).archive.length = length;
  names(data).archive.wall = wall;
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode string(void* data, OTF2_StringRef id, const char* text) {
  names(data).strings[id] = text;
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode node(void* data, OTF2_SystemTreeNodeRef id, OTF2_StringRef name,
                       OTF2_StringRef kind, OTF2_SystemTreeNodeRef parent) {
  auto& n = names(data);
  n.archive.nodes.push_back(std::to_string(id) + ": " + n.text(kind) + " " + n.text(name) + "|" +
                            id_text(parent));
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode node_property(void* data, OTF2_SystemTreeNodeRef id, OTF2_StringRef, OTF2_Type,
                                OTF2_AttributeValue value) {
  names(data).archive.nodes.at(id) += "|" + std::to_string(value.uint64);
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode process(void* data, OTF2_LocationGroupRef id, OTF2_StringRef name,
                          OTF2_LocationGroupType type, OTF2_SystemTreeNodeRef parent,
                          OTF2_LocationGroupRef creator) {
  auto& n = names(data);
  n.archive.processes.push_back(std::to_string(id) + ": " + n.text(name) + "|" + id_text(parent));
  if (type == OTF2_LOCATION_GROUP_TYPE_ACCELERATOR) {
    n.archive.processes.back() += "|" + id_text(creator);
  }
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode process_property(void* data, OTF2_LocationGroupRef id, OTF2_StringRef name,
                                   OTF2_Type type, OTF2_AttributeValue value) {
  auto& n = names(data);
  n.archive.process_properties.push_back(
      std::to_string(id) + " " + n.text(name) + " " +
      (type == OTF2_TYPE_STRING ? n.text(value.stringRef) : std::to_string(value.uint64)));
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode location(void* data, OTF2_LocationRef id, OTF2_StringRef name,
                           OTF2_LocationType type, std::uint64_t events,
                           OTF2_LocationGroupRef group) {
  auto& n = names(data);
  n.archive.locations.push_back({id, n.text(name), group, type, events, {}});
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode region(void* data, OTF2_RegionRef id, OTF2_StringRef name,
                         OTF2_StringRef canonical, OTF2_StringRef, OTF2_RegionRole role,
                         OTF2_Paradigm paradigm, OTF2_RegionFlag, OTF2_StringRef file,
                         std::uint32_t first, std::uint32_t last) {
  auto& n = names(data);
  n.regions[id] = n.text(name);
  n.archive.regions.push_back(std::to_string(id) + ": " + n.text(name) + "|" + n.text(canonical) +
                              "|" + std::to_string(role) + "|" + std::to_string(paradigm) + "|" +
                              n.text(file) + "|" + std::to_string(first) + "-" +
                              std::to_string(last));
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode source_line(void* data, OTF2_SourceCodeLocationRef id, OTF2_StringRef file,
                              std::uint32_t line) {
  names(data).lines[id] = names(data).text(file) + ":" + std::to_string(line);
  return OTF2_CALLBACK_SUCCESS;
}

// "main a.c:3 > f b.c:5"; a parent comes before its children.
OTF2_CallbackCode context(void* data, OTF2_CallingContextRef id, OTF2_RegionRef region,
                          OTF2_SourceCodeLocationRef line, OTF2_CallingContextRef parent) {
  auto& n = names(data);
  std::string text = parent == OTF2_UNDEFINED_CALLING_CONTEXT ? "" : n.contexts.at(parent) + " > ";
  text += n.regions.at(region);
  if (line != OTF2_UNDEFINED_SOURCE_CODE_LOCATION) text += " " + n.lines.at(line);
  n.contexts[id] = text;
  n.archive.contexts = n.contexts.size();
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode generator(void* data, OTF2_InterruptGeneratorRef id, OTF2_StringRef name,
                            OTF2_InterruptGeneratorMode, OTF2_Base, std::int64_t exponent,
                            std::uint64_t period) {
  names(data).generators[id] =
      names(data).text(name) + " " + std::to_string(period) + "e" + std::to_string(exponent);
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode metric_member(void* data, OTF2_MetricMemberRef id, OTF2_StringRef name,
                                OTF2_StringRef, OTF2_MetricType, OTF2_MetricMode, OTF2_Type,
                                OTF2_Base, std::int64_t, OTF2_StringRef) {
  names(data).members[id] = names(data).text(name);
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode metric_class(void* data, OTF2_MetricRef id, std::uint8_t count,
                               const OTF2_MetricMemberRef* members, OTF2_MetricOccurrence,
                               OTF2_RecorderKind) {
  std::string& text = names(data).metrics[id];
  for (std::uint8_t i = 0; i < count; ++i) {
    text += (i == 0 ? "" : ", ") + names(data).members.at(members[i]);
  }
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode group(void* data, OTF2_GroupRef id, OTF2_StringRef, OTF2_GroupType type,
                        OTF2_Paradigm, OTF2_GroupFlag, std::uint32_t count,
                        const std::uint64_t* members) {
  std::string line = std::to_string(id) + ": ";
  line += type == OTF2_GROUP_TYPE_COMM_LOCATIONS ? "locations"
          : type == OTF2_GROUP_TYPE_COMM_SELF    ? "self"
                                                 : "members";
  for (std::uint32_t i = 0; i < count; ++i) line += " " + std::to_string(members[i]);
  names(data).archive.groups.push_back(line);
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode comm(void* data, OTF2_CommRef id, OTF2_StringRef name, OTF2_GroupRef group,
                       OTF2_CommRef parent, OTF2_CommFlag flags) {
  auto& n = names(data);
  n.comms[id] = n.text(name).empty() ? "comm" + std::to_string(id) : n.text(name);
  n.archive.comms.push_back(std::to_string(id) + ": " + n.text(name) + "|" + id_text(group) + "|" +
                            id_text(parent) + "|" + std::to_string(flags));
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode inter(void* data, OTF2_CommRef id, OTF2_StringRef name, OTF2_GroupRef a,
                        OTF2_GroupRef b, OTF2_CommRef common, OTF2_CommFlag) {
  auto& n = names(data);
  n.comms[id] = n.text(name).empty() ? "comm" + std::to_string(id) : n.text(name);
  n.archive.comms.push_back(std::to_string(id) + ": " + n.text(name) + "|" + id_text(a) + "," +
                            id_text(b) + "|" + id_text(common));
  return OTF2_CALLBACK_SUCCESS;
}

// Callbacks for the events of the location that is being read.
std::string number(std::uint64_t n) { return std::to_string(n); }

struct Events {
  const Names* names;
  std::vector<std::string>* lines;

  OTF2_CallbackCode add(OTF2_TimeStamp time, const std::string& text) const {
    lines->push_back(std::to_string(time) + " " + text);
    return OTF2_CALLBACK_SUCCESS;
  }
  std::string region(OTF2_RegionRef id) const {
    const auto found = names->regions.find(id);
    return found == names->regions.end() ? "undefined region" : found->second;
  }
  std::string comm(OTF2_CommRef id) const {
    const auto found = names->comms.find(id);
    return found == names->comms.end() ? "undefined comm" : found->second;
  }
};

const Events& events(void* data) { return *static_cast<const Events*>(data); }

std::string message(const Events& e, std::uint32_t peer, OTF2_CommRef comm, std::uint32_t tag,
                    std::uint64_t bytes) {
  return std::to_string(peer) + " " + e.comm(comm) + " tag " + std::to_string(tag) + " bytes " +
         std::to_string(bytes);
}

std::string collective(const Events& e, OTF2_CollectiveOp op, OTF2_CommRef comm, std::uint32_t root,
                       std::uint64_t sent, std::uint64_t received) {
  return std::to_string(op) + " " + e.comm(comm) + " root " +
         std::to_string(static_cast<std::int32_t>(root)) + " bytes " + std::to_string(sent) + " " +
         std::to_string(received);
}

std::string request(std::uint64_t id) { return " request " + std::to_string(id); }

using Time = OTF2_TimeStamp;
using Place = OTF2_LocationRef;
using Position = std::uint64_t;
using List = OTF2_AttributeList;

template <typename Set, typename Function>
void on(OTF2_EvtReaderCallbacks* callbacks, Set set, Function function) {
  set(callbacks, function);
}

void set_event_callbacks(OTF2_EvtReaderCallbacks* c) {
  on(c, OTF2_EvtReaderCallbacks_SetEnterCallback,
     [](Place, Time t, Position, void* d, List*, OTF2_RegionRef r) {
       return events(d).add(t, "Enter " + events(d).region(r));
     });
  on(c, OTF2_EvtReaderCallbacks_SetLeaveCallback,
     [](Place, Time t, Position, void* d, List* list, OTF2_RegionRef r) {
       std::uint64_t calls = 0, time = 0;
       const bool row =
           OTF2_AttributeList_TestAttributeByID(list, latecomer::convert::kCallsAttribute);
       if (row) {
         OTF2_AttributeList_GetUint64(list, latecomer::convert::kCallsAttribute, &calls);
         OTF2_AttributeList_GetUint64(list, latecomer::convert::kCallTimeAttribute, &time);
       }
       return events(d).add(
           t, "Leave " + events(d).region(r) +
                  (row ? " calls " + std::to_string(calls) + " time " + std::to_string(time) : ""));
     });
  on(c, OTF2_EvtReaderCallbacks_SetThreadForkCallback,
     [](Place, Time t, Position, void* d, List*, OTF2_Paradigm, std::uint32_t threads) {
       return events(d).add(t, "ThreadFork " + number(threads));
     });
  on(c, OTF2_EvtReaderCallbacks_SetThreadJoinCallback,
     [](Place, Time t, Position, void* d, List*, OTF2_Paradigm) {
       return events(d).add(t, "ThreadJoin");
     });
  on(c, OTF2_EvtReaderCallbacks_SetThreadTeamBeginCallback,
     [](Place, Time t, Position, void* d, List*, OTF2_CommRef comm) {
       return events(d).add(t, "ThreadTeamBegin " + events(d).comm(comm));
     });
  on(c, OTF2_EvtReaderCallbacks_SetThreadTeamEndCallback,
     [](Place, Time t, Position, void* d, List*, OTF2_CommRef comm) {
       return events(d).add(t, "ThreadTeamEnd " + events(d).comm(comm));
     });
  on(c, OTF2_EvtReaderCallbacks_SetThreadAcquireLockCallback,
     [](Place, Time t, Position, void* d, List*, OTF2_Paradigm, std::uint32_t lock,
        std::uint32_t order) {
       return events(d).add(t, "ThreadAcquireLock " + number(lock) + " order " + number(order));
     });
  on(c, OTF2_EvtReaderCallbacks_SetThreadReleaseLockCallback,
     [](Place, Time t, Position, void* d, List*, OTF2_Paradigm, std::uint32_t lock,
        std::uint32_t order) {
       return events(d).add(t, "ThreadReleaseLock " + number(lock) + " order " + number(order));
     });
  on(c, OTF2_EvtReaderCallbacks_SetThreadCreateCallback,
     [](Place, Time t, Position, void* d, List*, OTF2_CommRef comm, std::uint64_t thread) {
       return events(d).add(t, "ThreadCreate " + events(d).comm(comm) + " " + number(thread));
     });
  on(c, OTF2_EvtReaderCallbacks_SetThreadBeginCallback,
     [](Place, Time t, Position, void* d, List*, OTF2_CommRef comm, std::uint64_t thread) {
       return events(d).add(t, "ThreadBegin " + events(d).comm(comm) + " " + number(thread));
     });
  on(c, OTF2_EvtReaderCallbacks_SetThreadWaitCallback,
     [](Place, Time t, Position, void* d, List*, OTF2_CommRef comm, std::uint64_t thread) {
       return events(d).add(t, "ThreadWait " + events(d).comm(comm) + " " + number(thread));
     });
  on(c, OTF2_EvtReaderCallbacks_SetThreadEndCallback,
     [](Place, Time t, Position, void* d, List*, OTF2_CommRef comm, std::uint64_t thread) {
       return events(d).add(t, "ThreadEnd " + events(d).comm(comm) + " " + number(thread));
     });
  on(c, OTF2_EvtReaderCallbacks_SetBufferFlushCallback,
     [](Place, Time t, Position, void* d, List*, OTF2_TimeStamp stop) {
       return events(d).add(t, "BufferFlush until " + std::to_string(stop));
     });
  on(c, OTF2_EvtReaderCallbacks_SetMpiSendCallback,
     [](Place, Time t, Position, void* d, List*, std::uint32_t peer, OTF2_CommRef comm,
        std::uint32_t tag, std::uint64_t bytes) {
       return events(d).add(t, "MpiSend " + message(events(d), peer, comm, tag, bytes));
     });
  on(c, OTF2_EvtReaderCallbacks_SetMpiRecvCallback,
     [](Place, Time t, Position, void* d, List*, std::uint32_t peer, OTF2_CommRef comm,
        std::uint32_t tag, std::uint64_t bytes) {
       return events(d).add(t, "MpiRecv " + message(events(d), peer, comm, tag, bytes));
     });
  on(c, OTF2_EvtReaderCallbacks_SetMpiIsendCallback,
     [](Place, Time t, Position, void* d, List*, std::uint32_t peer, OTF2_CommRef comm,
        std::uint32_t tag, std::uint64_t bytes, std::uint64_t id) {
       return events(d).add(t,
                            "MpiIsend " + message(events(d), peer, comm, tag, bytes) + request(id));
     });
  on(c, OTF2_EvtReaderCallbacks_SetMpiIrecvCallback,
     [](Place, Time t, Position, void* d, List*, std::uint32_t peer, OTF2_CommRef comm,
        std::uint32_t tag, std::uint64_t bytes, std::uint64_t id) {
       return events(d).add(t,
                            "MpiIrecv " + message(events(d), peer, comm, tag, bytes) + request(id));
     });
  on(c, OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback,
     [](Place, Time t, Position, void* d, List*, std::uint64_t id) {
       return events(d).add(t, "MpiIsendComplete" + request(id));
     });
  on(c, OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback,
     [](Place, Time t, Position, void* d, List*, std::uint64_t id) {
       return events(d).add(t, "MpiIrecvRequest" + request(id));
     });
  on(c, OTF2_EvtReaderCallbacks_SetMpiRequestTestCallback,
     [](Place, Time t, Position, void* d, List*, std::uint64_t id) {
       return events(d).add(t, "MpiRequestTest" + request(id));
     });
  on(c, OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback,
     [](Place, Time t, Position, void* d, List*, std::uint64_t id) {
       return events(d).add(t, "MpiRequestCancelled" + request(id));
     });
  on(c, OTF2_EvtReaderCallbacks_SetMpiCollectiveBeginCallback,
     [](Place, Time t, Position, void* d, List*) {
       return events(d).add(t, "MpiCollectiveBegin");
     });
  on(c, OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback,
     [](Place, Time t, Position, void* d, List*, OTF2_CollectiveOp op, OTF2_CommRef comm,
        std::uint32_t root, std::uint64_t sent, std::uint64_t received) {
       return events(d).add(
           t, "MpiCollectiveEnd " + collective(events(d), op, comm, root, sent, received));
     });
  on(c, OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback,
     [](Place, Time t, Position, void* d, List*, std::uint64_t id) {
       return events(d).add(t, "NonBlockingCollectiveRequest" + request(id));
     });
  on(c, OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback,
     [](Place, Time t, Position, void* d, List*, OTF2_CollectiveOp op, OTF2_CommRef comm,
        std::uint32_t root, std::uint64_t sent, std::uint64_t received, std::uint64_t id) {
       return events(d).add(t, "NonBlockingCollectiveComplete " +
                                   collective(events(d), op, comm, root, sent, received) +
                                   request(id));
     });
  on(c, OTF2_EvtReaderCallbacks_SetIoCreateHandleCallback,
     [](Place, Time t, Position, void* d, List*, OTF2_IoHandleRef handle, OTF2_IoAccessMode mode,
        OTF2_IoCreationFlag creation, OTF2_IoStatusFlag status) {
       return events(d).add(t, "IoCreateHandle " + number(handle) + " mode " + number(mode) +
                                   " creation " + number(creation) + " status " + number(status));
     });
  on(c, OTF2_EvtReaderCallbacks_SetIoDestroyHandleCallback,
     [](Place, Time t, Position, void* d, List*, OTF2_IoHandleRef handle) {
       return events(d).add(t, "IoDestroyHandle " + number(handle));
     });
  on(c, OTF2_EvtReaderCallbacks_SetParameterUnsignedIntCallback,
     [](Place, Time t, Position, void* d, List*, OTF2_ParameterRef parameter, std::uint64_t value) {
       return events(d).add(t, "Parameter " + number(parameter) + " is " + std::to_string(value));
     });
  on(c, OTF2_EvtReaderCallbacks_SetIoDeleteFileCallback,
     [](Place, Time t, Position, void* d, List*, OTF2_IoParadigmRef paradigm, OTF2_IoFileRef file) {
       return events(d).add(t, "IoDeleteFile " + number(paradigm) + " " + number(file));
     });
  on(c, OTF2_EvtReaderCallbacks_SetIoOperationBeginCallback,
     [](Place, Time t, Position, void* d, List*, OTF2_IoHandleRef handle, OTF2_IoOperationMode mode,
        OTF2_IoOperationFlag flags, std::uint64_t bytes, std::uint64_t id) {
       return events(d).add(t, "IoOperationBegin " + number(handle) + " mode " + number(mode) +
                                   " flags " + number(flags) + " bytes " + std::to_string(bytes) +
                                   request(id));
     });
  on(c, OTF2_EvtReaderCallbacks_SetIoOperationIssuedCallback,
     [](Place, Time t, Position, void* d, List*, OTF2_IoHandleRef handle, std::uint64_t id) {
       return events(d).add(t, "IoOperationIssued " + number(handle) + request(id));
     });
  on(c, OTF2_EvtReaderCallbacks_SetIoOperationCompleteCallback,
     [](Place, Time t, Position, void* d, List*, OTF2_IoHandleRef handle, std::uint64_t bytes,
        std::uint64_t id) {
       return events(d).add(t, "IoOperationComplete " + number(handle) + " bytes " +
                                   std::to_string(bytes) + request(id));
     });
  on(c, OTF2_EvtReaderCallbacks_SetIoSeekCallback,
     [](Place, Time t, Position, void* d, List*, OTF2_IoHandleRef handle, std::int64_t offset,
        OTF2_IoSeekOption from, std::uint64_t now) {
       return events(d).add(t, "IoSeek " + number(handle) + " by " + std::to_string(offset) +
                                   " from " + number(from) + " to " + std::to_string(now));
     });
  on(c, OTF2_EvtReaderCallbacks_SetCommCreateCallback,
     [](Place, Time t, Position, void* d, List*, OTF2_CommRef comm) {
       return events(d).add(t, "CommCreate " + events(d).comm(comm));
     });
  on(c, OTF2_EvtReaderCallbacks_SetCommDestroyCallback,
     [](Place, Time t, Position, void* d, List*, OTF2_CommRef comm) {
       return events(d).add(t, "CommDestroy " + events(d).comm(comm));
     });
  on(c, OTF2_EvtReaderCallbacks_SetRmaWinCreateCallback,
     [](Place, Time t, Position, void* d, List*, OTF2_RmaWinRef win) {
       return events(d).add(t, "RmaWinCreate " + number(win));
     });
  on(c, OTF2_EvtReaderCallbacks_SetRmaWinDestroyCallback,
     [](Place, Time t, Position, void* d, List*, OTF2_RmaWinRef win) {
       return events(d).add(t, "RmaWinDestroy " + number(win));
     });
  on(c, OTF2_EvtReaderCallbacks_SetRmaCollectiveBeginCallback,
     [](Place, Time t, Position, void* d, List*) {
       return events(d).add(t, "RmaCollectiveBegin");
     });
  on(c, OTF2_EvtReaderCallbacks_SetRmaCollectiveEndCallback,
     [](Place, Time t, Position, void* d, List*, OTF2_CollectiveOp op, OTF2_RmaSyncLevel level,
        OTF2_RmaWinRef win, std::uint32_t, std::uint64_t, std::uint64_t) {
       return events(d).add(
           t, "RmaCollectiveEnd " + number(win) + " op " + number(op) + " level " + number(level));
     });
  on(c, OTF2_EvtReaderCallbacks_SetRmaGroupSyncCallback,
     [](Place, Time t, Position, void* d, List*, OTF2_RmaSyncLevel level, OTF2_RmaWinRef win,
        OTF2_GroupRef group) {
       return events(d).add(t, "RmaGroupSync " + number(win) + " level " + number(level) +
                                   " group " + number(group));
     });
  on(c, OTF2_EvtReaderCallbacks_SetRmaRequestLockCallback,
     [](Place, Time t, Position, void* d, List*, OTF2_RmaWinRef win, std::uint32_t target,
        std::uint64_t, OTF2_LockType type) {
       return events(d).add(t, "RmaRequestLock " + number(win) + " of " + number(target) +
                                   (type == OTF2_LOCK_SHARED ? " shared" : " exclusive"));
     });
  on(c, OTF2_EvtReaderCallbacks_SetRmaReleaseLockCallback,
     [](Place, Time t, Position, void* d, List*, OTF2_RmaWinRef win, std::uint32_t target,
        std::uint64_t) {
       return events(d).add(t, "RmaReleaseLock " + number(win) + " of " + number(target));
     });
  on(c, OTF2_EvtReaderCallbacks_SetRmaSyncCallback,
     [](Place, Time t, Position, void* d, List*, OTF2_RmaWinRef win, std::uint32_t target,
        OTF2_RmaSyncType) {
       return events(d).add(t, "RmaSync " + number(win) + " of " + number(target));
     });
  on(c, OTF2_EvtReaderCallbacks_SetRmaPutCallback,
     [](Place, Time t, Position, void* d, List*, OTF2_RmaWinRef win, std::uint32_t target,
        std::uint64_t bytes, std::uint64_t id) {
       return events(d).add(t, "RmaPut " + number(win) + " to " + number(target) + " bytes " +
                                   number(bytes) + " matching " + number(id));
     });
  on(c, OTF2_EvtReaderCallbacks_SetRmaGetCallback,
     [](Place, Time t, Position, void* d, List*, OTF2_RmaWinRef win, std::uint32_t target,
        std::uint64_t bytes, std::uint64_t id) {
       return events(d).add(t, "RmaGet " + number(win) + " from " + number(target) + " bytes " +
                                   number(bytes) + " matching " + number(id));
     });
  on(c, OTF2_EvtReaderCallbacks_SetRmaAtomicCallback,
     [](Place, Time t, Position, void* d, List*, OTF2_RmaWinRef win, std::uint32_t target,
        OTF2_RmaAtomicType type, std::uint64_t sent, std::uint64_t received, std::uint64_t id) {
       return events(d).add(t, "RmaAtomic " + number(win) + " at " + number(target) + " type " +
                                   number(type) + " bytes " + number(sent) + " " +
                                   number(received) + " matching " + number(id));
     });
  on(c, OTF2_EvtReaderCallbacks_SetRmaOpCompleteNonBlockingCallback,
     [](Place, Time t, Position, void* d, List*, OTF2_RmaWinRef win, std::uint64_t id) {
       return events(d).add(t,
                            "RmaOpCompleteNonBlocking " + number(win) + " matching " + number(id));
     });
  on(c, OTF2_EvtReaderCallbacks_SetRmaOpCompleteRemoteCallback,
     [](Place, Time t, Position, void* d, List*, OTF2_RmaWinRef win, std::uint64_t id) {
       return events(d).add(t, "RmaOpCompleteRemote " + number(win) + " matching " + number(id));
     });
  on(c, OTF2_EvtReaderCallbacks_SetMeasurementOnOffCallback,
     [](Place, Time t, Position, void* d, List*, OTF2_MeasurementMode mode) {
       return events(d).add(t, mode == OTF2_MEASUREMENT_ON ? "MeasurementOn" : "MeasurementOff");
     });
  on(c, OTF2_EvtReaderCallbacks_SetProgramBeginCallback,
     [](Place, Time t, Position, void* d, List*, OTF2_StringRef name, std::uint32_t count,
        const OTF2_StringRef* arguments) {
       std::string text = "ProgramBegin " + events(d).names->text(name);
       for (std::uint32_t i = 0; i < count; ++i) {
         text += " " + events(d).names->text(arguments[i]);
       }
       return events(d).add(t, text);
     });
  on(c, OTF2_EvtReaderCallbacks_SetProgramEndCallback,
     [](Place, Time t, Position, void* d, List*, std::int64_t) {
       return events(d).add(t, "ProgramEnd");
     });
  on(c, OTF2_EvtReaderCallbacks_SetCallingContextSampleCallback,
     [](Place, Time t, Position, void* d, List*, OTF2_CallingContextRef where, std::uint32_t,
        OTF2_InterruptGeneratorRef period) {
       const Names& n = *events(d).names;
       return events(d).add(
           t, "Sample " + n.contexts.at(where) + " (" + n.generators.at(period) + ")");
     });
  on(c, OTF2_EvtReaderCallbacks_SetMetricCallback,
     [](Place, Time t, Position, void* d, List*, OTF2_MetricRef metric, std::uint8_t count,
        const OTF2_Type*, const OTF2_MetricValue* values) {
       std::string text = "Metric " + events(d).names->metrics.at(metric);
       for (std::uint8_t i = 0; i < count; ++i) {
         text += " " + std::to_string(values[i].unsigned_int);
       }
       return events(d).add(t, text);
     });
  on(c, OTF2_EvtReaderCallbacks_SetUnknownCallback,
     [](Place, Time t, Position, void* d, List*) { return events(d).add(t, "unknown"); });
}

OTF2_ErrorCode note_error(void* data, const char*, std::uint64_t, const char*, OTF2_ErrorCode code,
                          const char* format, va_list arguments) {
  std::array<char, 1024> text{};
  std::vsnprintf(text.data(), text.size(), format, arguments);
  static_cast<std::vector<std::string>*>(data)->emplace_back(text.data());
  return code;
}

void read_definitions(OTF2_Reader* reader, Names& n) {
  OTF2_GlobalDefReader* definitions = OTF2_Reader_GetGlobalDefReader(reader);
  OTF2_GlobalDefReaderCallbacks* c = OTF2_GlobalDefReaderCallbacks_New();
  OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(c, clock);
  OTF2_GlobalDefReaderCallbacks_SetStringCallback(c, string);
  OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(c, node);
  OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodePropertyCallback(c, node_property);
  OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(c, process);
  OTF2_GlobalDefReaderCallbacks_SetLocationGroupPropertyCallback(c, process_property);
  OTF2_GlobalDefReaderCallbacks_SetLocationCallback(c, location);
  OTF2_GlobalDefReaderCallbacks_SetRegionCallback(c, region);
  OTF2_GlobalDefReaderCallbacks_SetSourceCodeLocationCallback(c, source_line);
  OTF2_GlobalDefReaderCallbacks_SetCallingContextCallback(c, context);
  OTF2_GlobalDefReaderCallbacks_SetInterruptGeneratorCallback(c, generator);
  OTF2_GlobalDefReaderCallbacks_SetMetricMemberCallback(c, metric_member);
  OTF2_GlobalDefReaderCallbacks_SetMetricClassCallback(c, metric_class);
  OTF2_GlobalDefReaderCallbacks_SetGroupCallback(c, group);
  OTF2_GlobalDefReaderCallbacks_SetCommCallback(c, comm);
  OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(c, inter);
  OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, c, &n);
  OTF2_GlobalDefReaderCallbacks_Delete(c);
  std::uint64_t count = 0;
  OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &count);
  OTF2_Reader_CloseGlobalDefReader(reader, definitions);
}

void read_events(OTF2_Reader* reader, Names& n) {
  for (const ReadLocation& d : n.archive.locations) OTF2_Reader_SelectLocation(reader, d.id);
  OTF2_Reader_OpenDefFiles(reader);
  OTF2_Reader_OpenEvtFiles(reader);
  OTF2_EvtReaderCallbacks* c = OTF2_EvtReaderCallbacks_New();
  set_event_callbacks(c);
  for (ReadLocation& d : n.archive.locations) {
    std::uint64_t count = 0;
    if (OTF2_DefReader* local = OTF2_Reader_GetDefReader(reader, d.id); local != nullptr) {
      OTF2_Reader_ReadAllLocalDefinitions(reader, local, &count);
      OTF2_Reader_CloseDefReader(reader, local);
    }
    OTF2_EvtReader* local = OTF2_Reader_GetEvtReader(reader, d.id);
    if (local == nullptr) continue;
    Events into{&n, &d.events};
    OTF2_Reader_RegisterEvtCallbacks(reader, local, c, &into);
    OTF2_Reader_ReadLocalEvents(reader, local, d.stated_events + 10, &count);
    OTF2_Reader_CloseEvtReader(reader, local);
  }
  OTF2_EvtReaderCallbacks_Delete(c);
  OTF2_Reader_CloseDefFiles(reader);
  OTF2_Reader_CloseEvtFiles(reader);
}

void read_properties(OTF2_Reader* reader, ReadArchive& archive) {
  std::uint32_t count = 0;
  char** list = nullptr;
  OTF2_Reader_GetPropertyNames(reader, &count, &list);
  for (std::uint32_t i = 0; i < count; ++i) {
    char* value = nullptr;
    OTF2_Reader_GetProperty(reader, list[i], &value);
    archive.properties[list[i]] = value;
    std::free(value);
  }
  std::free(list);
}

}  // namespace

const ReadLocation& ReadArchive::location(std::uint64_t id) const {
  for (const ReadLocation& d : locations) {
    if (d.id == id) return d;
  }
  throw std::out_of_range("no location " + std::to_string(id));
}

ReadArchive read_archive(const std::string& directory) {
  Names n;
  std::vector<std::string> errors;
  const OTF2_ErrorCallback before = OTF2_Error_RegisterCallback(note_error, &errors);
  OTF2_Reader* reader = OTF2_Reader_Open((directory + "/traces.otf2").c_str());
  if (reader != nullptr) {
    n.archive.opened = true;
    OTF2_Reader_SetSerialCollectiveCallbacks(reader);
    read_properties(reader, n.archive);
    read_definitions(reader, n);
    read_events(reader, n);
    OTF2_Reader_Close(reader);
  }
  OTF2_Error_RegisterCallback(before, nullptr);
  n.archive.errors = errors;
  return n.archive;
}

}  // namespace latecomer::test
