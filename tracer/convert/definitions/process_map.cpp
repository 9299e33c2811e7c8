// SPDX-License-Identifier: BSD-3-Clause
// Packs the map as pairs, since a process uses few of its possible ids.
#include "tracer/convert/definitions/process_map.hpp"

namespace latecomer::convert {
namespace {

struct RegionPair {
  std::uint32_t local, global;
};

struct CommPair {
  std::uint32_t local;
  CommTarget target;
};

}  // namespace

void ProcessMap::set_region(std::uint32_t local, std::uint32_t global) {
  if (local >= regions_.size()) regions_.resize(local + 1, kNoId);
  regions_[local] = global;
}

void ProcessMap::set_comm(std::uint32_t local, const CommTarget& target) {
  if (local >= comms_.size()) comms_.resize(local + 1);
  comms_[local] = target;
}

void ProcessMap::set_window(std::uint32_t local, const CommTarget& target) {
  if (local >= windows_.size()) windows_.resize(local + 1);
  windows_[local] = target;
}

void ProcessMap::set_group(std::uint32_t local, std::uint32_t global) {
  if (local >= groups_.size()) groups_.resize(local + 1, kNoId);
  groups_[local] = global;
}

void ProcessMap::set_file(std::uint32_t local, std::uint32_t global) {
  if (local >= files_.size()) files_.resize(local + 1, kNoId);
  files_[local] = global;
}

void ProcessMap::set_file_handle(std::uint32_t local, const FileTarget& target) {
  if (local >= file_handles_.size()) file_handles_.resize(local + 1);
  file_handles_[local] = target;
}

void ProcessMap::set_descriptor(std::uint32_t local, const FileTarget& target) {
  if (local >= descriptors_.size()) descriptors_.resize(local + 1);
  descriptors_[local] = target;
}

void ProcessMap::set_frame(std::uint32_t local, PathFrame frame) {
  if (local >= frames_.size()) frames_.resize(local + 1);
  frames_[local] = std::move(frame);
}

void ProcessMap::set_context(std::uint32_t frame, std::uint32_t context) {
  if (frame >= contexts_.size()) contexts_.resize(frame + 1, kNoId);
  contexts_[frame] = context;
}

void ProcessMap::put(ByteWriter& out) const {
  std::vector<RegionPair> regions;
  for (std::uint32_t local = 0; local < regions_.size(); ++local) {
    if (regions_[local] != kNoId) regions.push_back({local, regions_[local]});
  }
  std::vector<CommPair> comms;
  for (std::uint32_t local = 0; local < comms_.size(); ++local) {
    if (comms_[local].state != CommState::kUnknown) comms.push_back({local, comms_[local]});
  }
  out.put_all(regions);
  out.put_all(comms);
  out.put_all(windows_);
  out.put_all(groups_);
  out.put_all(files_);
  out.put_all(file_handles_);
  out.put_all(descriptors_);
  out.put(program);
  out.put_all(arguments);
  out.put(std::uint64_t{frames_.size()});
  for (const PathFrame& frame : frames_) {
    out.put(frame.parent);
    out.put_all(frame.functions);
  }
  out.put_all(contexts_);
  out.put_all(periods_);
  out.put_all(blocked_);
  out.put(blocked_clock);
  out.put_all(teams_);
  out.put(posix_threads);
  out.put(counter_class);
  out.put(counters);
}

ProcessMap ProcessMap::get(ByteReader& in) {
  ProcessMap map;
  for (const RegionPair& pair : in.get_all<RegionPair>()) map.set_region(pair.local, pair.global);
  for (const CommPair& pair : in.get_all<CommPair>()) map.set_comm(pair.local, pair.target);
  map.windows_ = in.get_all<CommTarget>();
  map.groups_ = in.get_all<std::uint32_t>();
  map.files_ = in.get_all<std::uint32_t>();
  map.file_handles_ = in.get_all<FileTarget>();
  map.descriptors_ = in.get_all<FileTarget>();
  map.program = in.get<StringId>();
  map.arguments = in.get_all<StringId>();
  for (auto count = in.get<std::uint64_t>(); count != 0 && in.ok(); --count) {
    PathFrame& frame = map.frames_.emplace_back();
    frame.parent = in.get<std::uint32_t>();
    frame.functions = in.get_all<PathFunction>();
  }
  map.contexts_ = in.get_all<std::uint32_t>();
  map.periods_ = in.get_all<std::uint32_t>();
  map.blocked_ = in.get_all<BlockedContext>();
  map.blocked_clock = in.get<std::uint32_t>();
  map.teams_ = in.get_all<std::uint32_t>();
  map.posix_threads = in.get<std::uint32_t>();
  map.counter_class = in.get<std::uint32_t>();
  map.counters = in.get<std::uint32_t>();
  return map;
}

}  // namespace latecomer::convert
