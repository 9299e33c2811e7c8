// SPDX-License-Identifier: BSD-3-Clause
// Unifies files by their names, and files that processes opened together.
#include <map>
#include <tuple>

#include "tracer/convert/definitions/unify_parts.hpp"

namespace latecomer::convert {

namespace {

// Descriptors with the same number and description are one handle: each process opens it for
// itself. So handles are as many as a process has, not as all have together.
void unify_descriptors(const ProcessOrder& order, std::map<StringId, std::uint32_t>& files,
                       GlobalDefinitions& global) {
  using Key = std::tuple<std::uint32_t, std::uint64_t, std::uint64_t>;
  std::map<Key, std::uint32_t> handles;
  for (const OrderedProcess& p : order) {
    for (const UsedFile& used : p.input->usage.files) {
      const StringId name = global.strings.id(used.name);
      const auto [file, fresh] =
          files.try_emplace(name, static_cast<std::uint32_t>(global.files.size()));
      if (fresh) global.files.push_back(name);
      record::FileDescription d = used.about;
      d.id = d.name_bytes = 0;
      const auto next = static_cast<std::uint32_t>(global.file_handles.size());
      const auto id =
          handles.try_emplace({file->second, first_word(d), second_word(d)}, next).first->second;
      if (id == next) {
        global.file_handles.push_back({file->second, kCommSelf, d.is_stream ? kStreamIo : kPosixIo,
                                       d.was_open, d.mode, d.status});
      }
      p.map->set_descriptor(used.about.id, {id, d.mode, d.creation, d.status});
    }
  }
}

}  // namespace

// The members of a communicator number their open files alike, whatever names they use for a file.
// On a communicator of one process each, a number may mean different files on different processes.
void unify_files(const ProcessOrder& order, GlobalDefinitions& global) {
  std::map<StringId, std::uint32_t> files;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> handles;
  for (const OrderedProcess& p : order) {
    const auto& definitions = p.input->definitions;
    for (const auto& d : definitions.files) {
      if (d.id >= UsageCollector::kMaxPlausibleId) continue;
      const StringId name = global.strings.id(d.name);
      const auto [known, fresh] =
          files.try_emplace(name, static_cast<std::uint32_t>(global.files.size()));
      if (fresh) global.files.push_back(name);
      global.has_mpi_files = true;
      p.map->set_file(d.id, known->second);
    }
    for (const auto& d : definitions.file_handles) {
      const std::uint32_t file = p.map->file(d.file);
      if (d.id >= UsageCollector::kMaxPlausibleId || file == kNoId) continue;
      const CommTarget& comm = p.map->comm(d.comm);
      const bool known_comm = comm.state == CommState::kDefined;
      const auto next = static_cast<std::uint32_t>(global.file_handles.size());
      std::uint32_t id = next;
      const std::uint32_t own = comm.peers == 1 ? file : kNoId;
      if (known_comm) id = handles.try_emplace({comm.id, d.number, own}, next).first->second;
      if (id == next) global.file_handles.push_back({file, known_comm ? comm.id : kNoId});
      p.map->set_file_handle(d.id, {id, d.mode, d.creation, d.status});
    }
  }
  unify_descriptors(order, files, global);
}

}  // namespace latecomer::convert
