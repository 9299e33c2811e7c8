// SPDX-License-Identifier: BSD-3-Clause
// Turns addresses into numbered frames of modules, and removes those that are not recorded.
#include "tracer/callpath/frame_table.hpp"

#include <algorithm>
#include <string_view>

namespace latecomer::callpath {
namespace {

const char own_code = 0;  // its address is inside the measurement library

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// True for names such as libmpich.so.12, libmpichfort.so.12, libmpi.so.40, libmpi_mpifh.so.40,
// libmpich.so.12.1.10.
bool is_mpi(std::string_view name) { return name.starts_with("libmpi"); }

bool is_c_library(std::string_view name) {
  return name.starts_with("libc.so") || name.starts_with("libc-") ||
         name.starts_with("libpthread") || name.starts_with("ld-");
}

// Code of the kernel in the process, which is in no file: readings of clocks.
bool is_kernel(std::string_view name) { return name.starts_with("linux-vdso"); }

}  // namespace

FrameTable::Place FrameTable::find(const StackFrame& frame) {
  const user::LoadedModule* const module = modules_.find(frame.place);
  if (module == nullptr) return {};
  const std::uint32_t number = module->definition.id;
  if (number >= kinds_.size()) {
    const std::string_view name = base_name(module->definition.path);
    const auto own = reinterpret_cast<std::uintptr_t>(&own_code);
    const bool is_ours = own >= module->begin && own < module->end && name.starts_with("lib");
    kinds_.push_back(is_ours              ? Kind::kOwn
                     : is_mpi(name)       ? Kind::kMpi
                     : is_c_library(name) ? Kind::kCLibrary
                     : is_kernel(name)    ? Kind::kNowhere
                                          : Kind::kProgram);
    defined_.push_back(false);
  }
  Place place{kinds_[number], number, frame.place - module->bias, 0};
  if (frame.function >= module->begin && frame.function <= frame.place) {
    place.function = frame.function - module->bias;
  }
  return place;
}

FrameId FrameTable::define(FrameId parent, const Place& place, bool is_main) {
  const auto [known, is_new] =
      ids_.try_emplace({parent, place.module, place.offset}, static_cast<FrameId>(ids_.size() + 1));
  if (!is_new) return known->second;
  if (!defined_[place.module]) {
    defined_[place.module] = true;
    record::ModuleDefinition module = modules_.definition(place.module);
    module.id += kFirstModule;
    log_(to_line(module));
  }
  const FrameId id = known->second;
  log_(to_line(record::FrameDefinition{id, parent, place.module + kFirstModule, place.offset,
                                       place.function, is_main}));
  outermost_.push_back(parent == 0 ? id : outermost_[parent]);
  return id;
}

std::vector<FrameTable::Place> FrameTable::find_all(const Stack& stack) {
  std::vector<Place> places;  // innermost first
  for (std::size_t i = 0; i < stack.depth; ++i) places.push_back(find(stack.frames[i]));
  return places;
}

FrameId FrameTable::path(const Stack& stack) {
  const std::lock_guard lock(mutex_);
  return path(find_all(stack), true);
}

FrameId FrameTable::path_of_sample(const Stack& stack, bool whole) {
  const std::lock_guard lock(mutex_);
  const std::vector<Place> places = find_all(stack);
  return std::ranges::count(places, Kind::kOwn, &Place::kind) != 0 ? 0 : path(places, whole);
}

FrameId FrameTable::path(std::vector<Place> places, bool whole) {
  auto begin = places.begin();
  auto end = places.end();
  const auto is_layer = [](const Place& p) { return p.kind == Kind::kMpi || p.kind == Kind::kOwn; };
  while (begin != end && is_layer(*begin)) ++begin;
  const auto is_c_library = [](const Place& p) { return p.kind == Kind::kCLibrary; };
  // Outermost are the program's _start, which calls the C library, which calls main.
  const bool started =
      whole && end - begin >= 2 && !is_c_library(*(end - 1)) && is_c_library(*(end - 2));
  if (started) --end;
  while (whole && begin != end && is_c_library(*(end - 1))) --end;
  const bool has_main = started && begin != end && (end - 1)->kind == Kind::kProgram;
  // MPI's own functions on the way to a callback of the program (MPI_Finalize) are of no interest.
  end = std::remove_if(begin, end,
                       [&](const Place& p) { return p.kind == Kind::kNowhere || is_layer(p); });

  FrameId frame = 0;
  for (std::size_t depth = 0; begin != end && depth < most_; ++depth) {
    if (ids_.size() >= kMostFrames) break;
    frame = define(frame, *--end, has_main && depth == 0);
  }
  return frame;
}

std::size_t FrameTable::size() {
  const std::lock_guard lock(mutex_);
  return ids_.size();
}

FrameId FrameTable::outermost(FrameId frame) {
  const std::lock_guard lock(mutex_);
  return frame < outermost_.size() ? outermost_[frame] : 0;
}

}  // namespace latecomer::callpath
