// SPDX-License-Identifier: BSD-3-Clause
// Compact record format: what a thread writes while the program runs.
#pragma once

#include <cstddef>
#include <cstdint>

namespace latecomer::record {

// Each thread has one file, `records/<rank>.<thread>.rec`: a header of kHeaderBytes, then chunks of
// `chunk_bytes`. All words have 64 bits in native byte order; kMagic reveals a foreign one. A new
// thread continues the file of a thread that has ended (kThreadBegin). There are as many files as
// there were threads at the same time.
//
//   header | live chunk | sealed chunk 0 | sealed chunk 1 | ...
//
// The program writes to the live chunk, which is mapped; its pages stay in the cache. A full live
// chunk is copied to the end of the file, counted in `sealed`, and used again. That is several
// times cheaper than mapping fresh pages of a file. If `live` equals `sealed`, the live chunk holds
// newer records than all sealed chunks. Otherwise the process was killed between the copy and the
// new beginning, and the contents of the live chunk have already been copied.
//
// A ring keeps only the last records, in a file that never grows, for a program that is followed
// and not traced. It has `ring_chunks` places for sealed chunks: chunk n is at place n %
// ring_chunks. While chunk n is being sealed, chunk n - ring_chunks is overwritten. A table in the
// header's page says how many records come before each chunk, so a reader that is too slow can
// count what it missed.
//
//   header | live chunk | sealed chunk 3 | sealed chunk 4 | sealed chunk 2 |     ring_chunks = 3
//
// A record is one header word and up to four payload words:
//
//   bit  0.. 5   kind
//   bit  6..23   id: region, communicator, window, ...
//   bit 24..63   ticks since the previous record
//
// Programs repeat themselves. A message or collective operation that this chunk has already seen
// takes one word (repeats.hpp). That word can also hold the leave that follows (kLeaves) and an
// enter shortly before it (has_enter). Five words of an MPI_Send become one:
//
//   first time   | kEnter | kSend | peer, tag | bytes | kLeave |
//   again        | kEnterSendAgain with kLeaves |
//
// A short visit of a region in which nothing else was recorded takes one word, too (kVisit). So
// does a whole parallel region, loop with its barrier, or critical section that this chunk has
// already seen (kConstruct).
//
// The six bits of a kind are used up. Further sources of events use kExtended, which has
// kinds of its own and says how long it is (extended.hpp).
//
// A record never crosses a chunk; a zero word ends a chunk. The payload of a record and the zero
// word after it are stored before its header word. A process can therefore be killed between any
// two instructions, and every record that has a header is whole. The first record of each chunk is
// kTime with the absolute time, so chunks can be read independently. kFlush stands at the beginning
// of a chunk, before the record that found no room in the full chunk. That record was made before
// the flush; the records after it were made after the flush.
enum class Kind : std::uint8_t {
  kEnd = 0,              // no more records in this chunk
  kTime,                 // w1 absolute ticks; also written if the distance does not fit 40 bits
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
  kCallPath,             // id frame that calls MPI from here on; 0: unknown. Not an event
  kWideId,               // w1 = the id of the next record, if it does not fit 18 bits
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
  kFileMoved,            // id handle; w1 offset; w2 its origin (kFromStart ...); w3 new position
  kLeaveUnsuccessful,    // id region; w1 calls | their ticks << 24: unsuccessful polls
  kFileCall,             // id handle: a collective call without a record of its own
  kFlush,                // w1 absolute ticks of its begin; w2 ticks spent on storing a chunk
  kConstruct,            // a construct of threads that is repeated (construct_words.hpp)
  // Repetitions in this chunk (repeats.hpp): the id is a slot. If the record has a request, its
  // distance from the previous request stands above the slot.
  kSendAgain,
  kRecvAgain,
  kIsendAgain,
  kIrecvAgain,
  kCollectiveEndAgain,
  kIsendCompleteNear,  // id: distance of the request from the previous one
  kIrecvRequestNear,
  // Kinds in the order above, each joined with the enter of an MPI function directly before it
  // (has_enter).
  kEnterSendAgain,
  kEnterRecvAgain,
  kEnterIsendAgain,
  kEnterIrecvAgain,
  kEnterCollectiveEndAgain,
  kEnterIsendCompleteNear,
  kEnterIrecvRequestNear,
  kVisit,  // id region: an enter and its leave, shortly after each other (can_visit)
  kAfterLast,
  kExtended = 63,  // a record of a family of its own, with its length (extended.hpp)
  // Kinds that only readers return. In the file they are extended records.
  kThreadBegin  // the thread has ended; another one continues the file
};

inline constexpr std::uint64_t kMagic = 0x31434552'4d4f434c;  // "LCOMREC1"
inline constexpr std::size_t kHeaderBytes = 4096;
inline constexpr unsigned kKindBits = 6;
inline constexpr unsigned kIdBits = 18;
inline constexpr unsigned kTimeShift = kKindBits + kIdBits;
inline constexpr std::uint64_t kMaxId = (std::uint64_t{1} << kIdBits) - 1;
inline constexpr std::uint64_t kMaxDistance = (std::uint64_t{1} << 40) - 1;

// Bit in the head of a record from kSendAgain on: the region that was entered last is left at the
// same time. It saves the kLeave record.
inline constexpr std::uint64_t kLeaves = std::uint64_t{1} << (kTimeShift - 1);

// What a file of records is about. Most are threads. Locations of other kinds are numbered like the
// threads of their process and have files like theirs.
enum class LocationKind : std::uint32_t {
  kThread,
  kDevice,   // a queue of work on a device, such as a stream of a GPU
  kSamples,  // samples of the process that no thread of it took
  kMonitor,  // values that are measured beside the process
  kCount
};

// First bytes of a record file.
struct FileHeader {
  std::uint64_t magic = kMagic;
  std::uint32_t version = 4;
  std::uint32_t chunk_bytes = 0;
  std::uint32_t rank = 0;
  std::uint32_t thread = 0;  // 0 is the thread that called MPI_Init
  std::uint64_t sealed = 0;  // number of chunks after the live one
  std::uint64_t live = 0;    // number that the live chunk will have when it is sealed
  // Losses are kept up to date while the program runs, so they are right for a killed process, too.
  std::uint64_t lost_records = 0;   // not written: no space, input/output error, or no directory
  std::uint64_t lost_bytes = 0;     // their size
  std::uint64_t clamped_times = 0;  // the timer had stepped back; the previous time was used
  LocationKind kind = LocationKind::kThread;
  std::uint32_t ring_chunks = 0;  // places for sealed chunks; 0: the file grows
  std::uint64_t records = 0;      // only of a ring: records (is_event) in all sealed chunks so far
};

// Place of the table of a ring in the page of the header: for each place of a sealed chunk, the
// number of records before it, 64 bits each.
inline constexpr std::size_t kRingOffset = 256;
inline constexpr std::uint32_t kMostRingChunks = 32;
static_assert(sizeof(FileHeader) <= kRingOffset);

constexpr Kind kind_of(std::uint64_t head) {
  return static_cast<Kind>(head & ((std::uint64_t{1} << kKindBits) - 1));
}

// True if this record also stands for a leave.
constexpr bool leaves(std::uint64_t head) {
  const Kind kind = kind_of(head);
  return kind >= Kind::kSendAgain && kind < Kind::kVisit && (head & kLeaves) != 0;
}

// False for records that only say something about others. They are not counted.
constexpr bool is_event(Kind kind) {
  return kind != Kind::kTime && kind != Kind::kWideId && kind != Kind::kCallPath &&
         kind != Kind::kFlush;
}

// An enter and the record after it share one word:
//
//   bit  0.. 5   kind
//   bit  6..23   id of the second record
//   bit 24..35   region of the enter
//   bit 36..49   ticks from the previous record to the enter
//   bit 50..63   ticks from the enter to the second record
inline constexpr unsigned kRegionBits = 12;
inline constexpr unsigned kShortBits = 14;
inline constexpr unsigned kToEntered =
    static_cast<unsigned>(Kind::kEnterSendAgain) - static_cast<unsigned>(Kind::kSendAgain);
static_assert(kTimeShift + kRegionBits + 2 * kShortBits == 64);
static_assert(Kind::kAfterLast <= Kind::kExtended);
static_assert(static_cast<unsigned>(Kind::kExtended) == (1U << kKindBits) - 1);

constexpr bool has_enter(std::uint64_t head) {
  return kind_of(head) >= Kind::kEnterSendAgain && kind_of(head) < Kind::kAfterLast;
}
constexpr bool can_join(std::uint64_t region, std::uint64_t before, std::uint64_t between) {
  return ((before | between) >> kShortBits | region >> kRegionBits) == 0;
}
// Joins an enter and a second record; `again` is the kind that the second one has alone.
constexpr std::uint64_t join(Kind again, std::uint64_t id, std::uint64_t region,
                             std::uint64_t before, std::uint64_t between) {
  return (((between << kShortBits | before) << kRegionBits | region) << kIdBits | id) << kKindBits |
         (static_cast<std::uint64_t>(again) + kToEntered);
}
// An enter and the leave that follows it directly share a word of kVisit:
//
//   bit  6..23   region
//   bit 24..43   ticks from the previous record to the enter
//   bit 44..63   ticks from the enter to the leave
inline constexpr unsigned kVisitBits = 20;
static_assert(kTimeShift + 2 * kVisitBits == 64);

constexpr bool can_visit(std::uint64_t before, std::uint64_t length) {
  return (before | length) >> kVisitBits == 0;
}
constexpr std::uint64_t visit(std::uint64_t region, std::uint64_t before, std::uint64_t length) {
  return ((length << kVisitBits | before) << kIdBits | region) << kKindBits |
         static_cast<std::uint64_t>(Kind::kVisit);
}
// The heads that the enter and the second record of a joined word would have alone.
constexpr std::uint64_t enter_in(std::uint64_t head) {
  if (kind_of(head) == Kind::kVisit) {
    const std::uint64_t before = head >> kTimeShift & ((1U << kVisitBits) - 1);
    return static_cast<std::uint64_t>(Kind::kEnter) | (head & kMaxId << kKindBits) |
           before << kTimeShift;
  }
  const std::uint64_t region = head >> kTimeShift & ((1U << kRegionBits) - 1);
  const std::uint64_t before = head >> (kTimeShift + kRegionBits) & ((1U << kShortBits) - 1);
  return static_cast<std::uint64_t>(Kind::kEnter) | region << kKindBits | before << kTimeShift;
}
constexpr std::uint64_t second_in(std::uint64_t head) {
  if (kind_of(head) == Kind::kVisit) {
    const std::uint64_t length = head >> (64 - kVisitBits);
    return static_cast<std::uint64_t>(Kind::kLeave) | (head & kMaxId << kKindBits) |
           length << kTimeShift;
  }
  const std::uint64_t between = head >> (64 - kShortBits);
  return (static_cast<std::uint64_t>(kind_of(head)) - kToEntered) | (head & kMaxId << kKindBits) |
         between << kTimeShift;
}

// Number of payload words of a record, unless it is extended.
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
    case Kind::kLeaveUnsuccessful:
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
// Number of payload words of any record.
inline constexpr unsigned kLengthShift = 20;
constexpr unsigned payload_words_after(std::uint64_t head) {
  const Kind kind = kind_of(head);
  return kind == Kind::kExtended ? head >> kLengthShift & 15 : payload_words(kind);
}

// Bits above OTF2's code in the operation of a collective record. kAllPositive: all counts of this
// process are positive. kNeighborhood: the operation is a neighborhood collective.
inline constexpr std::uint32_t kAllPositive = 0x80000000;
inline constexpr std::uint32_t kNeighborhood = 0x40000000;
inline constexpr std::uint32_t kOperationMask = 0xff;
// Number of a persistent operation on its communicator, from 1; 0: not persistent.
inline constexpr unsigned kSeriesShift = 8;
inline constexpr std::uint32_t kSeriesMask = 0x3fffff;

// Operations that kUnrecorded counts: those on a channel, communicator, window or file while this
// thread did not record, or in calls that a filter leaves out. The counts are written before
// recording is switched on again, or before the next record whose order depends on them.
//
//   operation                     peer                  tag
//   kSend, kReceive               peer                  tag
//   kCollective                   0                     series of a persistent operation
//   epoch with a group            the group             0      counted where it begins
//   kLock                         target or kEverybody  0
//   all others                    0                     0
//
// kFileCollective counts the calls that open or close a file and each collective call of an
// operation, both halves of a split one included. Operations with a request are not counted.
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

// Bit in the request word of an operation in a call that a filter leaves out. The trace has no call
// for it; the record only keeps its place among the recorded operations.
inline constexpr std::uint64_t kLeftOut = std::uint64_t{1} << 63;

// Consecutive calls of a function that completed nothing, with no record in between, form one visit
// of its region. The visit is the kEnter of the first call and the kLeaveUnsuccessful of the last
// one. The latter holds the number of calls and the sum of their times; each further call updates
// it.
inline constexpr unsigned kPollCountBits = 24;
inline constexpr std::uint64_t kMostPolls = (std::uint64_t{1} << kPollCountBits) - 1;

// Ids of regions below this one are MPI functions, or functions on files (file_functions.hpp).
inline constexpr std::uint32_t kFirstOwnRegion = 1U << kRegionBits;

// Levels of a synchronization, and the target of a lock on all processes; the values are OTF2's.
inline constexpr std::uint32_t kLevelProcess = 1;
inline constexpr std::uint32_t kLevelMemory = 2;
// Bit beside the level of a synchronization with a group: it is that of an origin, otherwise that
// of a target.
inline constexpr std::uint32_t kAccess = 0x80000000;
inline constexpr std::int32_t kEverybody = -1;

// Constants for files with OTF2's values: modes of access, flags of creation, status flags, and
// origins of a new position.
inline constexpr std::uint32_t kReadOnly = 0, kWriteOnly = 1, kReadWrite = 2;
inline constexpr std::uint32_t kCreate = 1, kExclusive = 1 << 3, kNoSeek = 1 << 9;
inline constexpr std::uint32_t kAppend = 1 << 1, kDeleteOnClose = 1 << 8;
inline constexpr std::uint32_t kFromStart = 0, kFromCurrent = 1, kFromEnd = 2;

// Flags of file operations. kSplit, in a matching id, marks an operation with two halves.
inline constexpr std::uint32_t kFileNonblocking = 1, kFileCollective = 2;
inline constexpr std::uint64_t kSplit = std::uint64_t{1} << 62;

// Special roots of collective records; the values are OTF2's.
inline constexpr std::uint32_t kRootNone = 0xffffffff;
inline constexpr std::uint32_t kRootSelf = 0xfffffffe;
inline constexpr std::uint32_t kRootThisGroup = 0xfffffffd;

}  // namespace latecomer::record
