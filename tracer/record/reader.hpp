// SPDX-License-Identifier: BSD-3-Clause
// Reads the records of one thread. Whatever the file contains, reading ends and reports what was
// wrong.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "archive/result.hpp"
#include "tracer/record/construct_words.hpp"
#include "tracer/record/extended.hpp"
#include "tracer/record/format.hpp"
#include "tracer/record/repeats.hpp"

namespace latecomer::record {

// One record. `words` holds the payload of format.hpp (w1 is words[0]).
struct Record {
  Kind kind = Kind::kEnd;
  std::uint64_t id = 0;
  std::uint64_t ticks = 0;
  std::array<std::uint64_t, 4> words{};
  // The whole payload of an extended record, in the file. `words` holds its beginning, then zeros.
  // Records of construct words have all in `words`, and zeros here.
  std::span<const std::byte> payload{};

  // Extended records: family and code, number of payload words, and any of them.
  [[nodiscard]] ExtendedKind extended() const { return extended_kind(id << kKindBits); }
  [[nodiscard]] std::size_t length() const { return payload.size() / sizeof(std::uint64_t); }
  [[nodiscard]] std::uint64_t word(std::size_t index) const {
    if (index < words.size()) return words[index];
    std::uint64_t value;
    std::memcpy(&value, payload.data() + index * sizeof value, sizeof value);
    return value;
  }

  // Halves of a word.
  [[nodiscard]] std::uint32_t lower_of(std::size_t i) const {
    return static_cast<std::uint32_t>(words[i]);
  }
  [[nodiscard]] std::uint32_t upper_of(std::size_t i) const {
    return static_cast<std::uint32_t>(words[i] >> 32);
  }

  // Point-to-point: w1 = peer | tag << 32, w2 = bytes.
  [[nodiscard]] std::int32_t peer() const { return static_cast<std::int32_t>(words[0]); }
  [[nodiscard]] std::int32_t tag() const { return static_cast<std::int32_t>(words[0] >> 32); }
  [[nodiscard]] std::uint64_t bytes() const { return words[1]; }
  // Collective: w1 = op | root << 32, w2 = sent, w3 = received.
  [[nodiscard]] std::uint32_t op() const {
    return static_cast<std::uint32_t>(words[0]) & kOperationMask;
  }
  [[nodiscard]] std::uint32_t series() const {
    return static_cast<std::uint32_t>(words[0]) >> kSeriesShift & kSeriesMask;
  }
  [[nodiscard]] bool neighborhood() const { return (words[0] & kNeighborhood) != 0; }
  [[nodiscard]] bool all_positive() const { return (words[0] & kAllPositive) != 0; }
  [[nodiscard]] std::uint32_t root() const { return static_cast<std::uint32_t>(words[0] >> 32); }
  [[nodiscard]] std::uint64_t sent() const { return words[1]; }
  [[nodiscard]] std::uint64_t received() const { return words[2]; }
  // One-sided: the upper half of w1 is a level, a kind of lock or a type of atomic operation.
  [[nodiscard]] std::uint32_t lower() const { return static_cast<std::uint32_t>(words[0]); }
  [[nodiscard]] std::uint32_t upper() const { return static_cast<std::uint32_t>(words[0] >> 32); }
  // The request is the last payload word of the records that have one.
  [[nodiscard]] std::uint64_t request() const { return words[payload_words(kind) - 1] & ~kLeftOut; }
  [[nodiscard]] bool left_out() const { return (words[payload_words(kind) - 1] & kLeftOut) != 0; }
};

// Damage in a chunk. Records before `offset` were returned; the rest of the chunk was skipped,
// unless `what` says otherwise.
struct Damage {
  std::size_t offset = 0;  // bytes from the beginning of the file
  const char* what = "";
};

// Iterates over the records of a file:
//
//   auto reader = RecordReader::over(file_bytes);
//   if (!reader) ... reader.problem()
//   for (Record r; reader->next(r);) ...
//
// The bytes must outlive the reader. A copy of the reader reads again from the same place.
class RecordReader {
 public:
  // Checks the header. A file that contains only zero bytes was never begun; it is a Problem, like
  // garbage.
  static Result<RecordReader> over(std::span<const std::byte> file) {
    FileHeader header;
    if (file.size() < kHeaderBytes) {
      return Problem{
          "record file of " + std::to_string(file.size()) + " bytes is shorter than its header",
          "the process ended before it recorded anything; its file is left out"};
    }
    std::memcpy(&header, file.data(), sizeof header);
    if (header.magic != kMagic) {
      const bool foreign = header.magic == __builtin_bswap64(kMagic);
      return Problem{foreign ? "record file has the byte order of another kind of machine"
                             : "not a record file (wrong first bytes)",
                     foreign ? "convert it on a machine of the kind that recorded it" : ""};
    }
    if (header.version != FileHeader{}.version) {
      return Problem{"record file has version " + std::to_string(header.version) +
                         ", this program reads version " + std::to_string(FileHeader{}.version),
                     "use the release of Latecomer that recorded it"};
    }
    if (header.ring_chunks > kMostRingChunks) {
      return Problem{"record file names an impossible size of its ring, " +
                         std::to_string(header.ring_chunks) + " chunks",
                     "its header is damaged; its file is left out"};
    }
    if (header.chunk_bytes < 16 * sizeof(std::uint64_t) ||
        header.chunk_bytes % sizeof(std::uint64_t) != 0) {
      return Problem{"record file names an impossible chunk size, " +
                         std::to_string(header.chunk_bytes) + " bytes",
                     "its header is damaged; its file is left out"};
    }
    return RecordReader(file, header);
  }

  [[nodiscard]] const FileHeader& header() const { return header_; }

  // Gets the next record; false at the end. kTime, kWideId, repeats and constructs are resolved.
  bool next(Record& record) {
    if (made_next_ != made_end_) {
      record = made_[made_next_++];
      return true;
    }
    if (leaves_) {
      leaves_ = false;
      record = {Kind::kLeave, entered_, ticks_, {}};
      return true;
    }
    if (second_ != 0) {
      const std::uint64_t head = std::exchange(second_, 0);
      if (finish(record, head, head >> kKindBits & kMaxId)) return true;
    }
    std::uint64_t wide_id = 0;
    bool wide = false;
    for (;;) {
      if (position_ >= chunk_end_) {
        if (!open_chunk()) return false;
        wide = false;
        continue;
      }
      const std::size_t room = (chunk_end_ - position_) / sizeof(std::uint64_t);
      std::uint64_t head = room == 0 ? 0 : word(0);
      if (head == 0) {
        position_ = chunk_end_;
        continue;
      }
      if (has_enter(head)) {
        second_ = second_in(head);
        head = enter_in(head);
      }
      record.kind = kind_of(head);
      if (record.kind == Kind::kConstruct) {
        position_ += sizeof head;
        if (!expand(head)) continue;
        record = made_[made_next_++];
        return true;
      }
      if (record.kind == Kind::kEnd || record.kind >= Kind::kAfterLast) [[unlikely]] {
        if (record.kind == Kind::kExtended && take_extended(record, head, room)) return true;
        if (record.kind != Kind::kExtended) skip("unknown kind of record");
        continue;
      }
      const unsigned payload = payload_words(record.kind);
      if (1 + payload > room) {
        skip_cut();
        continue;
      }
      for (unsigned i = 0; i < payload; ++i) record.words[i] = word(1 + i);
      position_ += (1 + payload) * sizeof(std::uint64_t);
      if (record.kind == Kind::kTime) {
        set_time(record.words[0]);
        continue;
      }
      if (record.kind == Kind::kWideId) {
        ticks_ += head >> kTimeShift;
        wide_id = record.words[0];
        wide = true;
        continue;
      }
      if (!finish(record, head, wide ? wide_id : head >> kKindBits & kMaxId)) continue;
      if (record.kind == Kind::kEnter) entered_ = record.id;
      return true;
    }
  }

  [[nodiscard]] const std::vector<Damage>& damages() const { return damages_; }

  // For the follower of a file that is being written (tracer/follow). Its bytes are a header and
  // room for one chunk, which it fills with one chunk after the other. next() reads up to `known`
  // bytes of the chunk, where a record ends, and goes on there after grow_chunk().
  void begin_chunk(std::size_t known) {
    live_opened_ = true;  // there is no other one
    second_ = 0;
    leaves_ = skipped_ = false;
    damages_.clear();
    enter_chunk(0);
    grow_chunk(known);
    check_time(0);
  }
  void grow_chunk(std::size_t known) {
    chunk_end_ = std::min(file_.size(), kHeaderBytes + known);
    if (skipped_) position_ = chunk_end_;
  }
  // The rest of this chunk is not read, since it is damaged.
  [[nodiscard]] bool skipped() const { return skipped_; }

 private:
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  // Latest possible time: analyses compute differences of times, which must not overflow.
  static constexpr std::uint64_t kFarthest = INT64_MAX / 2;
  static constexpr const char* kImpossibleTime = "time is not possible";
  static constexpr std::uint64_t kPlainBits = kMaxId >> 1;  // bits of the id, without kLeaves

  // A ring begins with the oldest chunk that was not being overwritten.
  RecordReader(std::span<const std::byte> file, const FileHeader& header)
      : file_(file),
        header_(header),
        next_chunk_(header.ring_chunks == 0 || header.sealed < header.ring_chunks
                        ? 0
                        : header.sealed - header.ring_chunks + 1) {}

  [[nodiscard]] std::uint64_t word(std::size_t index) const {
    std::uint64_t value;
    std::memcpy(&value, file_.data() + position_ + index * sizeof value, sizeof value);
    return value;
  }

  // Fills the record from its head; the payload is already there. False: damage.
  bool finish(Record& record, std::uint64_t head, std::uint64_t id) {
    if (Repeats::begins(head)) {
      second_ = head & ~(Repeats::kBegins << kKindBits);
      record = {Kind::kCollectiveBegin, 0, ticks_, {}};
      return true;
    }
    const std::uint64_t ticks = ticks_ + (head >> kTimeShift);
    if (ticks > kFarthest) {
      skip(kImpossibleTime);
      return false;
    }
    ticks_ = ticks;
    record.kind = kind_of(head);
    record.id = id;
    record.ticks = ticks_;
    leaves_ = leaves(head);
    if (resolve_repeat(record) && !(leaves_ && entered_ == kNone)) return true;
    leaves_ = false;
    skip("record repeats one that is not there");
    return false;
  }

  // Takes an extended record. False: damage.
  bool take_extended(Record& record, std::uint64_t head, std::size_t room) {
    const std::size_t payload = payload_words_after(head);
    if (1 + payload > room) {
      skip_cut();
      return false;
    }
    record.payload = file_.subspan(position_ + sizeof head, payload * sizeof head);
    for (std::size_t i = 0; i < record.words.size(); ++i) {
      record.words[i] = i < payload ? word(1 + i) : 0;
    }
    position_ += (1 + payload) * sizeof head;
    if (!finish(record, head, head >> kKindBits & kMaxId)) return false;
    if (record.extended().family != Family::kThreads) return true;
    if (record.extended() == kConstructDefined) {
      define(record);
      return false;
    }
    if (record.extended() == kNextThread) record = {Kind::kThreadBegin, 0, ticks_, {}};
    return true;
  }

  void define(const Record& r) {
    const std::uint64_t kind = r.words[0] >> 8 & 0xffffff;
    if (r.length() != 3 || (r.words[0] & 0xff) >= kConstructSlots ||
        kind >= static_cast<unsigned>(ConstructKind::kCount)) {
      return skip("construct is not possible");
    }
    constructs_.define(
        static_cast<unsigned>(r.words[0] & 0xff),
        {static_cast<ConstructKind>(kind), r.lower_of(1), r.upper_of(1), r.lower_of(2)},
        r.upper_of(0));
  }

  // Makes the records that a construct word stands for. False: damage.
  bool expand(std::uint64_t word) {
    const unsigned slot = slot_in(word), stage = stage_in(word);
    const Construct& c = constructs_.at(slot);
    const ConstructFields fields = construct_fields(c.kind, stage);
    std::array<std::uint64_t, 4> times{};
    std::uint64_t ticks = ticks_;
    for (unsigned i = 0; i < fields.count; ++i) {
      ticks += word >> time_shift(fields, i) & ((std::uint64_t{1} << fields.times[i]) - 1);
      times[i] = ticks;
    }
    if (fields.count == 0 || ticks > kFarthest) {
      skip(fields.count == 0 ? "record repeats one that is not there" : kImpossibleTime);
      return false;
    }
    std::uint32_t number = constructs_.team();
    if (fields.number != 0 && (c.kind != ConstructKind::kCritical || stage > 0)) {
      number = constructs_.number(slot) + 1 +
               static_cast<std::uint32_t>(word >> kFieldShift & ((1U << fields.number) - 1));
      constructs_.set_number(slot, number);
    }
    made_next_ = made_end_ = 0;
    make(c, stage, number, times);
    ticks_ = ticks;
    return true;
  }
  void make(const Construct& c, unsigned stage, std::uint32_t number,
            const std::array<std::uint64_t, 4>& t) {
    const std::uint64_t begun = two_halves(c.outer, number), arrived = two_halves(c.inner, number),
                        lock = two_halves(c.object, number);
    switch (c.kind) {
      case ConstructKind::kMaker:
        make(kTeamBegun, t[1], 2, begun, to_word(MakerWord{true, c.object, t[1] - t[0]}));
        if (stage >= 2) make(kTeamArrived, t[2], 1, arrived);
        if (stage >= 3) make_leaves(c, t[3]);
        break;
      case ConstructKind::kMember:
        make(kTeamBegun, t[0], 1, begun);
        if (stage >= 1) make(kTeamArrived, t[1], 1, arrived);
        break;
      case ConstructKind::kTeamEnd:
        make(kTeamArrived, t[0], 1, arrived);
        if (stage >= 1) make_leaves(c, t[1]);
        break;
      case ConstructKind::kTeamLeft:
        make_leaves(c, t[0]);
        break;
      case ConstructKind::kWork:
        make(Kind::kEnter, c.outer, t[0]);
        make(Kind::kEnter, c.inner, t[1]);
        if (stage >= 2) make(Kind::kLeave, c.inner, t[2]);
        if (stage >= 3) make(Kind::kLeave, c.outer, t[3]);
        break;
      default:  // kCritical
        make(Kind::kEnter, c.outer, t[0]);
        if (stage >= 1) make(kLockAcquired, t[1], 1, lock);
        if (stage >= 1) make(Kind::kEnter, c.inner, t[1]);
        if (stage >= 2) make(Kind::kLeave, c.inner, t[2]);
        if (stage >= 2) make(kLockReleased, t[2], 1, lock);
        if (stage >= 3) make(Kind::kLeave, c.outer, t[3]);
        break;
    }
  }
  void make_leaves(const Construct& c, std::uint64_t t) {
    make(Kind::kLeave, c.inner, t);
    make(Kind::kLeave, c.outer, t);
  }
  void make(Kind kind, std::uint64_t id, std::uint64_t t) {
    made_[made_end_++] = {kind, id, t, {}};
  }
  void make(ExtendedKind kind, std::uint64_t t, std::size_t length, std::uint64_t first,
            std::uint64_t second = 0) {
    static constexpr std::array<std::byte, 2 * sizeof(std::uint64_t)> kZeros{};
    made_[made_end_++] = {Kind::kExtended,
                          extended_field(kind, length),
                          t,
                          {first, second},
                          std::span(kZeros).first(length * sizeof first)};
  }

  // Opens the sealed chunks in order, then the live one. A chunk begins with its absolute time. A
  // zero word instead means that the chunk was never used.
  bool open_chunk() {
    if (live_opened_) return false;
    const std::uint64_t number = next_chunk_++;
    // A damaged header may have the largest of all numbers, after which next_chunk_ would be 0.
    live_opened_ = number == header_.sealed;
    if (number > header_.sealed || (live_opened_ && header_.live != header_.sealed)) return false;
    const std::size_t in_ring = header_.ring_chunks == 0 ? number : number % header_.ring_chunks;
    const std::size_t place = number == header_.sealed ? 0 : in_ring + 1;
    const std::size_t bytes = file_.size() - kHeaderBytes;
    if (place != 0 && place >= (bytes + header_.chunk_bytes - 1) / header_.chunk_bytes) {
      damages_.push_back({file_.size(), "file ends before its last chunk"});
      next_chunk_ = header_.sealed;  // the live one may still be there
      position_ = chunk_end_ = 0;
      return true;
    }
    enter_chunk(place);
    check_time(place);
    return true;
  }
  void enter_chunk(std::size_t place) {
    repeats_.clear();
    constructs_.clear();
    made_next_ = made_end_ = 0;
    entered_ = kNone;
    position_ = kHeaderBytes + place * header_.chunk_bytes;
    chunk_end_ = std::min(file_.size(), position_ + header_.chunk_bytes);
  }
  void check_time(std::size_t place) {
    if (position_ + 2 * sizeof(std::uint64_t) > chunk_end_) {
      if (place != 0) damages_.push_back({position_, "file ends before its last chunk"});
      position_ = chunk_end_;
    } else if (word(0) != static_cast<std::uint64_t>(Kind::kTime)) {
      if (word(0) == 0) {
        position_ = chunk_end_;
      } else {
        skip("chunk does not begin with its time");
      }
    }
  }

  // Expands a repeat to the whole record, and remembers the contents of whole records. False: the
  // slot is empty.
  bool resolve_repeat(Record& record) {
    switch (record.kind) {
      case Kind::kSend:
      case Kind::kRecv:
        remember({record.id, record.words[0], record.words[1]});
        return true;
      case Kind::kIsend:
      case Kind::kIrecv:
        remember({record.id, record.words[0], record.words[1]});
        repeats_.set_request(record.words[2]);
        return true;
      case Kind::kCollectiveEnd:
        remember({record.id, record.words[0], record.words[1], record.words[2]});
        return true;
      case Kind::kIsendComplete:
      case Kind::kIrecvRequest:
        repeats_.set_request(record.words[0]);
        return true;
      case Kind::kSendAgain:
        return repeat(record, Kind::kSend);
      case Kind::kRecvAgain:
        return repeat(record, Kind::kRecv);
      case Kind::kCollectiveEndAgain:
        return repeat(record, Kind::kCollectiveEnd);
      case Kind::kIsendAgain:
      case Kind::kIrecvAgain: {
        const std::uint64_t field = (record.id & kPlainBits) >> Repeats::kSlotBits;
        const Kind whole = record.kind == Kind::kIsendAgain ? Kind::kIsend : Kind::kIrecv;
        if (!repeat(record, whole)) return false;
        record.words[2] = use_request(field, Repeats::kRequestBits);
        return true;
      }
      case Kind::kIsendCompleteNear:
      case Kind::kIrecvRequestNear:
        record.kind =
            record.kind == Kind::kIsendCompleteNear ? Kind::kIsendComplete : Kind::kIrecvRequest;
        record.words[0] = use_request(record.id & kPlainBits, Repeats::kFarBits);
        record.id = 0;
        return true;
      default:
        return true;
    }
  }
  void remember(const Contents& contents) {
    repeats_.remember(Repeats::slot_of(contents), contents);
  }
  bool repeat(Record& record, Kind whole) {
    const Contents& contents = repeats_.at(record.id & ((1U << Repeats::kSlotBits) - 1));
    if (contents.id == Contents::kNoContents) return false;
    record.kind = whole;
    record.id = contents.id;
    record.words = {contents.w1, contents.w2, contents.w3};
    return true;
  }
  std::uint64_t use_request(std::uint64_t field, unsigned bits) {
    repeats_.set_request(repeats_.request_at(field, bits));
    return repeats_.request();
  }

  void set_time(std::uint64_t ticks) {
    if (ticks > kFarthest) {
      skip(kImpossibleTime);
    } else if (ticks < ticks_) {
      damages_.push_back({position_, "time goes backwards; the previous time is used"});
    } else {
      ticks_ = ticks;
    }
  }

  // Handles a record that is longer than the rest of its chunk.
  void skip_cut() {
    skip(chunk_end_ == file_.size() ? "file ends inside a record" : "record crosses its chunk");
  }
  void skip(const char* what) {
    damages_.push_back({position_, what});
    position_ = chunk_end_;
    skipped_ = true;
  }

  std::span<const std::byte> file_;
  FileHeader header_;
  std::uint64_t next_chunk_ = 0;
  bool live_opened_ = false;  // the last chunk in the order of time
  std::size_t position_ = 0;
  std::size_t chunk_end_ = 0;
  std::uint64_t ticks_ = 0;
  Repeats repeats_;
  Constructs constructs_;
  // Records of the last construct word.
  std::array<Record, 6> made_{};
  std::size_t made_next_ = 0, made_end_ = 0;
  std::uint64_t entered_ = kNone;  // region of the last kEnter of this chunk
  std::uint64_t second_ = 0;       // head of the second record in the last word, or 0
  bool leaves_ = false;            // the last record also stands for a leave
  bool skipped_ = false;           // the rest of this chunk, since it is damaged
  std::vector<Damage> damages_;
};

}  // namespace latecomer::record
