// SPDX-License-Identifier: BSD-3-Clause
// Reads the header of a record file and the chunk that the thread is writing.
#include "tracer/stuck/thread_view.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>

#include "archive/plain_file.hpp"
#include "tracer/follow/read_file.hpp"
#include "tracer/record/reader.hpp"

namespace latecomer::stuck {
namespace {

constexpr int kTries = 5;
// The library's chunks are much smaller; a damaged header may say anything.
constexpr std::uint32_t kLargestChunk = 64U << 20;

template <typename T>
T at(std::span<const std::byte> bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

// Place of the chunk that was sealed last, counted from the live one.
std::uint64_t place_of_last(const record::FileHeader& header) {
  if (header.ring_chunks == 0) return header.sealed;
  return 1 + (header.sealed - 1) % header.ring_chunks;
}

void read_words(const follow::ReadFile& file, std::span<const std::byte> page, ThreadView& view) {
  view.call = at<record::PendingCall>(page, record::kPendingOffset);
  for (int i = 0; i < kTries; ++i) {
    std::array<std::byte, sizeof(std::uint64_t)> again{};
    if (file.read(again, record::kPendingOffset) != again.size()) break;
    if (record::is_consistent(view.call, at<std::uint64_t>(again, 0))) {
      view.has_words = view.call.sequence != 0;
      break;
    }
    std::array<std::byte, sizeof(record::PendingCall)> words{};
    if (file.read(words, record::kPendingOffset) == words.size())
      view.call = at<record::PendingCall>(words, 0);
  }
  if (view.call.awaited >= record::Awaited::kCount) view.has_words = false;
  view.locks = at<record::HeldLocks>(page, record::kHeldOffset);
  view.locks.count = std::min<std::uint64_t>(view.locks.count, record::HeldLocks::kMost);
  view.call.requests = std::min(view.call.requests, 1U << 30);
  const std::size_t counted = page.size() - record::kOperationsOffset;
  view.operations.resize(counted / sizeof(std::uint32_t));
  std::memcpy(view.operations.data(), page.data() + record::kOperationsOffset,
              view.operations.size() * sizeof(std::uint32_t));
}

// Reads the records of a chunk, which stands behind a header that says that there is no other one.
void read_chunk(std::span<const std::byte> bytes, ThreadView& view) {
  auto reader = record::RecordReader::over(bytes);
  if (!reader) return;
  std::uint64_t entered = 0;
  std::uint32_t polled = record::kNoRegion;
  for (record::Record r; reader->next(r);) {
    view.last_ticks = r.ticks;
    ++view.progress;
    const auto id = static_cast<std::uint32_t>(r.id);
    switch (r.kind) {
      case record::Kind::kEnter:
        view.open.push_back(id);
        entered = r.ticks;
        if (id == polled) {
          --view.progress;  // perhaps one more poll of the row
        } else {
          view.polls_since = 0;
        }
        break;
      case record::Kind::kLeaveUnsuccessful:
        if (view.polls_since == 0 || id != polled) view.polls_since = entered;
        polled = id;
        [[fallthrough]];
      case record::Kind::kLeave:
        if (!view.open.empty()) view.open.pop_back();
        view.last_left = id;
        if (r.kind == record::Kind::kLeave) view.polls_since = 0;
        break;
      case record::Kind::kCallPath:
        view.last_frame = id;
        break;
      case record::Kind::kThreadBegin:
        view.open.clear();
        break;
      case record::Kind::kProgramEnd:
        view.ended = true;
        break;
      default:
        break;
    }
  }
  view.damaged = view.damaged || !reader->damages().empty();
}

}  // namespace

Result<ThreadView> read_thread(const std::string& path) {
  const follow::ReadFile file(path);
  if (!file.ok()) return Problem{"cannot read " + path + ": " + file_error(errno), ""};
  std::vector<std::byte> bytes(record::kHeaderBytes);
  ThreadView view;
  for (int i = 0; i < kTries; ++i) {
    bytes.resize(record::kHeaderBytes);
    if (file.read(bytes, 0) != bytes.size()) return Problem{path + ": shorter than its header", ""};
    const auto check = record::RecordReader::over(bytes);
    if (!check) return Problem{path + ": " + check.problem().what, ""};
    auto header = check->header();
    view = {};
    view.number = header.thread;
    view.kind = header.kind;
    read_words(file, bytes, view);
    if (header.chunk_bytes > kLargestChunk) {
      view.damaged = true;
      return view;
    }
    bytes.resize(record::kHeaderBytes + header.chunk_bytes);
    const auto chunk = std::span(bytes).subspan(record::kHeaderBytes);
    const bool copied = header.live != header.sealed;  // killed between two steps of sealing
    bytes.resize(record::kHeaderBytes +
                 file.read(chunk, record::kHeaderBytes +
                                      (copied ? place_of_last(header) : 0) * header.chunk_bytes));
    std::array<std::byte, sizeof(record::FileHeader)> now{};
    if (file.read(now, 0) == now.size()) {
      const auto after = at<record::FileHeader>(now, 0);
      if (after.sealed != header.sealed || after.live != header.live) continue;
    }
    view.progress = header.sealed << 32;
    header.sealed = header.live = 0;
    std::memcpy(bytes.data(), &header, sizeof header);
    read_chunk(bytes, view);
    if (view.polls_since == 0) view.progress += view.call.sequence + view.call.left;
    return view;
  }
  return view;
}

}  // namespace latecomer::stuck
