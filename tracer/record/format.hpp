// SPDX-License-Identifier: BSD-3-Clause
// The compact record format: what a thread writes while the program runs.
#pragma once

#include <cstddef>
#include <cstdint>

namespace latecomer::record {

// One file per thread, `records/<rank>.<thread>.rec`: a header of kHeaderBytes, then chunks of
// `chunk_bytes`. All words are 64 bits, native byte order (kMagic tells a foreign one). A thread
// that begins goes on in the file of one that has ended (kThreadBegin): there are as many files as
// there were threads at the same time.
//
//   header | live chunk | sealed chunk 0 | sealed chunk 1 | ...
//
// The live chunk is mapped and written by the program; its pages stay in the cache. When it is full
// it is copied to the end of the file, counted in `sealed`, and used again: that is several times
// cheaper than mapping fresh pages of a file. It holds newer records than all sealed chunks, if
// `live` equals `sealed`; else the process was killed between the copy and the new beginning, and
// what is in it has been copied.
//
// A record is one header word and up to four payload words:
//
//   bit 0..5  kind      6..23  id: region or communicator     24..63  ticks since the previous
//   record
//
// Programs say the same again and again: a message or collective operation that this chunk had
// before takes one word, in which the end of the call finds place, too (kLeaves), and its begin
// if that was a moment ago (has_enter).
//
// A record never crosses a chunk; a zero word ends a chunk. The zero word behind a record and its
// payload are stored before its header word, so a process can be killed between any two
// instructions and every record that has a header is whole. The first record of each chunk is kTime
// with the absolute time, so chunks can be read on their own. kFlush stands at the begin of a
// chunk, before the record that there was no room for: that one was made before the flush, what
// follows after it.
enum class Kind : std::uint8_t {
  kEnd = 0,              // nothing more in this chunk
  kTime,                 // w1 absolute ticks; also where the distance does not fit 40 bits
  kEnter,                // id region
  kLeave,                // id region
  kSend,                 // id comm; w1 peer | tag << 32; w2 bytes
  kRecv,                 // id comm; w1 peer | tag << 32; w2 bytes
  kIsend,                // id comm; w1 peer | tag << 32; w2 bytes; w3 request
  kIsendComplete,        // w1 request
  kIrecvRequest,         // w1 request
  kIrecv,                // id comm; w1 peer | tag << 32; w2 bytes; w3 request
  kRequestTest,          // w1 request
  kRequestCancelled,     // w1 request
  kCollectiveBegin,      //
  kCollectiveEnd,        // id comm; w1 op | root << 32; w2 sent; w3 received
  kNonblockingRequest,   // w1 request
  kNonblockingComplete,  // id comm; w1 op | root << 32; w2 sent; w3 received; w4 request
  kCommCreate,           // id comm
  kCommDestroy,          // id comm
  kMeasurement,          // id 1 = recording on, 0 = off
  kProgramBegin,         //
  kProgramEnd,           //
  kCallPath,             // id frame that calls MPI from here on; 0: unknown. No event by itself
  kWideId,               // w1 = the id of the next record, where 18 bits do not hold it
  kWindowCreate,         // id window
  kWindowDestroy,        // id window
  kRmaCollectiveBegin,   //
  kRmaCollectiveEnd,     // id window; w1 op | level << 32
  kRmaGroupSync,         // id window; w1 group | level << 32
  kRmaRequestLock,       // id window; w1 target | 1 << 32 if shared
  kRmaReleaseLock,       // id window; w1 target
  kRmaSync,              // id window; w1 target
  kRmaPut,               // id window; w1 target; w2 bytes; w3 matching id
  kRmaGet,               // id window; w1 target; w2 bytes; w3 matching id
  kRmaAtomic,            // id window; w1 target | type << 32; w2 sent; w3 received; w4 matching id
  kRmaComplete,          // id window; w1 matching id
  kRmaCompleteRemote,    // id window; w1 matching id
  kUnrecorded,           // id comm, window, file; w1 peer | tag << 32; w2 operation | count << 8
  kFileOpened,           // id handle of a file
  kFileClosed,           // id handle
  kFileDeleted,          // id file
  kFileBegin,            // id handle; w1 mode | flags << 32; w2 bytes; w3 matching id
  kFileIssued,           // id handle; w1 matching id
  kFileComplete,         // id handle; w1 bytes; w2 matching id
  kFileMoved,            // id handle; w1 offset; w2 what from; w3 position after that
  kLeaveInVain,          // id region; w1 calls | ticks in them << 24: tests that completed nothing
  kFileCall,             // id handle: a collective call that has no record of its own
  kFlush,                // w1 absolute ticks of its begin; w2 ticks that storing a chunk took
  kThreadBegin,          // the thread has ended, what follows is of another one
  // Once more in this chunk (repeats.hpp): the id is a slot, and with a request its distance from
  // the last one above that.
  kSendAgain,
  kRecvAgain,
  kIsendAgain,
  kIrecvAgain,
  kCollectiveEndAgain,
  kIsendCompleteNear,  // id: distance of the request from the last one
  kIrecvRequestNear,
  // In the same order, each with the enter of an MPI function directly before it (has_enter).
  kEnterSendAgain,
  kEnterRecvAgain,
  kEnterIsendAgain,
  kEnterIrecvAgain,
  kEnterCollectiveEndAgain,
  kEnterIsendCompleteNear,
  kEnterIrecvRequestNear,
  kBehindLast
};

inline constexpr std::uint64_t kMagic = 0x31434552'4d4f434c;  // "LCOMREC1"
inline constexpr std::size_t kHeaderBytes = 4096;
inline constexpr unsigned kKindBits = 6;
inline constexpr unsigned kIdBits = 18;
inline constexpr unsigned kTimeShift = kKindBits + kIdBits;
inline constexpr std::uint64_t kMaxId = (std::uint64_t{1} << kIdBits) - 1;
inline constexpr std::uint64_t kMaxDistance = (std::uint64_t{1} << 40) - 1;

// In the head of a record from kSendAgain on: the region that was entered last is left at the same
// time. That saves the record of it.
inline constexpr std::uint64_t kLeaves = std::uint64_t{1} << (kTimeShift - 1);

// First bytes of a record file.
struct FileHeader {
  std::uint64_t magic = kMagic;
  std::uint32_t version = 3;
  std::uint32_t chunk_bytes = 0;
  std::uint32_t rank = 0;
  std::uint32_t thread = 0;  // 0 is the thread that called MPI_Init
  std::uint64_t sealed = 0;  // chunks behind the live one
  std::uint64_t live = 0;    // number that the live chunk will have when it is sealed
  // Kept up to date while the program runs, so that they are true for a killed process as well.
  std::uint64_t lost_records = 0;   // not written: no space, input/output error, or no directory
  std::uint64_t lost_bytes = 0;     // their size
  std::uint64_t clamped_times = 0;  // the timer had stepped back; the previous time was used
};

constexpr Kind kind_of(std::uint64_t head) {
  return static_cast<Kind>(head & ((std::uint64_t{1} << kKindBits) - 1));
}

// The record of a leave is in this one.
constexpr bool leaves(std::uint64_t head) {
  const Kind kind = kind_of(head);
  return kind >= Kind::kSendAgain && kind < Kind::kBehindLast && (head & kLeaves) != 0;
}

// Two records in one word:
//
//   bit 0..5  kind    6..23  id of the second    24..35  region of the enter
//   36..49  ticks before the enter    50..63  ticks between the two
inline constexpr unsigned kRegionBits = 12;
inline constexpr unsigned kShortBits = 14;
inline constexpr unsigned kToEntered =
    static_cast<unsigned>(Kind::kEnterSendAgain) - static_cast<unsigned>(Kind::kSendAgain);
static_assert(kTimeShift + kRegionBits + 2 * kShortBits == 64);
static_assert(static_cast<unsigned>(Kind::kBehindLast) <= 1U << kKindBits);

constexpr bool has_enter(std::uint64_t head) {
  return kind_of(head) >= Kind::kEnterSendAgain && kind_of(head) < Kind::kBehindLast;
}
constexpr bool can_join(std::uint64_t region, std::uint64_t before, std::uint64_t between) {
  return ((before | between) >> kShortBits | region >> kRegionBits) == 0;
}
// `again`: kind of the second one.
constexpr std::uint64_t join(Kind again, std::uint64_t id, std::uint64_t region,
                             std::uint64_t before, std::uint64_t between) {
  return (((between << kShortBits | before) << kRegionBits | region) << kIdBits | id) << kKindBits |
         (static_cast<std::uint64_t>(again) + kToEntered);
}
// The heads that both would have alone.
constexpr std::uint64_t enter_in(std::uint64_t head) {
  const std::uint64_t region = head >> kTimeShift & ((1U << kRegionBits) - 1);
  const std::uint64_t before = head >> (kTimeShift + kRegionBits) & ((1U << kShortBits) - 1);
  return static_cast<std::uint64_t>(Kind::kEnter) | region << kKindBits | before << kTimeShift;
}
constexpr std::uint64_t second_in(std::uint64_t head) {
  const std::uint64_t between = head >> (64 - kShortBits);
  return (static_cast<std::uint64_t>(kind_of(head)) - kToEntered) | (head & kMaxId << kKindBits) |
         between << kTimeShift;
}

// Number of payload words of a record.
constexpr unsigned payload_words(Kind kind) {
  switch (kind) {
    case Kind::kTime:
    case Kind::kIsendComplete:
    case Kind::kIrecvRequest:
    case Kind::kRequestTest:
    case Kind::kRequestCancelled:
    case Kind::kNonblockingRequest:
    case Kind::kWideId:
    case Kind::kRmaCollectiveEnd:
    case Kind::kRmaGroupSync:
    case Kind::kRmaRequestLock:
    case Kind::kRmaReleaseLock:
    case Kind::kRmaSync:
    case Kind::kRmaComplete:
    case Kind::kRmaCompleteRemote:
    case Kind::kLeaveInVain:
    case Kind::kFileIssued:
      return 1;
    case Kind::kSend:
    case Kind::kRecv:
    case Kind::kUnrecorded:
    case Kind::kFileComplete:
    case Kind::kFlush:
      return 2;
    case Kind::kRmaPut:
    case Kind::kRmaGet:
    case Kind::kIsend:
    case Kind::kIrecv:
    case Kind::kCollectiveEnd:
    case Kind::kFileBegin:
    case Kind::kFileMoved:
      return 3;
    case Kind::kNonblockingComplete:
    case Kind::kRmaAtomic:
      return 4;
    default:
      return 0;
  }
}

// In the operation of a collective record, beside OTF2's code in the low bits: all counts of this
// process are positive; it is one on a neighborhood.
inline constexpr std::uint32_t kAllPositive = 0x80000000;
inline constexpr std::uint32_t kNeighborhood = 0x40000000;
inline constexpr std::uint32_t kOperationMask = 0xff;
// Of a persistent operation: its number on the communicator, from 1.
inline constexpr unsigned kSeriesShift = 8;
inline constexpr std::uint32_t kSeriesMask = 0x3fffff;

// What kUnrecorded counts: what happened on a channel, communicator or window while this thread did
// not record, or in calls that a filter leaves out. Written before recording is switched on again,
// or before the next record that has its place behind them. Of collective operations the tag is the
// series of a persistent one. Of epochs with a group, counted where they begin, the peer is that
// group; of locks it is the target, or everybody; of transfers nothing. Collective calls on a file
// are those that open or close it, and each call of an operation but those with a request.
enum class UnrecordedOperation : std::uint8_t {
  kSend,
  kReceive,
  kCollective,
  kWindowCollective,
  kAccessEpoch,
  kExposureEpoch,
  kLock,
  kTransfer,
  kFileCollective
};
inline constexpr unsigned kUnrecordedCountShift = 8;

// In the request word of what happened in a call that a filter leaves out: it has no call in the
// trace, and is there for its place among the operations that are recorded.
inline constexpr std::uint64_t kLeftOut = std::uint64_t{1} << 63;

// Calls of a function that completed nothing, with nothing in between, are one visit of its region:
// kEnter of the first one, kLeaveInVain of the last one, which says how many they were and the sum
// of their times. Each further call changes that record.
inline constexpr unsigned kInVainBits = 24;
inline constexpr std::uint64_t kMostInVain = (std::uint64_t{1} << kInVainBits) - 1;

// Regions below are MPI functions.
inline constexpr std::uint32_t kFirstOwnRegion = 1U << kRegionBits;

// Levels of synchronization, target of a lock of everybody; the values are OTF2's.
inline constexpr std::uint32_t kLevelProcess = 1;
inline constexpr std::uint32_t kLevelMemory = 2;
// Beside the level of a synchronization with a group: it is that of an origin, else of a target.
inline constexpr std::uint32_t kAccess = 0x80000000;
inline constexpr std::int32_t kEverybody = -1;

// Of files; the values are OTF2's: modes of access, flags of creation, status flags, what a new
// position counts from.
inline constexpr std::uint32_t kReadOnly = 0, kWriteOnly = 1, kReadWrite = 2;
inline constexpr std::uint32_t kCreate = 1, kExclusive = 1 << 3, kNoSeek = 1 << 9;
inline constexpr std::uint32_t kAppend = 1 << 1, kDeleteOnClose = 1 << 8;
inline constexpr std::uint32_t kFromStart = 0, kFromCurrent = 1, kFromEnd = 2;

// Flags of operations; and in their matching ids: the operation has two halves.
inline constexpr std::uint32_t kFileNonblocking = 1, kFileCollective = 2;
inline constexpr std::uint64_t kSplit = std::uint64_t{1} << 62;

// Special roots of collective records; the values are OTF2's.
inline constexpr std::uint32_t kRootNone = 0xffffffff;
inline constexpr std::uint32_t kRootSelf = 0xfffffffe;
inline constexpr std::uint32_t kRootThisGroup = 0xfffffffd;

}  // namespace latecomer::record
