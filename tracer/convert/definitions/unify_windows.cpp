// SPDX-License-Identifier: BSD-3-Clause
// Unifies windows of one-sided communication, and the groups that synchronize in them.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "tracer/convert/definitions/unify_parts.hpp"

namespace latecomer::convert {
namespace {

class WindowUnifier {
 public:
  WindowUnifier(std::uint32_t size, GlobalDefinitions& global) : size_(size), global_(global) {
    for (std::uint32_t id = 0; id < global.groups.size(); ++id) {
      const Group& group = global.groups[id];
      if (group.kind == GroupKind::kMembers) groups_.emplace(group.members, id);
    }
  }

  void define(const OrderedProcess& p) {
    const auto& definitions = p.input->definitions;
    for (const auto& d : definitions.windows) {
      if (d.id < UsageCollector::kMaxPlausibleId) p.map->set_window(d.id, window(p, d));
    }
    for (const auto& d : definitions.window_names) name(p.map->window(d.id), d.name);
    for (const auto& d : definitions.groups) {
      if (d.id < UsageCollector::kMaxPlausibleId) p.map->set_group(d.id, group(d));
    }
  }

 private:
  using Key = std::pair<std::uint32_t, std::uint32_t>;  // communicator, number there

  CommTarget window(const OrderedProcess& p, const record::WindowDefinition& d) {
    CommTarget target = p.map->comm(d.comm);
    if (target.state != CommState::kDefined) return target;
    const auto [known, fresh] = windows_.try_emplace(
        Key{target.id, d.number}, static_cast<std::uint32_t>(global_.windows.size()));
    if (fresh) global_.windows.push_back({0, target.id});
    target.id = known->second;
    return target;
  }

  void name(const CommTarget& window, const std::string& text) {
    if (window.state == CommState::kDefined) {
      global_.windows[window.id].name = global_.strings.id(text);
    }
  }

  std::uint32_t group(const record::GroupDefinition& d) {
    const std::vector<std::uint64_t> members(d.members.begin(), d.members.end());
    const bool valid = std::ranges::all_of(members, [this](auto rank) { return rank < size_; });
    if (!valid) return kNoId;
    const auto [known, fresh] =
        groups_.try_emplace(members, static_cast<std::uint32_t>(global_.groups.size()));
    if (fresh) global_.groups.push_back({GroupKind::kMembers, members});
    return known->second;
  }

  const std::uint32_t size_;
  GlobalDefinitions& global_;
  std::map<std::vector<std::uint64_t>, std::uint32_t> groups_;
  std::map<Key, std::uint32_t> windows_;
};

}  // namespace

void unify_windows(const ProcessOrder& order, std::uint32_t size, GlobalDefinitions& global) {
  WindowUnifier unifier(size, global);
  for (const OrderedProcess& p : order) unifier.define(p);
}

}  // namespace latecomer::convert
