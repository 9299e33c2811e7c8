// SPDX-License-Identifier: BSD-3-Clause
// Collects the ids in use in one pass over the records, with a bit per id.
#include "tracer/convert/definitions/usage.hpp"

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

}  // namespace

void UsageCollector::mark(std::vector<bool>& ids, std::uint64_t id) {
  if (id >= ids.size()) [[unlikely]] {
    if (id >= kMaxPlausibleId) return;
    ids.resize(id + id / 2 + 1);
  }
  ids[id] = true;
}

void UsageCollector::add(record::RecordReader reader) {
  record::Record r;
  while (reader.next(r)) {
    switch (r.kind) {
      case Kind::kEnter:
        mark(regions_, r.id);
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
        if (record::names_region(r.extended()) && r.length() != 0)
          mark(regions_, r.words[0] & 0xffffffff);
        kernel_use_ = kernel_use_ || r.extended() == record::kKernelUse;
        if (r.extended() == record::kSample && r.length() != 0) {
          mark(sampled_frames_, r.words[0] & 0xffffffff);
          if (sample_periods_.size() < kMostPeriods)
            sample_periods_.insert(static_cast<std::uint32_t>(r.words[0] >> 32));
        }
        break;
      default:
        break;
    }
  }
}

Usage UsageCollector::usage() const {
  return {listed(regions_),
          listed(comms_),
          call_paths_,
          listed(sampled_frames_),
          {sample_periods_.begin(), sample_periods_.end()},
          kernel_use_};
}

}  // namespace latecomer::convert
