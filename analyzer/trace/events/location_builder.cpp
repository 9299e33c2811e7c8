// SPDX-License-Identifier: BSD-3-Clause
// One switch that hands an event to its family.
#include "analyzer/trace/events/location_builder.hpp"

#include <algorithm>
#include <array>

namespace latecomer::trace {

LocationBuilder::LocationBuilder(const Definitions& definitions, CallTree& tree,
                                 std::uint32_t location, Teams* teams)
    : regions(definitions, tree, location, *this),
      messages(regions),
      collectives(regions),
      windows(regions, collectives),
      files(regions, collectives),
      threads(regions, teams),
      contexts(regions),
      samples(regions, tree),
      counters(regions) {}

bool LocationBuilder::take(Event& event) {
  switch (family_of(event.record.type)) {
    case EventFamily::kRegions:
      return regions.take(event);
    case EventFamily::kMessages:
      return messages.take(event);
    case EventFamily::kCollectives:
      return collectives.take(event);
    case EventFamily::kWindows:
      return windows.take(event);
    case EventFamily::kFiles:
      return files.take(event);
    case EventFamily::kThreads:
      return threads.take(event);
    case EventFamily::kContexts:
      return contexts.take(event);
    case EventFamily::kSamples:
      return samples.are_statistical() ? samples.take(event) : contexts.take(event);
    case EventFamily::kCounters:
      return counters.take(event);
    case EventFamily::kParameters:
      return take_parameter(event);
    case EventFamily::kUnused:
      return true;
    case EventFamily::kUnknown:
      regions.unknown(event.time);
      return true;
  }
  return true;
}

// Parameters of our own tracer tell of unrecorded operations and of calls on files. All others only
// pass time.
bool LocationBuilder::take_parameter(Event& event) {
  std::uint32_t parameter = 0;
  std::uint64_t count = 0;
  if (!event.take(parameter, count)) return false;
  const Definitions& d = event.definitions;
  parameter = event.id(IdKind::kParameter, parameter);
  if (parameter == d.file_call) {
    files.collective_call(event.time,
                          static_cast<std::uint32_t>(std::min<std::uint64_t>(count, kNone)));
    return true;
  }
  if (parameter == d.task_awaited && parameter != kNone) {
    threads.task_awaited(event.time, count);
    return true;
  }
  for (std::size_t i = 0; i < d.wake_ups.size(); ++i) {
    if (parameter != d.wake_ups[i] || parameter == kNone) continue;
    constexpr std::array kKinds = {ThreadEvent::Kind::kWakes, ThreadEvent::Kind::kWoken,
                                   ThreadEvent::Kind::kRound};
    threads.wake_up(kKinds[i], event.time, count);
    return true;
  }
  std::array<std::uint32_t, 4> values{};
  bool known = parameter == d.unrecorded && !event.record.attributes.at_end();
  for (std::size_t i = 0; i < values.size() && known; ++i) {
    const std::uint32_t wanted = d.unrecorded_attributes[i];
    const auto value =
        wanted == kNone ? std::nullopt : event.find_attribute(wanted, AttributeType::kUint32);
    known = value.has_value();
    values[i] = static_cast<std::uint32_t>(value.value_or(0));
  }
  if (known) {
    unrecorded(event.time, static_cast<Gap::Kind>(values[0]), values[1], values[2], values[3],
               count);
  } else {
    regions.advance(event.time);
  }
  return true;
}

void LocationBuilder::unrecorded(Ticks t, Gap::Kind kind, std::uint32_t object, std::uint32_t peer,
                                 std::uint32_t tag, std::uint64_t count) {
  switch (kind) {
    case Gap::Kind::kSend:
    case Gap::Kind::kReceive:
      return messages.unrecorded(t, kind, object, peer, tag, count);
    case Gap::Kind::kCollective:
      return collectives.unrecorded(t, object, tag, count);
    case Gap::Kind::kFileCollective:
      return files.unrecorded(t, object, tag, count);
    default:
      return windows.unrecorded(t, kind, object, peer, tag, count);
  }
}

void LocationBuilder::entered(patterns::ThreadConstruct construct, Ticks t) {
  threads.enter_construct(t, construct);
}

void LocationBuilder::left(const Frame& frame, Ticks t) {
  if (frame.watched == Frame::Watched::kFile) return files.end_call(frame.call, t);
  threads.leave_construct(frame, t);
}

// The builder of regions is last, since the others tell it what is left open.
LocationEvents LocationBuilder::finish() {
  LocationEvents out;
  static_cast<MessageEvents&>(out) = messages.finish();
  static_cast<CollectiveEvents&>(out) = collectives.finish();
  static_cast<WindowEvents&>(out) = windows.finish();
  static_cast<FileOperations&>(out) = files.finish();
  static_cast<ThreadEvents&>(out) = threads.finish();
  static_cast<SampleEvents&>(out) = samples.finish();
  static_cast<CounterEvents&>(out) = counters.finish();
  static_cast<RegionEvents&>(out) = regions.finish();
  return out;
}

}  // namespace latecomer::trace
