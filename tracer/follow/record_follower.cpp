// SPDX-License-Identifier: BSD-3-Clause
// Reads the end of the live chunk, or the rest of a sealed one, into the buffer of the reader.
#include "tracer/follow/record_follower.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <span>
#include <utility>

#include "archive/plain_file.hpp"
#include "tracer/follow/settled_words.hpp"
#include "tracer/record/live_state.hpp"

namespace latecomer::follow {
namespace {

using record::FileHeader;
using record::kHeaderBytes;
using record::RecordReader;

constexpr std::size_t kWord = sizeof(std::uint64_t);
// The library's chunks are smaller; a damaged header may say anything.
constexpr std::uint32_t kLargestChunk = 64U << 20;
constexpr std::size_t kFirstWords = 512;  // that are read of the live chunk, unless there are more

}  // namespace

Result<RecordFollower> RecordFollower::open(const std::string& path) {
  ReadFile file(path);
  if (!file.ok()) return Problem{"cannot read " + path + ": " + file_error(errno), ""};
  std::vector<std::byte> page(kHeaderBytes);
  page.resize(file.read(page, 0));
  const auto reader = RecordReader::over(page);
  if (!reader) return Problem{path + ": " + reader.problem().what, reader.problem().next};
  if (reader->header().chunk_bytes > kLargestChunk) {
    return Problem{path + ": record file names an impossible chunk size", ""};
  }
  return RecordFollower(std::move(file), reader->header());
}

RecordFollower::RecordFollower(ReadFile file, const FileHeader& header)
    : file_(std::move(file)), header_(header), chunk_bytes_(header.chunk_bytes) {
  const std::size_t bytes = kHeaderBytes + chunk_bytes_;
  // Pages that are not used take no memory.
  bytes_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
  FileHeader one = header;
  one.sealed = one.live = 0;
  std::memcpy(bytes_.get(), &one, sizeof one);
  reader_.emplace(RecordReader::over({bytes_.get(), bytes}).value());
  reader_->begin_chunk(0);
}

bool RecordFollower::read_header() {
  FileHeader now;
  std::array<std::byte, record::kRingOffset + record::kMostRingChunks * kWord> raw{};
  if (file_.read(raw, 0) != raw.size()) return false;
  std::memcpy(&now, raw.data(), sizeof now);
  std::atomic_thread_fence(std::memory_order_acquire);
  if (now.ring_chunks != 0 && now.ring_chunks == header_.ring_chunks) {
    std::memcpy(&before_, raw.data() + record::kRingOffset + chunk_ % now.ring_chunks * kWord,
                sizeof before_);
  }
  if (now.magic != header_.magic || now.chunk_bytes != chunk_bytes_ ||
      now.ring_chunks != header_.ring_chunks || now.sealed < header_.sealed) {
    broken_ = true;
    damaged("header has changed");
    return false;
  }
  header_ = now;
  return true;
}

// A chunk of a ring is overwritten from the time on when as many chunks have been sealed after it
// as there are places.
bool RecordFollower::is_overwritten(std::uint64_t chunk) const {
  return header_.ring_chunks != 0 && header_.sealed >= header_.ring_chunks &&
         chunk <= header_.sealed - header_.ring_chunks;
}

RecordFollower::Progress RecordFollower::read_on() {
  count_damages();
  if (broken_) {
    ended_ = gone_;
    return Progress::kNone;
  }
  if (whole_) return next_chunk(chunk_ + 1);
  for (int i = 0; i < kTries && read_header(); ++i) {
    if (header_.sealed > chunk_) return read_sealed();
    if (header_.sealed < chunk_ || header_.live != header_.sealed) break;  // nothing yet
    const Progress progress = read_live();
    if (progress != Progress::kNone) return progress;
    if (header_.sealed == chunk_ && header_.live == chunk_) break;  // not sealed meanwhile
  }
  see_end();
  return Progress::kNone;
}

// Copies the end of the live chunk twice. It is left for the next time if the chunk was sealed
// meanwhile.
RecordFollower::Progress RecordFollower::read_live() {
  const std::size_t offset = kHeaderBytes + settled_;
  const std::size_t most = (chunk_bytes_ - settled_) / kWord;
  SettledWords found;
  for (std::size_t words = std::min(kFirstWords, most);; words = std::min(4 * words, most)) {
    first_.assign(words, 0);
    second_.assign(words, 0);
    (void)file_.read(std::as_writable_bytes(std::span(first_)), offset);
    std::atomic_thread_fence(std::memory_order_acquire);
    (void)file_.read(std::as_writable_bytes(std::span(second_)), offset);
    found = settled_words(first_, second_, gone_);
    if (!found.goes_on || words == most) break;
  }
  std::atomic_thread_fence(std::memory_order_acquire);
  const auto sealed = header_.sealed, live = header_.live;
  if (!read_header() || header_.sealed != sealed || header_.live != live) return Progress::kNone;
  const std::size_t settled = settled_ + found.settled * kWord;
  const std::size_t end = settled_ + found.end * kWord;
  std::byte* const target = bytes_.get() + offset;
  if (settled == 0 || (settled == settled_ && end == tail_end_ &&
                       std::memcmp(target, second_.data(), found.end * kWord) == 0)) {
    return Progress::kNone;
  }
  std::memcpy(target, second_.data(), found.end * kWord);
  return take(settled, end);
}

// A chunk of a ring counts only if it was not being overwritten when the copy was complete. If it
// was, the follower is too slow. It goes on in the middle of the ring, to have time to read.
RecordFollower::Progress RecordFollower::read_sealed() {
  const auto middle = [this] { return next_chunk(header_.sealed - header_.ring_chunks / 2); };
  if (is_overwritten(chunk_)) return middle();
  const std::size_t at = settled_;
  const std::span<std::byte> rest(bytes_.get() + kHeaderBytes + at, chunk_bytes_ - at);
  const std::uint64_t place = header_.ring_chunks == 0 ? chunk_ : chunk_ % header_.ring_chunks;
  const std::size_t most = ~std::size_t{0} / chunk_bytes_ - 2;
  const std::size_t got =
      place < most ? file_.read(rest, kHeaderBytes + (1 + place) * chunk_bytes_ + at) : 0;
  if (header_.ring_chunks != 0) {
    std::atomic_thread_fence(std::memory_order_acquire);
    const std::uint64_t before = before_;
    if (!read_header()) return Progress::kNone;
    before_ = before;
    if (is_overwritten(chunk_)) return middle();
  }
  whole_ = true;
  const std::size_t known = (at + got) / kWord * kWord;
  const Progress progress = take(known, known);
  if (got < rest.size()) {
    // The file was cut, so the chunks after this one are not there either. The live one may be.
    damaged("file ends before its last chunk");
    if (header_.ring_chunks == 0) chunk_ = header_.sealed - 1;
  }
  return progress;
}

RecordFollower::Progress RecordFollower::next_chunk(std::uint64_t number) {
  chunk_ = number;
  begun_ = whole_ = false;
  settled_ = tail_end_ = 0;
  tail_given_ = 0;
  damages_counted_ = 0;
  reader_->begin_chunk(0);
  return Progress::kSome;
}

// More of the chunk is known. Its first record, the time, is looked at when it is there. A ring
// says how many records come before the chunk.
RecordFollower::Progress RecordFollower::take(std::size_t settled, std::size_t end) {
  settled_ = settled;
  tail_end_ = end;
  if (begun_) {
    reader_->grow_chunk(settled_);
    return Progress::kSome;
  }
  begun_ = true;
  reader_->begin_chunk(settled_);
  damages_counted_ = 0;
  if (header_.ring_chunks == 0 || before_ == position_) return Progress::kSome;
  if (before_ < position_) {
    damaged("ring counts its records wrongly");
    return Progress::kSome;
  }
  lost_before_ += before_ - position_;
  lost_ += before_ - position_;
  position_ = before_;
  return Progress::kLoss;
}

void RecordFollower::count_damages() {
  const auto& found = reader_->damages();
  for (; damages_counted_ < found.size(); ++damages_counted_) damaged(found[damages_counted_].what);
}

void RecordFollower::damaged(const char* what) {
  if (damages_++ == 0) first_damage_ = what;
}

// Nothing is new. A thread that has ended says so in its words, before its last records. So it is
// asked twice.
void RecordFollower::see_end() {
  record::PendingCall call;
  std::array<std::byte, sizeof call> raw{};
  ended_ = gone_ || last_kind_ == record::Kind::kProgramEnd;
  if (ended_ || file_.read(raw, record::kPendingOffset) != raw.size()) return;
  std::memcpy(&call, raw.data(), sizeof call);
  const bool says_so = call.awaited == record::Awaited::kThreadEnded;
  ended_ = says_so && said_so_;
  said_so_ = says_so;
}

}  // namespace latecomer::follow
