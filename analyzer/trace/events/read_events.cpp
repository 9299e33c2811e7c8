// SPDX-License-Identifier: BSD-3-Clause
// The hot path of reading: one case per type of record that the analysis uses, and a fast path for
// usual records of the most frequent types.
#include "analyzer/trace/events/read_events.hpp"

#include <otf2/otf2.h>

#include <algorithm>
#include <array>
#include <optional>

#include "analyzer/trace/events/core/attribute_list.hpp"
#include "analyzer/trace/events/core/event_types.hpp"
#include "patterns/calls/collective_class.hpp"

namespace latecomer::trace {
namespace {

// Reads one location. Times are checked before they are used, so a damaged file cannot overflow
// them.
class Events {
 public:
  Events(EventFile& file, const IdMaps& ids, ClockCorrection& clock, LocationBuilder& builder)
      : file_(file),
        ids_(ids),
        clock_(clock),
        b_(builder),
        definitions_(builder.definitions()),
        comm_id_(ids(IdKind::kComm, comm_)) {
    for (U32 id = 0; id < kSmallIds; ++id) {
      const U32 index = region(id);
      regions_[id] = index == kNone || definitions_.regions[index].watched ? kLookAt : index;
    }
  }

  EventsRead read(const std::function<void(std::uint64_t)>& progress);

 private:
  using U8 = std::uint8_t;
  using U32 = std::uint32_t;
  using U64 = std::uint64_t;

  // Takes the next fields of the record; false: they are not there.
  template <typename... Field>
  bool take(Field&... fields) {
    return take_from(record_.fields, fields...);
  }
  template <typename... Field>
  static bool take_from(Fields& from, Field&... fields) {
    static_assert(sizeof...(fields) < Fields::kMost);
    const auto one = [&from](auto& field) {
      if constexpr (sizeof field == sizeof(U8)) {
        field = from.u8();
      } else if constexpr (sizeof field == sizeof(U32)) {
        field = from.u32();
      } else {
        field = from.u64();
      }
    };
    (one(fields), ...);
    return !from.bad();
  }
  // Index of a region in Definitions::regions, or kLookAt.
  [[nodiscard]] U32 plain_region(U32 id) const { return id < kSmallIds ? regions_[id] : kLookAt; }
  // Index of any region; kNone: not defined.
  [[nodiscard]] U32 region(U32 id) const {
    return definitions_.region_ids.find(ids_(IdKind::kRegion, id));
  }
  // The archive's id of a communicator, which is usually that of the previous event.
  U32 comm_id(U32 id) {
    if (id != comm_) [[unlikely]] {
      comm_ = id;
      comm_id_ = ids_(IdKind::kComm, id);
    }
    return comm_id_;
  }
  // Takes one number and uses it.
  template <typename Number, typename Use>
  bool with(Use&& use) {
    Number number = 0;
    if (!take(number)) return false;
    use(number);
    return true;
  }

  [[nodiscard]] std::optional<U64> find_attribute(U32 wanted, AttributeType type) const {
    return trace::find_attribute(record_.attributes, ids_, wanted, type);
  }
  // The value of an attribute of that type; 0 if it is missing.
  [[nodiscard]] U64 attribute(U32 wanted, AttributeType type) const {
    if (record_.attributes.at_end() || wanted == kNone) return 0;
    return find_attribute(wanted, type).value_or(0);
  }
  // True if the event happened in a call that a filter left out.
  [[nodiscard]] bool is_left_out() const {
    return attribute(definitions_.left_out, AttributeType::kUint8) != 0;
  }
  // Number of a persistent operation on its communicator, from 1; otherwise 0.
  [[nodiscard]] U32 series() const {
    if (record_.attributes.at_end() || definitions_.persistent == kNone) return 0;
    const auto number = find_attribute(definitions_.persistent, AttributeType::kUint32);
    return number ? static_cast<U32>(*number) + 1 : 0;
  }

  static constexpr Ticks kFarthest = ClockCorrection::kFarthest;
  static constexpr U32 kSmallIds = 1 << 10, kLookAt = kNone;

  [[nodiscard]] bool is_possible(Ticks t) const;
  bool pass_on_usual(U64& count);
  bool pass_on_other(U8 type, const U8* begin, const U8* end);
  bool pass_on_by_type();
  bool leave();
  bool message(U8 type, Fields from, bool left_out);
  bool plain_collective_end(Fields from);
  bool collective_end();
  bool window_collective_end();
  bool transfer();
  bool window_step();
  bool thread_lock();
  bool context();
  bool file_operation();
  bool flush();
  bool parameter();

  EventFile& file_;
  const IdMaps& ids_;
  ClockCorrection& clock_;
  LocationBuilder& b_;
  const Definitions& definitions_;
  // Indices by ids in the file. kLookAt: the id is large or not defined, or the region is watched.
  std::array<U32, kSmallIds> regions_;
  U32 comm_ = 0, comm_id_;
  EventRecord record_;    // the current record, unless it is usual
  Ticks t_ = -kFarthest;  // time of the current record
};

// A leave with an attribute for the number of calls ends a row of calls.
bool Events::leave() {
  U32 id = 0;
  if (!take(id)) return false;
  const U64 calls = attribute(definitions_.calls, AttributeType::kUint64);
  if (calls > 1) [[unlikely]] {
    b_.leave_row(t_, ids_(IdKind::kRegion, id), calls,
                 attribute(definitions_.call_time, AttributeType::kUint64));
  } else {
    b_.leave_region(t_, region(id));
  }
  return true;
}

[[gnu::always_inline]] inline bool Events::message(U8 type, Fields from, bool left_out) {
  U32 peer = 0, comm = 0, tag = 0;
  U64 bytes = 0, request = 0;
  if (!take_from(from, peer, comm, tag, bytes)) return false;
  comm = comm_id(comm);
  if (type == kMpiSend) {
    b_.send(t_, peer, comm, tag, bytes);
  } else if (type == kMpiRecv) {
    b_.receive(t_, peer, comm, tag, bytes);
  } else if (!take_from(from, request)) {
    return false;
  } else if (type == kMpiIsend) {
    b_.isend(t_, peer, comm, tag, bytes, request);
  } else {
    b_.ireceive(t_, peer, comm, tag, bytes, request, left_out);
  }
  return true;
}

// Numbers from here on stand for operations that OTF2 does not have. Archives must not use them.
constexpr auto kNeighborhood =
    static_cast<std::uint8_t>(patterns::CollectiveOperation::kNeighborhood);

// Handles the fields that every tracer writes, without attributes.
[[gnu::always_inline]] inline bool Events::plain_collective_end(Fields from) {
  U8 named = 0;
  U32 comm = 0, root = 0;
  U64 sent = 0, received = 0;
  if (!take_from(from, named, comm, root, sent, received)) return false;
  b_.collective_end(t_, std::min<U8>(named, kNeighborhood - 1), comm_id(comm), root, sent, received,
                    false);
  return true;
}

bool Events::collective_end() {
  if (record_.type == kMpiCollectiveEnd && record_.attributes.at_end()) {
    return plain_collective_end(record_.fields);
  }
  U8 named = 0;
  U32 comm = 0, root = 0;
  U64 sent = 0, received = 0, request = 0;
  if (!take(named, comm, root, sent, received)) return false;
  comm = ids_(IdKind::kComm, comm);
  U8 operation = std::min<U8>(named, kNeighborhood - 1);
  bool all_positive = false;
  // Attributes of Alltoallv and Alltoallw can add more information.
  if (named == OTF2_COLLECTIVE_OP_ALLTOALLV || named == OTF2_COLLECTIVE_OP_ALLTOALLW) {
    all_positive = attribute(definitions_.all_positive, AttributeType::kUint8) != 0;
    const U64 neighborhood = attribute(definitions_.neighborhood, AttributeType::kUint8);
    if (neighborhood != 0) {
      operation = kNeighborhood;
      all_positive = neighborhood > 1;
    }
  }
  if (record_.type == kMpiCollectiveEnd) {
    b_.collective_end(t_, operation, comm, root, sent, received, all_positive);
    return true;
  }
  if (!take(request)) return false;
  b_.nonblocking_complete(t_, operation, comm, root, sent, received, request, all_positive,
                          series(), is_left_out());
  return true;
}

bool Events::window_collective_end() {
  U8 operation = 0;
  U32 level = 0, window = 0;
  if (!take(operation, level, window)) return false;
  b_.window_collective_end(t_, operation, level, ids_(IdKind::kWindow, window));
  return true;
}

bool Events::transfer() {
  U8 operation = 0;
  U32 window = 0, target = 0;
  U64 bytes = 0, received = 0, matching = 0;
  const bool atomic = record_.type == kRmaAtomic;
  if (!take(window, target) || (atomic && !take(operation)) || !take(bytes)) return false;
  if ((atomic && !take(received)) || !take(matching)) return false;
  window = ids_(IdKind::kWindow, window);
  if (atomic) {
    b_.transfer(t_, WindowEvent::Kind::kAtomic, window, target, bytes, received, matching);
  } else if (record_.type == kRmaPut) {
    b_.transfer(t_, WindowEvent::Kind::kPut, window, target, bytes, 0, matching);
  } else {
    b_.transfer(t_, WindowEvent::Kind::kGet, window, target, 0, bytes, matching);
  }
  return true;
}

// The window is the first field, except in epochs with a group.
bool Events::window_step() {
  U32 first = 0, second = 0, window = 0;
  U64 number = 0;
  U8 lock = 0;
  switch (record_.type) {
    case kRmaGroupSync:
      if (!take(first, window, second)) return false;
      b_.group_sync(t_, ids_(IdKind::kWindow, window), ids_(IdKind::kGroup, second));
      return true;
    case kRmaOpCompleteRemote:
      if (!take(window, number)) return false;
      b_.transfer_complete(t_, ids_(IdKind::kWindow, window), number);
      return true;
    default:
      break;
  }
  const bool request = record_.type == kRmaRequestLock;
  if (!take(window, first, number) || (request && !take(lock))) return false;
  b_.lock(t_, request, ids_(IdKind::kWindow, window), first, request && lock == OTF2_LOCK_SHARED);
  return true;
}

bool Events::thread_lock() {
  U8 paradigm = 0;
  U32 lock = 0, order = 0;
  if (!take(paradigm, lock, order)) return false;
  if (record_.type == kThreadAcquireLock) {
    b_.acquire_lock(t_, paradigm, lock, order);
  } else {
    b_.release_lock(t_, paradigm, lock, order);
  }
  return true;
}

bool Events::context() {
  U32 context = 0, distance = 0;
  if (!take(context)) return false;
  context = ids_(IdKind::kContext, context);
  if (record_.type == kCallingContextLeave) {
    b_.leave_context(t_, context);
    return true;
  }
  if (!take(distance)) return false;
  b_.enter_context(t_, context, distance);
  return true;
}

bool Events::file_operation() {
  using What = LocationBuilder::FileOperation;
  U8 mode = 0;
  U32 handle = 0, flags = 0;
  U64 bytes = 0, matching = 0;
  if (!take(handle)) return false;
  handle = ids_(IdKind::kFileHandle, handle);
  if (record_.type == kIoOperationBegin) {
    if (!take(mode, flags, bytes, matching)) return false;
    const What what = mode == OTF2_IO_OPERATION_MODE_READ    ? What::kRead
                      : mode == OTF2_IO_OPERATION_MODE_WRITE ? What::kWrite
                                                             : What::kOther;
    b_.file_operation_begin(t_, handle, what, matching);
  } else if (record_.type == kIoOperationComplete) {
    if (!take(bytes, matching)) return false;
    b_.file_operation_end(t_, handle, bytes, matching);
  } else if (record_.type == kIoOperationCancelled) {
    if (!take(matching)) return false;
    b_.file_operation_cancelled(t_, handle, matching);
  } else {
    b_.file_call(t_, handle);
  }
  return true;
}

bool Events::flush() {
  U64 stop = record_.fields.whole(sizeof stop);
  const Ticks end = clock_(stop);
  if (record_.fields.bad() || end < -kFarthest || end > kFarthest) return false;
  b_.buffer_flush(t_, end);
  return true;
}

// Parameters of our own tracer tell of unrecorded operations and of calls on files. All others only
// pass time.
bool Events::parameter() {
  U32 parameter = 0;
  U64 count = 0;
  if (!take(parameter, count)) return false;
  parameter = ids_(IdKind::kParameter, parameter);
  if (parameter == definitions_.file_call) {
    b_.file_call(t_, static_cast<U32>(std::min<U64>(count, kNone)));
    return true;
  }
  std::array<U32, 4> values{};
  bool known = parameter == definitions_.unrecorded && !record_.attributes.at_end();
  for (std::size_t i = 0; i < values.size() && known; ++i) {
    const U32 wanted = definitions_.unrecorded_attributes[i];
    const auto value =
        wanted == kNone ? std::nullopt : find_attribute(wanted, AttributeType::kUint32);
    known = value.has_value();
    values[i] = static_cast<U32>(value.value_or(0));
  }
  if (known) {
    b_.unrecorded(t_, static_cast<Gap::Kind>(values[0]), values[1], values[2], values[3], count);
  } else {
    b_.other(t_);
  }
  return true;
}

bool Events::pass_on_by_type() {
  switch (record_.type) {
    case kEnter:
      return with<U32>([this](U32 id) { b_.enter_region(t_, region(id)); });
    case kLeave:
      return leave();
    case kMpiSend:
    case kMpiIsend:
    case kMpiRecv:
    case kMpiIrecv:
      return message(record_.type, record_.fields, record_.type == kMpiIrecv && is_left_out());
    case kMpiIsendComplete:
      return with<U64>([this](U64 request) { b_.isend_complete(t_, request); });
    case kMpiIrecvRequest:
      return with<U64>([this](U64 request) { b_.receive_posted(t_, request, is_left_out()); });
    case kMpiRequestCancelled:
      return with<U64>([this](U64 request) { b_.request_cancelled(t_, request); });
    case kMpiCollectiveBegin:
    case kRmaCollectiveBegin:
      b_.collective_begin(t_);
      return true;
    case kMpiCollectiveEnd:
    case kNonBlockingCollectiveComplete:
      return collective_end();
    case kNonBlockingCollectiveRequest:
      return with<U64>([this](U64 request) { b_.nonblocking_request(t_, request, is_left_out()); });
    case kRmaCollectiveEnd:
      return window_collective_end();
    case kRmaPut:
    case kRmaGet:
    case kRmaAtomic:
      return transfer();
    case kRmaGroupSync:
    case kRmaOpCompleteRemote:
    case kRmaRequestLock:
    case kRmaReleaseLock:
      return window_step();
    case kThreadFork:
      b_.thread_fork(t_);
      return true;
    case kThreadJoin:
      b_.thread_join(t_);
      return true;
    case kThreadTeamBegin:
      return with<U32>([this](U32 comm) { b_.team_begin(t_, ids_(IdKind::kComm, comm)); });
    case kThreadTeamEnd:
      return with<U32>([this](U32 comm) { b_.team_end(t_, ids_(IdKind::kComm, comm)); });
    case kThreadAcquireLock:
    case kThreadReleaseLock:
      return thread_lock();
    case kCallingContextEnter:
    case kCallingContextLeave:
    case kCallingContextSample:
      return context();
    case kIoCreateHandle:
    case kIoDestroyHandle:
    case kIoOperationBegin:
    case kIoOperationComplete:
    case kIoOperationCancelled:
      return file_operation();
    case kBufferFlush:
      return flush();
    case kMeasurementOnOff:
      return with<U8>([this](U8 mode) { b_.recording(t_, mode == OTF2_MEASUREMENT_ON); });
    case kParameterUnsignedInt:
      return parameter();
    case kProgramEnd:
      b_.program_end(t_);
      return true;
    // These records may be the first or last of a location, and limit its time.
    case kProgramBegin:
    case kThreadBegin:
    case kThreadEnd:
      b_.other(t_);
      return true;
    default:
      if (record_.type < kFirstEvent || record_.type > kLastEvent) b_.unknown(t_);
      return true;
  }
}

// False: the time is before the last one, which no writer produces, or so large that differences of
// times could overflow.
inline bool Events::is_possible(Ticks t) const { return t >= t_ && t <= kFarthest; }

// Handles usual records up to one that is not usual. False: the last one is impossible.
bool Events::pass_on_usual(U64& count) {
  const auto [begin, end] = file_.usual();
  const U8* next = begin;
  Ticks last = t_;  // a copy in a register while only enters and leaves come
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
        b_.enter_plain(t, index);
      } else {
        b_.enter_region(t, region(id));
      }
    } else if (type == kLeave) {
      U32 id = 0;
      ok = Fields(at + 1, next, false).single(id);
      if (!ok) break;
      const U32 index = plain_region(id);
      b_.leave_region(t, index != kLookAt ? index : region(id));
    } else {
      t_ = t;
      ok = pass_on_other(type, at + 1, next);
      if (!ok) break;
    }
    ++count;
  }
  t_ = last;
  file_.go_on(next);
  return ok;
}

// Does the work of pass_on_by_type() for a usual record, which begins at its length byte or, if it
// is single, at its number.
[[gnu::noinline]] bool Events::pass_on_other(U8 type, const U8* begin, const U8* end) {
  Fields from(begin, end, false);
  U64 request = 0;
  switch (type) {
    case kMpiIsendComplete:
      if (!from.single(request)) return false;
      b_.isend_complete(t_, request);
      return true;
    case kMpiIrecvRequest:
      if (!from.single(request)) return false;
      b_.receive_posted(t_, request);
      return true;
    case kMpiSend:
      from.u8();  // the length
      return message(kMpiSend, from, false);
    case kMpiRecv:
      from.u8();
      return message(kMpiRecv, from, false);
    case kMpiIsend:
      from.u8();
      return message(kMpiIsend, from, false);
    case kMpiIrecv:
      from.u8();
      return message(kMpiIrecv, from, false);
    case kMpiCollectiveBegin:
      b_.collective_begin(t_);
      return true;
    case kMpiCollectiveEnd:
      from.u8();
      return plain_collective_end(from);
    default:
      if (!EventFile::is_single(type)) from.u8();
      record_.type = type;
      record_.fields = from;
      return pass_on_by_type();
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
    if (!file_.next(record_)) {
      read.complete = file_.complete();
      break;
    }
    if (record_.new_time) {
      const Ticks t = clock_(record_.time);
      if (!is_possible(t)) break;
      t_ = t;
      record_.new_time = false;
    }
    if (!record_.attributes.at_end() && !is_whole_list(record_.attributes)) break;
    if (!pass_on_by_type()) break;
    record_.attributes = {};
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

}  // namespace latecomer::trace
