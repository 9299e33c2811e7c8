// SPDX-License-Identifier: BSD-3-Clause
// Checks that the settings of all processes are consistent, and derives their places.
#include "tracer/session/agreement/introduction.hpp"

#include <map>
#include <tuple>

#include "archive/settings.hpp"
#include "tracer/filter/filter.hpp"
#include "tracer/session/clocks/timer.hpp"
#include "tracer/session/job/identity.hpp"
#include "tracer/session/process/emulation.hpp"

namespace latecomer::session {
namespace {

using Ranks = std::vector<int>;

template <typename Predicate>
Ranks ranks_where(std::span<const Introduction> everybody, Predicate predicate) {
  Ranks found;
  for (std::size_t rank = 0; rank < everybody.size(); ++rank) {
    if (predicate(everybody[rank])) found.push_back(static_cast<int>(rank));
  }
  return found;
}

Problem partly_set(const char* variable, const Ranks& set, const Ranks& unset) {
  return {
      std::string(variable) + " is set on " + rank_list(set) + " but not on " + rank_list(unset),
      "set LATECOMER_METAHOST_ID and LATECOMER_METAHOST_NAME on every metahost, or nowhere",
      Exit::kUsage};
}

// Checks that each key has one value; `say` formats the problem of two ranks that disagree.
template <typename Key, typename Value, typename Say>
Status one_to_one(std::span<const Introduction> everybody, Key key, Value value, Say say) {
  std::map<decltype(key(everybody[0])), int> first;
  for (std::size_t rank = 0; rank < everybody.size(); ++rank) {
    const auto [known, added] = first.try_emplace(key(everybody[rank]), static_cast<int>(rank));
    const Introduction& other = everybody[static_cast<std::size_t>(known->second)];
    if (!added && value(other) != value(everybody[rank])) {
      return say(known->second, static_cast<int>(rank));
    }
  }
  return success();
}

Status check_metahosts(std::span<const Introduction> everybody) {
  const auto has_id = [](const Introduction& i) { return i.metahost_id_given != 0; };
  const auto has_name = [](const Introduction& i) { return i.metahost_name_given != 0; };
  const auto without = [](auto predicate) {
    return [predicate](const Introduction& i) { return !predicate(i); };
  };
  const Ranks with_id = ranks_where(everybody, has_id);
  const Ranks with_name = ranks_where(everybody, has_name);
  if (!with_id.empty() && with_id.size() != everybody.size()) {
    return partly_set("LATECOMER_METAHOST_ID", with_id, ranks_where(everybody, without(has_id)));
  }
  if (!with_name.empty() && with_name.size() != everybody.size()) {
    return partly_set("LATECOMER_METAHOST_NAME", with_name,
                      ranks_where(everybody, without(has_name)));
  }
  if (!with_name.empty() && with_id.empty()) {
    return Problem{"LATECOMER_METAHOST_NAME is set but LATECOMER_METAHOST_ID is not",
                   "give every metahost a number of its own with LATECOMER_METAHOST_ID",
                   Exit::kUsage};
  }
  if (with_name.empty()) return success();
  const auto id = [](const Introduction& i) { return i.metahost_id; };
  const auto name = [](const Introduction& i) { return i.metahost_name.str(); };
  const auto at = [&](int rank) -> const Introduction& {
    return everybody[static_cast<std::size_t>(rank)];
  };
  const std::string next = "one number and one name belong to each metahost";
  Status status = one_to_one(everybody, id, name, [&](int a, int b) {
    return Problem{"LATECOMER_METAHOST_ID " + std::to_string(id(at(a))) + " has two names: '" +
                       name(at(a)) + "' on rank " + std::to_string(a) + ", '" + name(at(b)) +
                       "' on rank " + std::to_string(b),
                   next, Exit::kUsage};
  });
  if (!status) return status;
  status = one_to_one(everybody, name, id, [&](int a, int b) {
    return Problem{"LATECOMER_METAHOST_NAME '" + name(at(a)) + "' has two numbers: " +
                       std::to_string(id(at(a))) + " on rank " + std::to_string(a) + ", " +
                       std::to_string(id(at(b))) + " on rank " + std::to_string(b),
                   next, Exit::kUsage};
  });
  return status;
}

Status check_global_clocks(std::span<const Introduction> everybody) {
  const auto metahost = [](const Introduction& i) { return i.metahost_id; };
  return one_to_one(
      everybody, metahost, [](const Introduction& i) { return i.global_clock; },
      [&](int a, int b) {
        const std::int64_t id = everybody[static_cast<std::size_t>(a)].metahost_id;
        const auto ranks = [&](bool set) {
          return rank_list(ranks_where(everybody, [&](const Introduction& i) {
            return i.metahost_id == id && (i.global_clock != 0) == set;
          }));
        };
        static_cast<void>(b);
        return Problem{"LATECOMER_METAHOST_GLOBAL_CLOCK is set on " + ranks(true) + " but not on " +
                           ranks(false) + " of the same metahost",
                       "set it on the whole metahost or not at all", Exit::kUsage};
      });
}

}  // namespace

Introduction introduce() {
  Introduction me;
  me.node = BoundedText<160>(node_identity());
  me.metahost_id_given = setting_given(SettingId::kMetahostId) ? 1 : 0;
  me.metahost_name_given = setting_given(SettingId::kMetahostName) ? 1 : 0;
  me.metahost_id = setting_number(SettingId::kMetahostId);
  me.metahost_name = BoundedText<96>(setting_text(SettingId::kMetahostName));
  me.global_clock = setting_flag(SettingId::kMetahostGlobalClock) ? 1 : 0;
  me.timer = static_cast<std::uint8_t>(timer_in_use());
  Status status = check_settings();
  if (status && setting_text(SettingId::kTimer) == "tsc" && timer_in_use() != Timer::kTsc) {
    status =
        Problem{"LATECOMER_TIMER=tsc: this processor has no time stamp counter of constant rate",
                "use LATECOMER_TIMER=monotonic", Exit::kUsage};
  }
  if (status && !user::filter()) status = user::filter().problem();
  if (status && !emulated_clock()) status = emulated_clock().problem();
  if (!status) {
    me.problem = BoundedText<256>(status.problem().what);
    me.problem_hint = BoundedText<160>(status.problem().next);
  }
  return me;
}

std::string metahost_name(const Introduction& process) {
  if (process.metahost_name_given != 0) return process.metahost_name.str();
  return process.metahost_id_given != 0 ? "metahost " + std::to_string(process.metahost_id)
                                        : "machine";
}

// Problems of single processes come first, with all ranks that have the same problem.
Status check(std::span<const Introduction> everybody) {
  for (std::size_t rank = 0; rank < everybody.size(); ++rank) {
    const std::string problem = everybody[rank].problem.str();
    if (problem.empty()) continue;
    const Ranks all =
        ranks_where(everybody, [&](const Introduction& i) { return i.problem.str() == problem; });
    return Problem{problem + " (" + rank_list(all) + ")", everybody[rank].problem_hint.str(),
                   Exit::kUsage};
  }
  const Status status = check_metahosts(everybody);
  return status ? check_global_clocks(everybody) : status;
}

std::vector<Place> places(std::span<const Introduction> everybody) {
  std::map<std::tuple<bool, std::string, std::uint8_t>, std::int32_t> clocks;
  std::map<std::int64_t, std::int32_t> metahosts;
  std::vector<Place> found;
  for (std::int32_t rank = 0; rank < static_cast<std::int32_t>(everybody.size()); ++rank) {
    const Introduction& i = everybody[static_cast<std::size_t>(rank)];
    const bool global = i.global_clock != 0;
    const std::string where = global ? std::to_string(i.metahost_id) : i.node.str();
    // Ranks ascend, so the first rank with this clock is its leader.
    const auto clock = clocks.try_emplace({global, where, i.timer}, rank).first;
    const auto metahost =
        metahosts.try_emplace(i.metahost_id, static_cast<std::int32_t>(metahosts.size())).first;
    found.push_back({clock->second, metahost->second});
  }
  return found;
}

}  // namespace latecomer::session
