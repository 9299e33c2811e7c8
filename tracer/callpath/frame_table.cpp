// SPDX-License-Identifier: BSD-3-Clause
// Turns addresses into numbered frames of modules, and removes those that are not recorded.
#include "tracer/callpath/frame_table.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

// Functions of the measurement library in which the program works: those that call it back, or call
// a runtime that does (tracer/sources/openmp). The linker knows where their section is.
extern "C" {
[[gnu::weak, gnu::visibility("hidden")]] extern const char __start_latecomer_pass;
[[gnu::weak, gnu::visibility("hidden")]] extern const char __stop_latecomer_pass;
}

namespace latecomer::callpath {
namespace {

const char own_code = 0;  // its address is inside the measurement library

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

constexpr std::string_view kLibrary = "liblatecomer.so";

// True for names such as libmpich.so.12, libmpichfort.so.12, libmpi.so.40, libmpi_mpifh.so.40,
// libmpich.so.12.1.10.
bool is_mpi(std::string_view name) { return name.starts_with("libmpi"); }

bool is_c_library(std::string_view name) {
  return name.starts_with("libc.so") || name.starts_with("libc-") ||
         name.starts_with("libpthread") || name.starts_with("ld-");
}

// Libraries that access files for a program in C++ or Fortran.
bool is_runtime(std::string_view name) {
  return name.starts_with("libstdc++.so") || name.starts_with("libgfortran.so");
}

// A runtime of OpenMP, between the function with a parallel region and the region's code.
bool is_openmp(std::string_view name) {
  return name.starts_with("libgomp") || name.starts_with("libomp") ||
         name.starts_with("libiomp5") || name.starts_with("libnvomp");
}

bool passes_through(std::uintptr_t place) {
  return place >= reinterpret_cast<std::uintptr_t>(&__start_latecomer_pass) &&
         place < reinterpret_cast<std::uintptr_t>(&__stop_latecomer_pass);
}

// Code of the kernel in the process, which is in no file: readings of clocks.
bool is_kernel(std::string_view name) { return name.starts_with("linux-vdso"); }

// The interpreter, the modules of C that come with it, ctypes, and mpi4py.
bool is_interpreter(std::string_view path) {
  const std::string_view name = base_name(path);
  return name.starts_with("python3") || name.starts_with("libpython3") ||
         path.find("/lib-dynload/") != path.npos || name.starts_with("libffi.so") ||
         (name.starts_with("MPI.") && path.find("/mpi4py/") != path.npos);
}

// Functions of the import system. Python's tracebacks do not show them either.
bool imports(const python::SourcePlace& place) {
  return place.file.starts_with("<frozen importlib");
}

// Makes a path absolute, as far as the program has not changed its directory since it was compiled.
void make_absolute(std::string& file) {
  if (file.starts_with('/') || file.starts_with('<')) return;
  char* const resolved = realpath(file.c_str(), nullptr);
  if (resolved != nullptr) file = resolved;
  std::free(resolved);
}

}  // namespace

FrameTable::Place FrameTable::find(const StackFrame& frame) {
  const user::LoadedModule* const module = modules_.find(frame.place);
  if (module == nullptr) return {};
  const std::uint32_t number = module->definition.id;
  if (number >= kinds_.size()) {
    const std::string_view name = base_name(module->definition.path);
    const auto own = reinterpret_cast<std::uintptr_t>(&own_code);
    // The library for another MPI may be there as well, and passes calls on.
    const bool is_ours =
        (own >= module->begin && own < module->end && name.starts_with("lib")) || name == kLibrary;
    const bool is_python =
        python_.interpreter.has_value() && is_interpreter(module->definition.path);
    kinds_.push_back(is_ours              ? Kind::kOwn
                     : is_mpi(name)       ? Kind::kMpi
                     : is_c_library(name) ? Kind::kCLibrary
                     : is_kernel(name)    ? Kind::kNowhere
                     : is_python          ? Kind::kInterpreter
                                          : Kind::kProgram);
    defined_.push_back(false);
  }
  Place place{kinds_[number], number, frame.place - module->bias, 0};
  if (frame.function >= module->begin && frame.function <= frame.place) {
    place.function = frame.function - module->bias;
  }
  return place;
}

FrameTable::Place FrameTable::find(const python::Frame& function) {
  auto place = python::describe(python_.interpreter->layout, python_.interpreter->types, function);
  if (!place || imports(*place)) return {};
  make_absolute(place->file);
  return numbered(*place);
}

FrameTable::Place FrameTable::numbered(const python::SourcePlace& place) {
  const auto [known, is_new] = python_numbers_.try_emplace(place, python_places_.size());
  if (is_new) python_places_.push_back(&known->first);
  return {Kind::kProgram, kPython, known->second, 0};
}

FrameId FrameTable::define(FrameId parent, const Place& place, bool is_main) {
  const auto [known, is_new] =
      ids_.try_emplace({parent, place.module, place.offset}, static_cast<FrameId>(ids_.size() + 1));
  if (!is_new) return known->second;
  const FrameId id = known->second;
  outermost_.push_back(parent == 0 ? id : outermost_[parent]);
  const bool is_python = place.module == kPython;
  frame_places_.push_back({is_python ? kPython : place.module + kFirstModule, place.offset});
  if (place.module == kPython) {
    const python::SourcePlace& p = *python_places_[place.offset];
    log_(to_line(record::FrameDefinition{id, parent, kPython, place.offset, 0, false}) +
         to_line(record::FrameFunction{id, 0, p.name, "", p.file, p.first_line, p.file, p.line}));
    return id;
  }
  if (!defined_[place.module]) {
    defined_[place.module] = true;
    record::ModuleDefinition module = modules_.definition(place.module);
    module.id += kFirstModule;
    log_(to_line(module));
  }
  log_(to_line(record::FrameDefinition{id, parent, place.module + kFirstModule, place.offset,
                                       place.function, is_main}));
  return id;
}

std::vector<FrameTable::Place> FrameTable::find_all(const Stack& stack) {
  std::vector<Place> places;  // innermost first
  for (std::size_t i = 0; i < stack.depth; ++i) places.push_back(find(stack.frames[i]));
  return places;
}

// Each call of the interpreter's evaluation loop is replaced by the Python functions that it runs,
// and other functions of the interpreter are dropped. Functions of a loop that is at no known place
// take the place of the innermost function of the interpreter, or are the outermost ones.
std::vector<FrameTable::Place> FrameTable::merged(const Stack& stack,
                                                  std::span<const python::Frame> functions) {
  std::vector<Place> places;  // innermost first
  const auto take_while = [&](auto&& fits) {
    const std::size_t before = functions.size();
    for (; !functions.empty() && fits(functions.front()); functions = functions.subspan(1)) {
      places.push_back(find(functions.front()));
    }
    return functions.size() != before;
  };
  for (std::size_t i = 0; i < stack.depth; ++i) {
    const std::uintptr_t low = stack.slots[i];
    const std::uintptr_t high = i + 1 < stack.depth ? stack.slots[i + 1] : low;
    if (take_while([=](const auto& f) { return f.loop > low && f.loop < high; })) continue;
    const Place place = find(stack.frames[i]);
    if (place.kind != Kind::kInterpreter) {
      places.push_back(place);
    } else {
      take_while([](const auto& f) { return f.loop == 0; });
    }
  }
  take_while([](const auto&) { return true; });
  return places;
}

FrameId FrameTable::path(const Stack& stack, std::span<const python::Frame> functions) {
  const std::lock_guard lock(mutex_);
  std::vector<Place> places =
      python_.interpreter.has_value() ? merged(stack, functions) : find_all(stack);
  // How a runtime library comes to call write() is of no interest.
  const auto program = std::ranges::find_if_not(places, [this](const Place& place) {
    return place.kind == Kind::kProgram && place.module != kPython &&
           is_runtime(base_name(modules_.definition(place.module).path));
  });
  places.erase(places.begin(), program);
  std::erase_if(places, [this](const Place& place) {
    return place.kind == Kind::kProgram && place.module != kPython &&
           is_openmp(base_name(modules_.definition(place.module).path));
  });
  return path(std::move(places), true);
}

FrameId FrameTable::path_of_sample(const Stack& stack, bool whole, std::span<const Loop> loops) {
  const std::lock_guard lock(mutex_);
  std::vector<Place> places = find_all(stack);
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i].kind != Kind::kOwn) continue;
    if (i == 0 || !passes_through(stack.frames[i].place)) return 0;
  }
  if (!places.empty() && std::ranges::all_of(places, [](const Place& place) {
        return place.kind == Kind::kNowhere;
      })) {
    places = {numbered({"<code without a file>", "", 0, 0})};
  }
  const bool has_interpreter = put_functions(loops, places);
  // A thread that waits in the runtime is there; otherwise the runtime is only on the way.
  const auto of_openmp = [this](const Place& place) {
    return place.kind == Kind::kProgram && place.module != kPython &&
           is_openmp(base_name(modules_.definition(place.module).path));
  };
  const auto outside = std::ranges::find_if_not(places, of_openmp);
  places.erase(std::remove_if(outside, places.end(), of_openmp), places.end());
  return path(std::move(places), whole && !has_interpreter);
}

// Replaces loops by their functions, and drops other functions of the interpreter. From the first
// unknown loop on, the interpreter with all its callers is one frame. What starts the interpreter
// is left out. Returns false without an interpreter.
bool FrameTable::put_functions(std::span<const Loop> loops, std::vector<Place>& places) {
  const auto is_interpreter = [](const Place& place) { return place.kind == Kind::kInterpreter; };
  auto rest = std::ranges::find_if(places, is_interpreter);
  if (rest == places.end()) return false;
  const auto drop_until = [&](auto end) {
    std::replace_if(rest, end, is_interpreter, Place{});
    rest = end;
  };
  bool all_known = !loops.empty();
  for (const Loop& loop : loops) {
    all_known = all_known && loop.function.has_value();
    if (!all_known) break;
    drop_until(places.begin() + static_cast<std::ptrdiff_t>(loop.depth));
    *rest++ = find(*loop.function);
  }
  if (all_known) {
    drop_until(places.end());
    while (!places.empty() && places.back().kind != Kind::kProgram) places.pop_back();
    return true;
  }
  rest = std::find_if(rest, places.end(), is_interpreter);
  *rest = numbered({"<Python>", "", 0, 0});
  places.erase(rest + 1, places.end());
  return true;
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

FrameId FrameTable::path_of_thread(std::uintptr_t function) {
  const std::lock_guard lock(mutex_);
  const Place place = find(StackFrame{function, function});
  const bool is_of_program = place.kind == Kind::kProgram &&
                             !is_runtime(base_name(modules_.definition(place.module).path));
  return is_of_program && ids_.size() < kMostFrames ? define(0, place, false) : 0;
}

FrameTable::FramePlace FrameTable::place(FrameId frame) {
  const std::lock_guard lock(mutex_);
  return frame < frame_places_.size() ? frame_places_[frame] : FramePlace{};
}

}  // namespace latecomer::callpath
