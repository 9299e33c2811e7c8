// SPDX-License-Identifier: BSD-3-Clause
// Finds names of functions. Rank 0 asks all processes once, and each answers once, in lines of the
// definition log.
#include "tracer/convert/definitions/function_names.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <sstream>

#include "tracer/convert/definitions/guarded.hpp"
#include "tracer/symbols/module_symbols.hpp"

namespace latecomer::convert {
namespace {

// Path and build id as one line, which identifies a file.
std::string key_of(const record::ModuleDefinition& module) {
  return module.path + '\t' + module.build_id;
}

// Files of functions that have no name yet.
std::set<std::string> unread_files(const std::vector<ProcessInput>& inputs) {
  std::set<std::string> keys;
  for (const ProcessInput& input : inputs) {
    std::set<std::uint32_t> named, modules;
    for (const auto& region : input.definitions.regions) named.insert(region.id);
    for (const auto& address : input.definitions.addresses) {
      if (!named.contains(address.region)) modules.insert(address.module);
    }
    for (const auto& construct : input.definitions.constructs) {
      if (!named.contains(construct.region)) modules.insert(construct.module);
    }
    std::set<std::uint32_t> known_frames;
    for (const auto& f : input.definitions.frame_functions) known_frames.insert(f.frame);
    for (const auto& frame : input.definitions.frames) {
      if (!known_frames.contains(frame.id)) modules.insert(frame.module);
    }
    for (const auto& module : input.definitions.modules) {
      if (modules.contains(module.id)) keys.insert(key_of(module));
    }
  }
  return keys;
}

// Regions of this process's own functions in the files that rank 0 asks for.
std::string answer(const std::set<std::string>& asked, const record::Definitions& mine) {
  record::Definitions wanted;
  std::set<std::uint32_t> modules;
  for (const auto& module : mine.modules) {
    if (!asked.contains(key_of(module))) continue;
    modules.insert(module.id);
    wanted.modules.push_back(module);
  }
  for (const auto& address : mine.addresses) {
    if (modules.contains(address.module)) wanted.addresses.push_back(address);
  }
  for (const auto& construct : mine.constructs) {
    if (modules.contains(construct.module)) wanted.constructs.push_back(construct);
  }
  for (const auto& frame : mine.frames) {
    if (modules.contains(frame.module)) wanted.frames.push_back(frame);
  }
  user::NameLookup().resolve_readable(wanted);
  std::string lines;
  for (const auto& region : wanted.regions) lines += to_line(region);
  for (const auto& function : wanted.frame_functions) lines += to_line(function);
  return lines;
}

std::set<std::string> split(const std::string& text) {
  std::set<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.insert(line);
  return lines;
}

}  // namespace

std::vector<std::string> name_functions(exchange::Group& group, const record::Definitions& mine,
                                        std::vector<ProcessInput>& inputs, Status& status) {
  user::NameLookup names;
  std::string question;
  guarded(status, [&] {
    for (ProcessInput& input : inputs) names.resolve_readable(input.definitions);
    for (const std::string& key : unread_files(inputs)) question += key + '\n';
  });
  question = group.broadcast_text(question);
  if (question.empty()) return {};
  Status local = success();
  std::string lines;
  guarded(local, [&] { lines = answer(split(question), mine); });
  const std::vector<std::string> answers = group.gather_texts(lines);
  std::vector<std::string> problems;
  guarded(status, [&] {
    for (std::size_t rank = 0; rank < inputs.size() && rank < answers.size(); ++rank) {
      record::Definitions& definitions = inputs[rank].definitions;
      record::Definitions answered = record::parse_definitions(answers[rank]);
      std::ranges::move(answered.regions, std::back_inserter(definitions.regions));
      std::ranges::move(answered.frame_functions, std::back_inserter(definitions.frame_functions));
    }
    user::NameLookup rest;
    for (ProcessInput& input : inputs) {
      for (auto& problem : rest.resolve(input.definitions)) problems.push_back(std::move(problem));
    }
  });
  return problems;
}

}  // namespace latecomer::convert
