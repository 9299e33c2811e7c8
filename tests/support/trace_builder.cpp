// SPDX-License-Identifier: BSD-3-Clause
// Turns calls of a script into the records that tracers write for them.
#include "tests/support/trace_builder.hpp"

#include <algorithm>
#include <stdexcept>

#include "archive/layout.hpp"
#include "tests/support/archive_writer.hpp"
#include "tests/support/collective_bytes.hpp"
#include "tests/support/event_file.hpp"

namespace latecomer::test {
namespace {

constexpr std::uint32_t kProgramRegion = 2;

std::string place_text(Place who) {
  return "rank " + std::to_string(who.rank) +
         (who.thread > 0 ? " thread " + std::to_string(who.thread) : "");
}

std::uint32_t needed(const std::optional<std::uint32_t>& value, const char* word) {
  if (!value)
    throw std::logic_error(std::string("trace script: the word ") + word + "() is missing");
  return *value;
}

}  // namespace

TraceBuilder::TraceBuilder(int ranks, std::uint64_t ticks_per_second)
    : model_(static_cast<std::uint32_t>(ranks)) {
  model_.ticks_per_second = ticks_per_second;
  for (int r = 0; r < ranks; ++r) stream(r);
}

TraceBuilder& TraceBuilder::metahost(std::uint32_t id, const std::string& name,
                                     const std::vector<int>& ranks) {
  // The first metahost replaces the default machine.
  const bool first = model_.metahosts.size() == 1 && model_.metahosts[0].name == "machine";
  if (first) {
    model_.metahosts.clear();
    model_.nodes.clear();
  }
  model_.metahosts.push_back({id, name});
  return node(name + "-node", ranks);
}

TraceBuilder& TraceBuilder::node(const std::string& name, const std::vector<int>& ranks) {
  const auto metahost = static_cast<std::uint32_t>(model_.metahosts.size() - 1);
  model_.nodes.push_back({name, metahost});
  for (const int r : ranks) {
    model_.node_of.at(static_cast<std::size_t>(r)) =
        static_cast<std::uint32_t>(model_.nodes.size() - 1);
  }
  return *this;
}

Comm TraceBuilder::communicator(const std::vector<int>& ranks, const std::string& name) {
  return intercommunicator(ranks, {}, name);
}

Comm TraceBuilder::intercommunicator(const std::vector<int>& ranks, const std::vector<int>& remote,
                                     const std::string& name) {
  model_.communicators.push_back(
      {name, {ranks.begin(), ranks.end()}, {remote.begin(), remote.end()}, false});
  return {static_cast<std::uint32_t>(model_.communicators.size() - 1)};
}

Comm TraceBuilder::self_communicator(const std::string& name) {
  model_.communicators.push_back({name, {}, {}, true});
  return {static_cast<std::uint32_t>(model_.communicators.size() - 1)};
}

TraceBuilder& TraceBuilder::clock_offset(Place who, Time local, Ticks offset, double deviation) {
  stream(who);
  for (auto& l : model_.locations) {
    if (l.id == who.location()) {
      l.offsets.push_back({static_cast<std::uint64_t>(tick(local)), offset, deviation});
    }
  }
  return *this;
}

TraceBuilder& TraceBuilder::property(const std::string& name, const std::string& value) {
  model_.properties[name] = value;
  return *this;
}

TraceBuilder& TraceBuilder::program(const std::string& name) {
  model_.regions[kProgramRegion].name = name;
  return *this;
}

TraceBuilder& TraceBuilder::announce_events(Place who, std::uint64_t events) {
  announced_[who.location()] = events;
  return *this;
}

// The script of a location. The first use of a thread defines its location.
TraceBuilder::Stream& TraceBuilder::stream(Place who) {
  const auto [it, added] = streams_.try_emplace(who.location());
  if (added && who.thread > 0) {
    const std::string name = "Thread " + std::to_string(who.thread);
    model_.locations.push_back({who.location(), who.rank, name, 0, {}});
    std::ranges::stable_sort(model_.locations, {}, &Location::rank);
  }
  return it->second;
}

// Appends a record; throws std::logic_error if its time is before that of the last one.
void TraceBuilder::put(Place who, Ticks time, Write write) {
  Stream& s = stream(who);
  if (!s.events.empty() && time < s.events.back().time) {
    throw std::logic_error("trace script: " + place_text(who) + " goes back in time at tick " +
                           std::to_string(time));
  }
  s.events.push_back({time, std::move(write)});
}

TraceBuilder& TraceBuilder::raw(Place who, at time, Write write) {
  put(who, tick(time.time), std::move(write));
  return *this;
}

TraceBuilder& TraceBuilder::enter(Place who, std::string_view region, at time) {
  const std::uint32_t id = model_.region(region);
  stream(who).open.push_back(id);
  put(who, tick(time.time),
      [id](OTF2_EvtWriter* w, OTF2_TimeStamp t) { OTF2_EvtWriter_Enter(w, nullptr, t, id); });
  return *this;
}

TraceBuilder& TraceBuilder::leave(Place who, at time) {
  Stream& s = stream(who);
  if (s.open.empty()) throw std::logic_error("trace script: no region to leave, name one");
  return leave(who, model_.regions[s.open.back()].name, time);
}

TraceBuilder& TraceBuilder::leave(Place who, std::string_view region, at time) {
  const std::uint32_t id = model_.region(region);
  auto& open = stream(who).open;
  if (!open.empty()) open.pop_back();
  put(who, tick(time.time),
      [id](OTF2_EvtWriter* w, OTF2_TimeStamp t) { OTF2_EvtWriter_Leave(w, nullptr, t, id); });
  return *this;
}

TraceBuilder& TraceBuilder::enter_all(std::string_view region, at time) {
  for (std::size_t r = 0; r < model_.node_of.size(); ++r) enter(static_cast<int>(r), region, time);
  return *this;
}

TraceBuilder& TraceBuilder::leave_all(at time) {
  for (std::size_t r = 0; r < model_.node_of.size(); ++r) leave(static_cast<int>(r), time);
  return *this;
}

TraceBuilder& TraceBuilder::program_begin(Place who, at time) {
  return raw(who, time, [](OTF2_EvtWriter* w, OTF2_TimeStamp t) {
    OTF2_EvtWriter_ProgramBegin(w, nullptr, t, kProgramName, 0, nullptr);
  });
}

TraceBuilder& TraceBuilder::program_end(Place who, at time) {
  return raw(who, time, [](OTF2_EvtWriter* w, OTF2_TimeStamp t) {
    OTF2_EvtWriter_ProgramEnd(w, nullptr, t, OTF2_UNDEFINED_INT64);
  });
}

TraceBuilder& TraceBuilder::flush(Place who, at time, Time stop) {
  const auto end = static_cast<OTF2_TimeStamp>(tick(stop));
  return raw(who, time, [end](OTF2_EvtWriter* w, OTF2_TimeStamp t) {
    OTF2_EvtWriter_BufferFlush(w, nullptr, t, end);
  });
}

TraceBuilder& TraceBuilder::recording(Place who, at time, bool on) {
  const OTF2_MeasurementMode mode = on ? OTF2_MEASUREMENT_ON : OTF2_MEASUREMENT_OFF;
  return raw(who, time, [mode](OTF2_EvtWriter* w, OTF2_TimeStamp t) {
    OTF2_EvtWriter_MeasurementOnOff(w, nullptr, t, mode);
  });
}

TraceBuilder& TraceBuilder::unknown_record(Place who, at time) {
  stream(who).unknown_records = true;  // write() changes the type of these records
  return raw(who, time, [](OTF2_EvtWriter* w, OTF2_TimeStamp t) {
    OTF2_EvtWriter_ParameterInt(w, nullptr, t, 0, 7);
  });
}

void TraceBuilder::write(const std::filesystem::path& directory) const {
  TraceModel model = model_;
  std::uint64_t first = OTF2_UNDEFINED_TIMESTAMP, last = 0;
  {
    ArchiveWriter archive(directory);
    for (auto& location : model.locations) {
      const Stream& s = streams_.at(location.id);
      location.events = archive.write_events(location.id, [&](OTF2_EvtWriter* writer) {
        for (const auto& e : s.events) e.write(writer, static_cast<OTF2_TimeStamp>(e.time));
      });
      const auto it = announced_.find(location.id);
      if (it != announced_.end()) location.events = it->second;
      if (s.events.empty()) continue;
      // Readers apply offsets only if there are at least two. The limits of the trace use the first
      // one for all events.
      const std::int64_t offset = location.offsets.size() < 2 ? 0 : location.offsets[0].offset;
      first = std::min(first, static_cast<std::uint64_t>(s.events.front().time + offset));
      last = std::max(last, static_cast<std::uint64_t>(s.events.back().time + offset));
    }
    if (model.epoch == 0 && first <= last) model.epoch = first;
    if (model.length == 0 && model.epoch <= last) model.length = last - model.epoch;
    archive.finish(model);
  }
  for (const auto& [id, s] : streams_) {
    if (!s.unknown_records) continue;
    const auto file = directory / layout::kArchiveName / (std::to_string(id) + ".evt");
    std::string bytes = read_bytes(file);
    for (const auto& record : event_records(bytes, kEventChunk)) {
      if (record.type == kParameterInt) bytes[record.offset] = static_cast<char>(kUnknownType);
    }
    write_bytes(file, bytes);
  }
}

// ---- records of MPI ----

void TraceBuilder::put_send(Place who, Ticks time, const Call& c) {
  const auto peer = needed(c.to, "to");
  put(who, time, [=](OTF2_EvtWriter* w, OTF2_TimeStamp t) {
    OTF2_EvtWriter_MpiSend(w, nullptr, t, peer, c.comm.id, c.tag, c.bytes);
  });
}

void TraceBuilder::put_receive(Place who, Ticks time, const Call& c) {
  const auto peer = needed(c.from, "from");
  put(who, time, [=](OTF2_EvtWriter* w, OTF2_TimeStamp t) {
    OTF2_EvtWriter_MpiRecv(w, nullptr, t, peer, c.comm.id, c.tag, c.bytes);
  });
}

void TraceBuilder::put_isend(Place who, Ticks time, const Call& c, std::uint64_t request) {
  const auto peer = needed(c.to, "to");
  put(who, time, [=](OTF2_EvtWriter* w, OTF2_TimeStamp t) {
    OTF2_EvtWriter_MpiIsend(w, nullptr, t, peer, c.comm.id, c.tag, c.bytes, request);
  });
}

void TraceBuilder::put_irecv_request(Place who, Ticks time, std::uint64_t request) {
  put(who, time, [=](OTF2_EvtWriter* w, OTF2_TimeStamp t) {
    OTF2_EvtWriter_MpiIrecvRequest(w, nullptr, t, request);
  });
}

// The record that completes a request: a cancellation, a send, a receive or a collective operation.
// A persistent request can be started again, others are forgotten.
void TraceBuilder::put_completion(Place who, Ticks time, std::uint64_t id) {
  auto& requests = stream(who).requests;
  const auto it = requests.find(id);
  if (it == requests.end()) {
    throw std::logic_error("trace script: request " + std::to_string(id) + " of " +
                           place_text(who) + " was never started");
  }
  const Request r = it->second;
  if (!r.persistent) requests.erase(it);
  const Call& c = r.call;
  put(who, time, [=](OTF2_EvtWriter* w, OTF2_TimeStamp t) {
    if (r.cancelled) {
      OTF2_EvtWriter_MpiRequestCancelled(w, nullptr, t, id);
    } else if (r.kind == Kind::kSend) {
      OTF2_EvtWriter_MpiIsendComplete(w, nullptr, t, id);
    } else if (r.kind == Kind::kReceive) {
      OTF2_EvtWriter_MpiIrecv(w, nullptr, t, c.from.value_or(0), c.comm.id, c.tag, c.bytes, id);
    } else {
      const AttributesOf attributes(r.note);
      OTF2_EvtWriter_NonBlockingCollectiveComplete(w, attributes.list(), t, r.operation, c.comm.id,
                                                   c.root.value_or(OTF2_COLLECTIVE_ROOT_NONE),
                                                   r.sent, r.received, id);
    }
  });
}

// ---- MPI calls ----

TraceBuilder& TraceBuilder::add_region(Place who, std::string_view region, const Call& call,
                                       const std::function<void(Ticks, Ticks)>& inside) {
  if (!call.at) throw std::logic_error("trace script: the word at() is missing");
  const Ticks begin = tick(*call.at), end = call.leave ? tick(*call.leave) : begin;
  const std::uint32_t id = model_.region(call.name.empty() ? region : call.name);
  put(who, begin,
      [id](OTF2_EvtWriter* w, OTF2_TimeStamp t) { OTF2_EvtWriter_Enter(w, nullptr, t, id); });
  inside(begin, end);
  const auto calls = call.calls;
  const auto time = static_cast<std::uint64_t>(call.inside ? tick(*call.inside) : 0);
  put(who, end, [=](OTF2_EvtWriter* w, OTF2_TimeStamp t) {
    OTF2_AttributeList* const list = calls == 0 ? nullptr : OTF2_AttributeList_New();
    if (list != nullptr) {
      OTF2_AttributeList_AddUint64(list, kCallsAttribute, calls);
      OTF2_AttributeList_AddUint64(list, kCallTimeAttribute, time);
    }
    OTF2_EvtWriter_Leave(w, list, t, id);
    if (list != nullptr) OTF2_AttributeList_Delete(list);
  });
  return *this;
}

TraceBuilder& TraceBuilder::add_call(Place who, std::string_view region, const Call& call) {
  for (const auto id : call.requests) stream(who).requests.erase(id);
  return add_region(who, region, call, [](Ticks, Ticks) {});
}

TraceBuilder& TraceBuilder::add_send(Place who, const Call& call) {
  return add_region(who, "MPI_Send", call, [&](Ticks begin, Ticks) {
    put_send(who, call.stamp ? tick(*call.stamp) : begin, call);
  });
}

TraceBuilder& TraceBuilder::add_recv(Place who, const Call& call) {
  return add_region(who, "MPI_Recv", call, [&](Ticks, Ticks end) {
    put_receive(who, call.stamp ? tick(*call.stamp) : end, call);
  });
}

TraceBuilder& TraceBuilder::add_sendrecv(Place who, const Call& call) {
  return add_region(who, "MPI_Sendrecv", call, [&](Ticks begin, Ticks end) {
    put_send(who, begin, call);
    put_receive(who, call.stamp ? tick(*call.stamp) : end, call);
  });
}

TraceBuilder& TraceBuilder::add_isend(Place who, const Call& call) {
  return add_region(who, "MPI_Isend", call, [&](Ticks begin, Ticks) {
    for (const auto id : call.requests) {
      put_isend(who, call.stamp ? tick(*call.stamp) : begin, call, id);
      stream(who).requests[id] = {Kind::kSend, false, false, call, 0, 0, 0, {}};
    }
  });
}

TraceBuilder& TraceBuilder::add_irecv(Place who, const Call& call) {
  return add_region(who, "MPI_Irecv", call, [&](Ticks, Ticks end) {
    for (const auto id : call.requests) {
      put_irecv_request(who, call.stamp ? tick(*call.stamp) : end, id);
      stream(who).requests[id] = {Kind::kReceive, false, false, call, 0, 0, 0, {}};
    }
  });
}

TraceBuilder& TraceBuilder::add_persistent(Place who, std::string_view region, Kind kind,
                                           const Call& call) {
  for (const auto id : call.requests) {
    stream(who).requests[id] = {kind, true, false, call, 0, 0, 0, {}};
  }
  return add_region(who, region, call, [](Ticks, Ticks) {});
}

TraceBuilder& TraceBuilder::add_start(Place who, const Call& call) {
  const char* name = call.requests.size() > 1 ? "MPI_Startall" : "MPI_Start";
  return add_region(who, name, call, [&](Ticks begin, Ticks) {
    for (const auto id : call.requests) {
      const Request& r = stream(who).requests.at(id);
      if (r.kind == Kind::kSend) put_isend(who, begin, r.call, id);
      if (r.kind == Kind::kReceive) put_irecv_request(who, begin, id);
    }
  });
}

TraceBuilder& TraceBuilder::add_completion(Place who, std::string_view region, const Call& call) {
  return add_region(who, region, call, [&](Ticks, Ticks end) {
    for (const auto id : call.requests) {
      put_completion(who, call.stamp ? tick(*call.stamp) : end, id);
    }
  });
}

TraceBuilder& TraceBuilder::add_cancel(Place who, const Call& call) {
  for (const auto id : call.requests) stream(who).requests.at(id).cancelled = true;
  return add_region(who, "MPI_Cancel", call, [](Ticks, Ticks) {});
}

}  // namespace latecomer::test
