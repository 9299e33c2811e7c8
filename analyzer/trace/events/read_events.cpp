// SPDX-License-Identifier: BSD-3-Clause
// The hot path of reading: usual records of the most frequent types, without a check of each bound.
// All other records go to the builder of their family.
#include "analyzer/trace/events/read_events.hpp"

#include <array>

#include "analyzer/trace/events/core/event.hpp"

namespace latecomer::trace {
namespace {

// Reads one location. Times are checked before they are used, so a damaged file cannot overflow
// them.
class Events {
 public:
  Events(EventFile& file, const IdMaps& ids, ClockCorrection& clock, LocationBuilder& builder)
      : file_(file), clock_(clock), b_(builder), event_(ids, builder.definitions()) {
    event_.time = -kFarthest;
    for (U32 id = 0; id < kSmallIds; ++id) {
      const U32 index = event_.region(id);
      regions_[id] = index == kNone || event_.definitions.regions[index].watched ? kLookAt : index;
    }
  }

  EventsRead read(const std::function<void(std::uint64_t)>& progress);

 private:
  using U8 = std::uint8_t;
  using U32 = std::uint32_t;
  using U64 = std::uint64_t;

  static constexpr Ticks kFarthest = ClockCorrection::kFarthest;
  static constexpr U32 kSmallIds = 1 << 10, kLookAt = kNone;

  // Index of a region in Definitions::regions, or kLookAt.
  [[nodiscard]] U32 plain_region(U32 id) const { return id < kSmallIds ? regions_[id] : kLookAt; }
  [[nodiscard]] bool is_possible(Ticks t) const;
  bool pass_on_usual(U64& count);
  bool pass_on_other(U8 type, const U8* begin, const U8* end);
  bool pass_on();
  bool flush();

  EventFile& file_;
  ClockCorrection& clock_;
  LocationBuilder& b_;
  // Indices by ids in the file. kLookAt: the id is large or not defined, or the region is watched.
  std::array<U32, kSmallIds> regions_;
  Event event_;  // the current event; its record is not set if it is usual
};

bool Events::pass_on() { return event_.record.type == kBufferFlush ? flush() : b_.take(event_); }

// The end of a flush is a time that must be corrected.
bool Events::flush() {
  U64 stop = event_.record.fields.whole(sizeof stop);
  const Ticks end = clock_(stop);
  if (event_.record.fields.bad() || end < -kFarthest || end > kFarthest) return false;
  b_.regions.buffer_flush(event_.time, end);
  return true;
}

// False: the time is before the last one, which no writer produces, or so large that differences of
// times could overflow.
inline bool Events::is_possible(Ticks t) const { return t >= event_.time && t <= kFarthest; }

// Handles usual records up to one that is not usual. False: the last one is impossible.
bool Events::pass_on_usual(U64& count) {
  const auto [begin, end] = file_.usual();
  const U8* next = begin;
  Ticks last = event_.time;  // a copy in a register while only enters and leaves come
  bool ok = true;
  while (next < end) {
    const U8* at = next;
    Ticks t = last;
    if (U64 time = 0; EventFile::take_time(at, time)) {
      if (!clock_.add_again(time, t)) [[unlikely]] {
        t = clock_(time);
        if (t > kFarthest) break;
      }
      if (t < last) [[unlikely]]
        break;
    }
    const U8 type = at[0], length = at[1];
    if (!EventFile::is_usual(type, length)) [[unlikely]]
      break;
    next = at + 2 + length;
    last = t;
    if (type == kEnter) {
      U32 id = 0;
      ok = Fields(at + 1, next, false).single(id);
      if (!ok) break;
      if (const U32 index = plain_region(id); index != kLookAt) [[likely]] {
        b_.regions.enter_plain(t, index);
      } else {
        b_.regions.enter(t, event_.region(id));
      }
    } else if (type == kLeave) {
      U32 id = 0;
      ok = Fields(at + 1, next, false).single(id);
      if (!ok) break;
      const U32 index = plain_region(id);
      b_.regions.leave(t, index != kLookAt ? index : event_.region(id));
    } else {
      event_.time = t;
      ok = pass_on_other(type, at + 1, next);
      if (!ok) break;
    }
    ++count;
  }
  event_.time = last;
  file_.go_on(next);
  return ok;
}

// Does the work of pass_on() for a usual record, which begins at its length byte or, if it
// is single, at its number.
[[gnu::noinline]] bool Events::pass_on_other(U8 type, const U8* begin, const U8* end) {
  Fields from(begin, end, false);
  U64 request = 0;
  switch (type) {
    case kMpiIsendComplete:
      if (!from.single(request)) return false;
      b_.messages.isend_complete(event_.time, request);
      return true;
    case kMpiIrecvRequest:
      if (!from.single(request)) return false;
      b_.messages.receive_posted(event_.time, request);
      return true;
    case kMpiSend:
      from.u8();  // the length
      return b_.messages.take_message(event_, kMpiSend, from, false);
    case kMpiRecv:
      from.u8();
      return b_.messages.take_message(event_, kMpiRecv, from, false);
    case kMpiIsend:
      from.u8();
      return b_.messages.take_message(event_, kMpiIsend, from, false);
    case kMpiIrecv:
      from.u8();
      return b_.messages.take_message(event_, kMpiIrecv, from, false);
    case kMpiCollectiveBegin:
      b_.collectives.begin(event_.time);
      return true;
    case kMpiCollectiveEnd:
      from.u8();
      return b_.collectives.take_plain_end(event_, from);
    default:
      if (!EventFile::is_single(type)) from.u8();
      event_.record.type = type;
      event_.record.fields = from;
      return pass_on();
  }
}

// Alternates between the fast path, which stops at the first record that is not usual, and one
// record of any kind.
EventsRead Events::read(const std::function<void(std::uint64_t)>& progress) {
  constexpr std::uint64_t kStep = 1 << 20;
  EventsRead read;
  std::uint64_t told = 0;
  for (;; ++read.count) {
    if (!pass_on_usual(read.count)) break;
    if (!file_.next(event_.record)) {
      read.complete = file_.complete();
      break;
    }
    if (event_.record.new_time) {
      const Ticks t = clock_(event_.record.time);
      if (!is_possible(t)) break;
      event_.time = t;
      event_.record.new_time = false;
    }
    if (!event_.record.attributes.at_end() && !is_whole_list(event_.record.attributes)) break;
    if (!pass_on()) break;
    event_.record.attributes = {};
    if (read.count - told < kStep) continue;
    progress(read.count - told);
    told = read.count;
  }
  progress(read.count - told);
  return read;
}

}  // namespace

EventsRead read_events(EventFile& file, const IdMaps& ids, ClockCorrection& clock,
                       LocationBuilder& builder,
                       const std::function<void(std::uint64_t)>& progress) {
  return Events(file, ids, clock, builder).read(progress);
}

// Nothing here is frequent, so there is no fast path.
EventsRead read_other_events(EventFile& file, const IdMaps& ids, ClockCorrection& clock,
                             const Definitions& definitions, OtherBuilder& builder) {
  Event event(ids, definitions);
  event.time = -ClockCorrection::kFarthest;
  EventsRead read;
  for (; file.next(event.record); ++read.count) {
    if (event.record.new_time) {
      const Ticks t = clock(event.record.time);
      if (t < event.time || t > ClockCorrection::kFarthest) return read;
      event.time = t;
      event.record.new_time = false;
    }
    if (!event.record.attributes.at_end() && !is_whole_list(event.record.attributes)) return read;
    if (!builder.take(event)) return read;
    event.record.attributes = {};
  }
  read.complete = file.complete();
  return read;
}

}  // namespace latecomer::trace
