// SPDX-License-Identifier: BSD-3-Clause
// Compares call paths by the places in the files of the program.
#include "tracer/watch/live/call_paths.hpp"

#include "tracer/convert/definitions/mpi_functions.hpp"

namespace latecomer::watch {
namespace {

constexpr std::size_t kDeepest = 1000;

std::string base_name(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

// FNV-1a.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

std::string function_name(std::uint32_t region) {
  std::string name = convert::mpi_function_name(region);
  return name.empty() ? "MPI" : name;
}

}  // namespace

void ProcessFrames::add(const record::Definitions& more) {
  for (const auto& d : more.frames) frames.insert_or_assign(d.id, d);
  for (const auto& d : more.modules) modules.insert_or_assign(d.id, d);
  for (const auto& d : more.frame_functions) functions[d.frame].push_back(d);
}

PathId CallPaths::number(ProcessFrames& process, std::uint32_t frame, std::uint32_t region) {
  const auto known = process.known.find({frame, region});
  if (known != process.known.end()) return known->second;
  Path path;
  path.region = region;
  bool is_whole = true;
  std::string key = std::to_string(region);
  for (std::uint32_t at = frame; at != 0 && path.chain.size() < kDeepest;) {
    const auto found = process.frames.find(at);
    if (found == process.frames.end()) {
      is_whole = false;
      break;
    }
    path.chain.push_back(found->second);
    if (const auto module = process.modules.find(found->second.module);
        module != process.modules.end()) {
      path.modules.push_back(module->second);
      key += '\n' + module->second.path;
    }
    key += ' ' + std::to_string(found->second.place);
    if (const auto named = process.functions.find(at); named != process.functions.end()) {
      for (const auto& f : named->second) {
        path.functions.push_back(f);
        key += ' ' + f.name + ' ' + f.file + ':' + std::to_string(f.place_line);
      }
    }
    if (found->second.parent == at) break;
    at = found->second.parent;
  }
  path.hash = hash_of(key);
  const auto [place, is_new] = numbers_.try_emplace(std::move(key), 0);
  const auto elsewhere = by_hash_.find(path.hash);
  if (is_new && elsewhere != by_hash_.end() && paths_[elsewhere->second].is_elsewhere) {
    place->second = elsewhere->second;
    paths_[place->second] = std::move(path);
  } else if (is_new && paths_.size() < kMost) {
    place->second = static_cast<PathId>(paths_.size());
    by_hash_.try_emplace(path.hash, place->second);
    paths_.push_back(std::move(path));
  } else if (is_new) {
    numbers_.erase(place);
    return 0;
  }
  // What a thread does right now may refer to frames whose definitions have not been read yet.
  if (is_whole && process.known.size() < kMost) process.known[{frame, region}] = place->second;
  return place->second;
}

PathId CallPaths::number_of_hash(std::uint64_t hash) {
  if (hash == 0) return 0;  // of other call paths
  const auto [place, is_new] = by_hash_.try_emplace(hash, static_cast<PathId>(paths_.size()));
  if (!is_new) return place->second;
  if (paths_.size() >= kMost) {
    by_hash_.erase(place);
    return 0;
  }
  Path& path = paths_.emplace_back();
  path.hash = hash;
  path.is_elsewhere = true;
  return static_cast<PathId>(paths_.size() - 1);
}

const PathText& CallPaths::text(PathId number) {
  Path& path = paths_[number < paths_.size() ? number : 0];
  if (path.has_text || path.is_elsewhere) return path.text;
  path.has_text = true;
  if (&path == paths_.data()) {
    path.text.path = "other call paths";
    path.text.names = {path.text.path};
    return path.text;
  }
  record::Definitions definitions;
  definitions.frames = path.chain;
  definitions.modules = path.modules;
  definitions.frame_functions = path.functions;
  static_cast<void>(names_.resolve(definitions));
  std::string& text = path.text.path;
  for (auto frame = path.chain.rbegin(); frame != path.chain.rend(); ++frame) {
    for (const auto& f : definitions.frame_functions) {
      if (f.frame != frame->id) continue;
      text += f.name + " > ";
      path.text.names.push_back(f.name);
      path.text.place =
          f.place_line == 0 ? "" : base_name(f.place_file) + ':' + std::to_string(f.place_line);
    }
  }
  text += function_name(path.region);
  path.text.names.push_back(function_name(path.region));
  path.modules.clear();
  path.functions.clear();
  return path.text;
}

}  // namespace latecomer::watch
