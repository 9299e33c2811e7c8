// SPDX-License-Identifier: BSD-3-Clause
// Writers of locations that are no threads. They are in the list of the threads' writers.
#include "tracer/session/process/open_locations.hpp"

#include <exception>
#include <memory>

#include "tracer/session/process/inside.hpp"

namespace latecomer::session {

// The session begins with the first record of a thread, which also gets number 0.
Location* open_location(record::LocationKind kind, std::string name, std::string device) {
  if (writer() == nullptr) return nullptr;
  const Inside inside;
  SessionState& s = process().session;
  const std::lock_guard lock(s.mutex);
  if (s.phase.load() == detail::Phase::kOver) return nullptr;
  for (const auto& opened : s.threads) {
    if (opened->other == nullptr) continue;
    const record::LocationDefinition& d = opened->other->definition;
    if (d.kind == kind && d.name == name && d.device == device) return opened.get();
  }
  try {
    const auto number = static_cast<std::uint32_t>(s.threads.size());
    auto location = std::make_unique<Location>(number, s.chunk_bytes, now(), s.ring_chunks);
    location->other = std::make_unique<detail::OtherLocation>();
    location->other->definition = {number, kind, std::move(name), std::move(device)};
    location->writer.set_kind(kind);
    location->writer.set_budget(&s.budget);
    s.threads.push_back(std::move(location));
  } catch (const std::exception&) {
    return nullptr;  // out of memory
  }
  Location& opened = *s.threads.back();
  if (s.phase.load() == detail::Phase::kRunning) place(s, opened);
  return &opened;
}

bool records_locations() {
  const SessionState& s = process().session;
  return s.phase.load() != detail::Phase::kOver && s.off.load() == 0;
}

}  // namespace latecomer::session
