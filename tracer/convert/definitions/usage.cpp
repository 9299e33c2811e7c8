// SPDX-License-Identifier: BSD-3-Clause
// Collects the ids in use in one pass over the records, with a bit per id.
#include "tracer/convert/definitions/usage.hpp"

#include <algorithm>
#include <cstring>

namespace latecomer::convert {
namespace {

using record::Kind;

std::vector<std::uint32_t> listed(const std::vector<bool>& ids) {
  std::vector<std::uint32_t> list;
  for (std::size_t id = 0; id < ids.size(); ++id) {
    if (ids[id]) list.push_back(static_cast<std::uint32_t>(id));
  }
  return list;
}

// Copies the bytes in the words of a record, from `first` on, to a place in a name.
void copy_part(std::string& name, std::uint64_t offset, const record::Record& r,
               std::size_t first) {
  if (offset >= name.size() || first >= r.length()) return;
  const auto bytes = r.payload.subspan(first * sizeof(std::uint64_t));
  std::memcpy(&name[offset], bytes.data(), std::min(bytes.size(), name.size() - offset));
}

}  // namespace

void UsageCollector::mark(std::vector<bool>& ids, std::uint64_t id) {
  if (id >= ids.size()) [[unlikely]] {
    if (id >= kMaxPlausibleId) return;
    ids.resize(id + id / 2 + 1);
  }
  ids[id] = true;
}

void UsageCollector::add(record::RecordReader reader, std::uint32_t thread) {
  teams_.begin_thread(thread);
  thread_ = thread;
  record::Record r;
  while (reader.next(r)) {
    switch (r.kind) {
      case Kind::kEnter:
        mark(regions_, r.id);
        break;
      case Kind::kLeave:
        if (teams_.has_open()) [[unlikely]]
          teams_.left(r.id, r.ticks);
        break;
      case Kind::kThreadBegin:
        teams_.begin_thread(thread);
        break;
      case Kind::kSend:
      case Kind::kRecv:
      case Kind::kIsend:
      case Kind::kIrecv:
        mark(comms_, r.id);
        break;
      case Kind::kCollectiveEnd:
      case Kind::kNonblockingComplete:
        if (r.op() < kFirstHandleOperation && !r.neighborhood()) mark(comms_, r.id);
        break;
      case Kind::kUnrecorded:
        if ((r.words[1] & 0xff) <
            static_cast<std::uint8_t>(record::UnrecordedOperation::kWindowCollective)) {
          mark(comms_, r.id);
        }
        break;
      case Kind::kCallPath:
        call_paths_ = true;
        break;
      case Kind::kExtended:
        add_extended(r);
        break;
      default:
        break;
    }
  }
}

void UsageCollector::add_extended(const record::Record& r) {
  const std::uint64_t low = r.words[0] & 0xffffffff, high = r.words[0] >> 32;
  if (record::names_region(r.extended()) && r.length() != 0) mark(regions_, low);
  if (r.extended() == record::kTeamBegun && r.length() != 0) {
    teams_.begun(static_cast<std::uint32_t>(high), static_cast<std::uint32_t>(low),
                 r.words[1] != 0);
  }
  if (r.extended() == record::kThreadCreated || r.extended() == record::kThreadBegun) {
    posix_threads_.insert(thread_);
  }
  wakes_threads_ = wakes_threads_ || r.extended() == record::kWakes ||
                   r.extended() == record::kWoken || r.extended() == record::kRound;
  kernel_use_ =
      kernel_use_ || r.extended() == record::kKernelUse || r.extended() == record::kWithoutCore;
  counted_ = counted_ || r.extended() == record::kCounted;
  if (r.extended() == record::kBlocked && r.length() != 0 &&
      blocked_places_.size() < kMostBlockedPlaces) {
    blocked_places_.insert({static_cast<std::uint32_t>(high), static_cast<std::uint32_t>(low)});
    if (high != 0) mark(sampled_frames_, high);
  }
  if (r.extended() == record::kSample && r.length() != 0) {
    mark(sampled_frames_, low);
    if (sample_periods_.size() < kMostPeriods)
      sample_periods_.insert(static_cast<std::uint32_t>(high));
  }
  if (r.extended() == record::kFileDescribed && r.length() >= 2) {
    const record::FileDescription about = record::file_description(r.words[0], r.words[1]);
    if (about.id > kMostFiles || about.name_bytes > kMostFileNameBytes) return;
    UsedFile& file = files_[about.id];
    file.about = about;
    file.name.resize(about.name_bytes);
    copy_part(file.name, 0, r, 2);
  }
  if (r.extended() == record::kFileName && r.length() != 0) {
    const auto file = files_.find(static_cast<std::uint32_t>(low));
    if (file != files_.end()) copy_part(file->second.name, high, r, 1);
  }
}

Usage UsageCollector::usage() const {
  Usage all{listed(regions_),
            listed(comms_),
            call_paths_,
            listed(sampled_frames_),
            {sample_periods_.begin(), sample_periods_.end()},
            kernel_use_,
            counted_,
            {},
            teams_.sets(),
            {posix_threads_.begin(), posix_threads_.end()},
            wakes_threads_,
            {blocked_places_.begin(), blocked_places_.end()}};
  for (const auto& [id, file] : files_) all.files.push_back(file);
  return all;
}

}  // namespace latecomer::convert
