// SPDX-License-Identifier: BSD-3-Clause
// The one-sided calls of the trace builder.
#include <stdexcept>

#include "tests/support/trace_builder.hpp"

namespace latecomer::test {
namespace {

OTF2_CollectiveOp operation_of(std::string_view function) {
  if (function == "MPI_Win_free") return OTF2_COLLECTIVE_OP_DESTROY_HANDLE;
  if (function == "MPI_Win_create") return OTF2_COLLECTIVE_OP_CREATE_HANDLE;
  if (function == "MPI_Win_fence") return OTF2_COLLECTIVE_OP_BARRIER;
  return OTF2_COLLECTIVE_OP_CREATE_HANDLE_AND_ALLOCATE;
}

}  // namespace

Window TraceBuilder::window(Comm comm) {
  model_.windows.push_back({comm.id});
  return {static_cast<std::uint32_t>(model_.windows.size() - 1), comm};
}

Group TraceBuilder::group(const std::vector<int>& ranks) {
  model_.groups.emplace_back(ranks.begin(), ranks.end());
  return {kFirstGroup + static_cast<std::uint32_t>(model_.groups.size() - 1)};
}

TraceBuilder& TraceBuilder::add_window_calls(std::string_view function, Window window,
                                             std::initializer_list<Span> spans, const Call& call) {
  const std::vector<std::uint32_t> members = model_.communicators.at(window.comm.id).members;
  if (spans.size() != members.size()) {
    throw std::logic_error("trace script: one span per rank of the window, please");
  }
  const OTF2_CollectiveOp op = operation_of(function);
  const OTF2_RmaSyncLevel level =
      call.no_epoch ? OTF2_RMA_SYNC_LEVEL_NONE : OTF2_RMA_SYNC_LEVEL_PROCESS;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Span span = spans.begin()[i];
    if (span.absent) continue;
    Call own = call;
    own.at = span.enter;
    own.leave = span.leave;
    const Place who(static_cast<int>(members[i]));
    add_region(who, function, own, [&](Ticks begin, Ticks end) {
      put(who, begin, [](OTF2_EvtWriter* w, OTF2_TimeStamp t) {
        OTF2_EvtWriter_RmaCollectiveBegin(w, nullptr, t);
      });
      put(who, end, [=](OTF2_EvtWriter* w, OTF2_TimeStamp t) {
        OTF2_EvtWriter_RmaCollectiveEnd(w, nullptr, t, op, level, window.id,
                                        OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
      });
    });
  }
  return *this;
}

// Transfers have the matching id 1, so that a flush completes the last one. Functions other than
// puts and gets become atomic operations.
TraceBuilder& TraceBuilder::add_transfer(Place who, std::string_view function, Window window,
                                         const Call& call) {
  const bool put_it = function == "MPI_Put" || function == "MPI_Rput";
  const bool get_it = function == "MPI_Get" || function == "MPI_Rget";
  const std::uint32_t target = call.to.value();
  const std::uint64_t bytes = call.bytes;
  return add_region(who, function, call, [&](Ticks begin, Ticks) {
    put(who, begin, [=](OTF2_EvtWriter* w, OTF2_TimeStamp t) {
      if (put_it) {
        OTF2_EvtWriter_RmaPut(w, nullptr, t, window.id, target, bytes, 1);
      } else if (get_it) {
        OTF2_EvtWriter_RmaGet(w, nullptr, t, window.id, target, bytes, 1);
      } else {
        OTF2_EvtWriter_RmaAtomic(w, nullptr, t, window.id, target, OTF2_RMA_ATOMIC_TYPE_ACCUMULATE,
                                 bytes, 0, 1);
      }
    });
  });
}

TraceBuilder& TraceBuilder::add_window_flush(Place who, Window window, const Call& call) {
  return add_region(who, "MPI_Win_flush", call, [&](Ticks, Ticks end) {
    put(who, end, [=](OTF2_EvtWriter* w, OTF2_TimeStamp t) {
      OTF2_EvtWriter_RmaOpCompleteRemote(w, nullptr, t, window.id, 1);
    });
  });
}

// The synchronization with the group is recorded at the leave.
TraceBuilder& TraceBuilder::add_epoch(Place who, std::string_view function, Window window,
                                      Group group, const Call& call) {
  return add_region(who, function, call, [&](Ticks, Ticks end) {
    put(who, end, [=](OTF2_EvtWriter* w, OTF2_TimeStamp t) {
      OTF2_EvtWriter_RmaGroupSync(w, nullptr, t, OTF2_RMA_SYNC_LEVEL_PROCESS, window.id, group.id);
    });
  });
}

// A lock is requested at the enter and released at the leave. Locks of all targets are shared, as
// MPI_Win_lock_all demands.
TraceBuilder& TraceBuilder::add_lock(Place who, Window window, bool request, const Call& call) {
  const std::uint32_t target = call.to.value_or(OTF2_UNDEFINED_UINT32);
  const OTF2_LockType type = call.shared || !call.to ? OTF2_LOCK_SHARED : OTF2_LOCK_EXCLUSIVE;
  const std::string name =
      std::string(request ? "MPI_Win_lock" : "MPI_Win_unlock") + (call.to ? "" : "_all");
  return add_region(who, name, call, [&](Ticks begin, Ticks end) {
    put(who, request ? begin : end, [=](OTF2_EvtWriter* w, OTF2_TimeStamp t) {
      if (request) {
        OTF2_EvtWriter_RmaRequestLock(w, nullptr, t, window.id, target, 0, type);
      } else {
        OTF2_EvtWriter_RmaReleaseLock(w, nullptr, t, window.id, target, 0);
      }
    });
  });
}

}  // namespace latecomer::test
