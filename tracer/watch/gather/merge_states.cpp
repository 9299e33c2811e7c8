// SPDX-License-Identifier: BSD-3-Clause
// Adds up the members of states, each by its own rule.
#include "tracer/watch/gather/merge_states.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>

namespace latecomer::watch {
namespace {

using Json = nlohmann::ordered_json;
using Parts = std::vector<const Json*>;
using Rank = std::uint32_t;

std::int64_t number(const Json& from, const char* name) {
  const auto found = from.find(name);
  return found == from.end() || !found->is_number_integer() ? 0 : found->get<std::int64_t>();
}

const Json& list(const Json& from, const char* name) {
  static const Json kNone = Json::array();
  const auto found = from.find(name);
  return found == from.end() || !found->is_array() ? kNone : *found;
}

void add(Json& to, const Json& more, const char* name) {
  to[name] = number(to, name) + number(more, name);
}

// The largest of a time; null, which is not known, is larger than any.
Json latest(const Parts& parts, const char* name) {
  Json largest = 0;
  for (const Json* part : parts) {
    const auto found = part->find(name);
    if (found == part->end() || found->is_null()) return nullptr;
    largest = std::max(largest.get<std::int64_t>(), number(*part, name));
  }
  return largest;
}

// The objects of a list in all parts, by rank. The first one of a rank counts.
Json by_rank(const Parts& parts, const std::function<const Json&(const Json&)>& of) {
  std::map<std::int64_t, const Json*> all;
  for (const Json* part : parts) {
    for (const Json& one : of(*part)) all.try_emplace(number(one, "rank"), &one);
  }
  Json merged = Json::array();
  for (const auto& [rank, one] : all) merged.push_back(*one);
  return merged;
}
Json by_rank(const Parts& parts, const char* name) {
  return by_rank(parts, [name](const Json& part) -> const Json& { return list(part, name); });
}

// Sums of a list by rank, such as the causes of waits.
Json sums_by_rank(const std::vector<const Json*>& lists, const std::vector<const char*>& members) {
  std::map<std::int64_t, Json> all;
  for (const Json* one : lists) {
    for (const Json& sum : *one) {
      Json& to = all[number(sum, "rank")];
      to["rank"] = number(sum, "rank");
      for (const char* member : members) add(to, sum, member);
    }
  }
  Json merged = Json::array();
  for (auto& [rank, sum] : all) merged.push_back(std::move(sum));
  return merged;
}

std::string text(const Json& from, const char* name) {
  const auto found = from.find(name);
  return found == from.end() ? "" : found->dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Entries with the same values of `keys`, in the order of these. `merge` gets them.
Json by_keys(const Parts& parts, const char* name, const std::vector<const char*>& keys,
             const std::function<Json(const std::vector<const Json*>&)>& merge) {
  std::map<std::vector<std::string>, std::vector<const Json*>> groups;
  for (const Json* part : parts) {
    for (const Json& one : list(*part, name)) {
      std::vector<std::string> key;
      for (const char* of : keys) key.push_back(text(one, of));
      groups[std::move(key)].push_back(&one);
    }
  }
  Json merged = Json::array();
  for (const auto& [key, group] : groups) merged.push_back(merge(group));
  return merged;
}

std::vector<const Json*> lists(const std::vector<const Json*>& of, const char* name) {
  std::vector<const Json*> all;
  for (const Json* one : of) all.push_back(&list(*one, name));
  return all;
}

void sort_by(Json& list, const char* member) {
  std::stable_sort(list.begin(), list.end(), [&](const Json& a, const Json& b) {
    return number(a, member) > number(b, member);
  });
}

Json paths(const Parts& parts) {
  Json all = by_keys(parts, "paths", {"metric", "path", "place", "call_path"}, [](const auto& of) {
    Json one = *of.front();
    for (std::size_t i = 1; i < of.size(); ++i) {
      add(one, *of[i], "count");
      add(one, *of[i], "ns");
    }
    one["ranks"] = sums_by_rank(lists(of, "ranks"), {"count", "ns"});
    one["causes"] = sums_by_rank(lists(of, "causes"), {"count", "ns"});
    sort_by(one["causes"], "ns");
    return one;
  });
  sort_by(all, "ns");
  return all;
}

Json calls(const Parts& parts) {
  return by_keys(parts, "calls", {"call_path", "place"}, [](const auto& of) {
    Json one = *of.front();
    one["ranks"] = sums_by_rank(lists(of, "ranks"), {"count", "ns"});
    return one;
  });
}

Json node_pairs(const Parts& parts) {
  Json all = by_keys(parts, "node_pairs", {"metric", "waiting", "waited_for"}, [](const auto& of) {
    Json one = *of.front();
    for (std::size_t i = 1; i < of.size(); ++i) {
      add(one, *of[i], "count");
      add(one, *of[i], "ns");
    }
    return one;
  });
  sort_by(all, "ns");
  return all;
}

// Each part has its own ranks of a call site. Its text is that of the part with the lowest rank.
Json collectives(const Parts& parts) {
  Json all = by_keys(parts, "collectives", {"id", "operation"}, [](const auto& of) {
    const auto named = std::ranges::find_if(of, [](const Json* one) {
      return !text(*one, "path").empty() && text(*one, "path") != "\"\"";
    });
    Json one = named == of.end() ? *of.front() : **named;
    std::int64_t operations = 0;
    Parts with_ranks(of.begin(), of.end());
    for (const Json* part : of) operations = std::max(operations, number(*part, "operations"));
    one["operations"] = operations;
    one["ranks"] = by_rank(with_ranks, "ranks");
    return one;
  });
  std::vector<std::pair<std::int64_t, Json>> sorted;
  for (Json& one : all) {
    std::int64_t early = 0;
    for (const Json& rank : one["ranks"])
      early += number(rank.value("arrival", Json::object()), "sum_ns");
    sorted.emplace_back(-early, std::move(one));
  }
  std::ranges::stable_sort(sorted, {}, [](const auto& one) { return one.first; });
  all = Json::array();
  for (auto& [early, one] : sorted) all.push_back(std::move(one));
  return all;
}

Json now(const Parts& parts) {
  const auto of = [](const char* name) {
    return [name](const Json& part) -> const Json& {
      static const Json kEmpty = Json::object();
      const auto found = part.find("now");
      return list(found == part.end() ? kEmpty : *found, name);
    };
  };
  Json merged;
  std::map<std::int64_t, Json> late;
  std::set<std::string> seen;
  Json circles = Json::array();
  for (const Json* part : parts) {
    for (const Json& one : of("late")(*part)) {
      const auto [at, is_new] = late.try_emplace(number(one, "rank"), one);
      if (is_new) continue;
      add(at->second, one, "waited_by");
      at->second["longest_ns"] =
          std::max(number(at->second, "longest_ns"), number(one, "longest_ns"));
    }
    for (const Json& one : of("circles")(*part)) {
      if (seen.insert(text(one, "ranks")).second) circles.push_back(one);
    }
  }
  std::sort(circles.begin(), circles.end(),
            [](const Json& a, const Json& b) { return text(a, "ranks") < text(b, "ranks"); });
  Json& all_late = merged["late"] = Json::array();
  for (auto& [rank, one] : late) all_late.push_back(std::move(one));
  sort_by(all_late, "waited_by");
  merged["circles"] = std::move(circles);
  merged["waiting"] = by_rank(parts, of("waiting"));
  return merged;
}

Json counts(const Parts& parts, const char* name) {
  Json sum = Json::object();
  for (const Json* part : parts) {
    const auto found = part->find(name);
    if (found == part->end() || !found->is_object()) continue;
    for (const auto& [key, count] : found->items()) add(sum, *found, key.c_str());
  }
  return sum;
}

bool flag(const Json& from, const char* name) {
  const auto found = from.find(name);
  return found != from.end() && found->is_boolean() && found->get<bool>();
}

// The machine on which fewer cores than threads are worst.
Json shared_cores(const Parts& parts) {
  const Json* worst = nullptr;
  const auto key = [](const Json& one) {
    return std::tuple(number(one, "threads") - number(one, "cores"), number(one, "threads"),
                      number(one, "ranks"));
  };
  for (const Json* part : parts) {
    const auto found = part->find("shared_cores");
    if (found == part->end() || !found->is_object()) continue;
    if (worst == nullptr || key(*found) > key(*worst)) worst = &*found;
  }
  return worst == nullptr ? Json(nullptr) : *worst;
}

Json nodes(const Parts& parts) {
  Json all = Json::array();
  std::set<std::string> seen;
  for (const Json* part : parts) {
    for (const Json& node : list(*part, "nodes")) {
      if (seen.insert(node.dump(-1, ' ', false, Json::error_handler_t::replace)).second)
        all.push_back(node);
    }
  }
  return all;
}

std::int64_t first_rank(const Json& part) {
  const Json& ranks = list(part, "ranks");
  return ranks.empty() ? INT64_MAX : number(ranks.front(), "rank");
}

}  // namespace

Json merge_states(const Parts& unsorted) {
  if (unsorted.empty()) return Json::object();
  if (unsorted.size() == 1) return *unsorted.front();
  Parts parts = unsorted;
  std::ranges::stable_sort(parts, {}, [](const Json* part) { return first_rank(*part); });
  const Json& first = *parts.front();
  Json all;
  const auto any = [&](const char* name) {
    return std::ranges::any_of(parts, [&](const Json* part) { return flag(*part, name); });
  };
  const auto sum = [&](const char* name) {
    std::int64_t found = 0;
    for (const Json* part : parts) found += number(*part, name);
    return found;
  };
  all["format"] = first.value("format", "");
  all["experiment"] = first.value("experiment", "");
  all["program"] = first.value("program", "");
  all["ended"] = std::ranges::all_of(parts, [](const Json* part) { return flag(*part, "ended"); });
  all["partial"] = any("partial");
  all["agent_age_ns"] = nullptr;
  all["behind_ns"] = latest(parts, "behind_ns");
  all["size"] = latest(parts, "size");
  all["nodes"] = nodes(parts);
  for (const char* name : {"run_ns", "until_ns", "recent_ns"}) all[name] = latest(parts, name);
  const bool none_known = std::ranges::all_of(
      parts, [](const Json* part) { return part->value("waiting_ns", Json()).is_null(); });
  all["waiting_ns"] = none_known ? Json(nullptr) : Json(sum("waiting_ns"));
  all["time_ns"] = sum("time_ns");
  all["shared_cores"] = shared_cores(parts);
  all["not_watched"] = by_rank(parts, "not_watched");
  all["unfinished"] = by_rank(parts, "unfinished");
  all["now"] = now(parts);
  all["ranks"] = by_rank(parts, "ranks");
  all["paths"] = paths(parts);
  all["calls"] = calls(parts);
  all["node_pairs"] = node_pairs(parts);
  all["collectives"] = collectives(parts);
  all["counts"] = counts(parts, "counts");
  all["caused_elsewhere"] = sums_by_rank(lists(parts, "caused_elsewhere"), {"ns"});
  all["left_out"] = counts(parts, "left_out");
  return all;
}

void complete_state(Json& state,
                    const std::vector<std::pair<std::uint32_t, std::string>>& missing) {
  std::map<std::int64_t, Json*> ranks;
  for (Json& one : state["ranks"]) ranks[number(one, "rank")] = &one;
  for (const Json& caused : list(state, "caused_elsewhere")) {
    const auto of = ranks.find(number(caused, "rank"));
    if (of == ranks.end() || of->second->value("caused_ns", Json()).is_null()) continue;
    (*of->second)["caused_ns"] = number(*of->second, "caused_ns") + number(caused, "ns");
  }
  state.erase("caused_elsewhere");
  for (Json& one : state["collectives"]) one.erase("id");
  if (missing.empty()) return;
  Json more = Json::array();
  for (const auto& [rank, why] : missing) more.push_back({{"rank", rank}, {"why", why}});
  const Json holder = {{"not_watched", more}};
  state["not_watched"] = by_rank({&state, &holder}, "not_watched");
  state["partial"] = true;
}

}  // namespace latecomer::watch
