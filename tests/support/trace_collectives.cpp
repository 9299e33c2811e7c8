// SPDX-License-Identifier: BSD-3-Clause
// The collective calls of the trace builder, MPI_Init and MPI_Finalize.
#include <algorithm>
#include <stdexcept>

#include "archive/layout.hpp"
#include "tests/support/collective_bytes.hpp"
#include "tests/support/trace_builder.hpp"

namespace latecomer::test {
namespace {

void write_begin(OTF2_EvtWriter* w, OTF2_TimeStamp t) {
  OTF2_EvtWriter_MpiCollectiveBegin(w, nullptr, t);
}

TraceBuilder::Write write_end(std::uint8_t operation, std::uint32_t comm, std::uint32_t root,
                              std::uint64_t sent, std::uint64_t received,
                              const CollectiveNote& note = {}) {
  return [=](OTF2_EvtWriter* w, OTF2_TimeStamp t) {
    const AttributesOf attributes(note);
    OTF2_EvtWriter_MpiCollectiveEnd(w, attributes.list(), t, operation, comm, root, sent, received);
  };
}

TraceBuilder::Write write_comm(bool create, std::uint32_t comm) {
  return [=](OTF2_EvtWriter* w, OTF2_TimeStamp t) {
    if (create) {
      OTF2_EvtWriter_CommCreate(w, nullptr, t, comm);
    } else {
      OTF2_EvtWriter_CommDestroy(w, nullptr, t, comm);
    }
  };
}

bool on_neighbors(std::string_view function) {
  return function.find("eighbor_") != std::string_view::npos;
}

CollectiveNote note_of(std::string_view function, const Call& call) {
  if (on_neighbors(function)) return {!call.some_empty, true, call.persistent};
  return {call.to_all, false, call.persistent};
}

}  // namespace

TraceBuilder& TraceBuilder::neighbors(Place who, Comm comm, const std::vector<int>& sources) {
  std::string list;
  for (const int source : sources) list += (list.empty() ? "" : ",") + std::to_string(source);
  const std::string name = layout::kPropertyNeighbors + std::to_string(comm.id);
  model_.process_properties[who.rank][name] = list;
  return *this;
}

// Rooted operations without root() have root 0. The words sent() and received() replace the values
// that tracers would record.
void TraceBuilder::set_bytes(Place who, std::uint8_t operation, Request& request) const {
  const Communicator& comm = model_.communicators.at(request.call.comm.id);
  std::uint64_t size = 1, rank = 0;
  if (!comm.self) {
    const auto it = std::ranges::find(comm.members, who.rank);
    size = comm.members.size();
    rank = static_cast<std::uint64_t>(it - comm.members.begin());
  }
  if (has_root(operation) && !request.call.root) request.call.root = 0;
  const auto usual =
      collective_bytes(operation, size, rank, request.call.root.value_or(0), request.call.bytes);
  request.operation = operation;
  request.sent = request.call.sent.value_or(usual.sent);
  request.received = request.call.received.value_or(usual.received);
}

// Tracers record the begin at the enter, and operation, root and bytes in the end at the leave.
TraceBuilder& TraceBuilder::add_collective(Place who, std::string_view function, const Call& call) {
  Request r{Kind::kCollective, false, false, call, 0, 0, 0, {}};
  set_bytes(who, collective_operation(function), r);
  return add_region(who, function, call, [&](Ticks begin, Ticks end) {
    put(who, begin, write_begin);
    put(who, call.stamp ? tick(*call.stamp) : end,
        write_end(r.operation, call.comm.id, r.call.root.value_or(OTF2_COLLECTIVE_ROOT_NONE),
                  r.sent, r.received, note_of(function, call)));
  });
}

// The call only records the request. Operation, root and bytes are recorded at its completion.
TraceBuilder& TraceBuilder::add_icollective(Place who, std::string_view function,
                                            const Call& call) {
  Request r{Kind::kCollective, false, false, call, 0, 0, 0, {}};
  set_bytes(who, collective_operation(function), r);
  r.note = note_of(function, call);
  return add_region(who, function, call, [&](Ticks begin, Ticks) {
    for (const auto id : call.requests) {
      stream(who).requests[id] = r;
      put(who, begin, [id](OTF2_EvtWriter* w, OTF2_TimeStamp t) {
        OTF2_EvtWriter_NonBlockingCollectiveRequest(w, nullptr, t, id);
      });
    }
  });
}

TraceBuilder& TraceBuilder::add_collectives(std::string_view function,
                                            std::initializer_list<Span> spans, const Call& call) {
  const std::vector<std::uint32_t> members = model_.communicators.at(call.comm.id).members;
  if (spans.size() != members.size()) {
    throw std::logic_error("trace script: one span per rank of the communicator, please");
  }
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Span span = spans.begin()[i];
    if (span.absent) continue;
    Call own = call;
    own.at = span.enter;
    own.leave = span.leave;
    add_collective(static_cast<int>(members[i]), function, own);
  }
  return *this;
}

TraceBuilder& TraceBuilder::add_make_communicator(std::string_view function, Comm made,
                                                  std::initializer_list<Span> spans,
                                                  const Call& call) {
  const std::vector<std::uint32_t> members = model_.communicators.at(call.comm.id).members;
  const std::vector<std::uint32_t> inside = model_.communicators.at(made.id).members;
  if (spans.size() != members.size()) {
    throw std::logic_error("trace script: one span per rank of the communicator, please");
  }
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Span span = spans.begin()[i];
    if (span.absent) continue;
    Call own = call;
    own.at = span.enter;
    own.leave = span.leave;
    const Place who(static_cast<int>(members[i]));
    add_region(who, function, own, [&](Ticks begin, Ticks end) {
      put(who, begin, write_begin);
      // All members of the parent take part, but only those of the new communicator get it.
      if (std::ranges::find(inside, members[i]) != inside.end()) {
        put(who, end, write_comm(true, made.id));
      }
      put(who, end,
          write_end(OTF2_COLLECTIVE_OP_CREATE_HANDLE, call.comm.id, OTF2_COLLECTIVE_ROOT_NONE, 0,
                    0));
    });
  }
  return *this;
}

// MPI_Init creates the communicators world and self, and MPI_Finalize destroys them, in one
// collective operation of all processes.
TraceBuilder& TraceBuilder::add_frame(std::string_view function, bool create,
                                      const std::vector<Span>& spans) {
  for (std::size_t r = 0; r < model_.node_of.size(); ++r) {
    const Span span = spans.at(spans.size() == 1 ? 0 : r);
    if (span.absent) continue;
    Call call;
    call.at = span.enter;
    call.leave = span.leave;
    const Place who(static_cast<int>(r));
    add_region(who, function, call, [&](Ticks begin, Ticks end) {
      put(who, begin, write_begin);
      put(who, end, write_comm(create, world.id));
      put(who, end, write_comm(create, self.id));
      put(who, end,
          write_end(create ? OTF2_COLLECTIVE_OP_CREATE_HANDLE : OTF2_COLLECTIVE_OP_DESTROY_HANDLE,
                    world.id, OTF2_COLLECTIVE_ROOT_NONE, 0, 0));
    });
  }
  return *this;
}

TraceBuilder& TraceBuilder::init(std::initializer_list<Span> spans) {
  return add_frame("MPI_Init", true, spans);
}
TraceBuilder& TraceBuilder::finalize(std::initializer_list<Span> spans) {
  return add_frame("MPI_Finalize", false, spans);
}

}  // namespace latecomer::test
