// SPDX-License-Identifier: BSD-3-Clause
// Writes all members of a report.
#include "tracer/watch/view/watch_json.hpp"

#include <nlohmann/json.hpp>

namespace latecomer::watch {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Sum& sum) { return {{"count", sum.count}, {"ns", sum.time}}; }

Json json_of(const TimeSpread& spread) {
  return {{"mean_ns", spread.mean()},
          {"least_ns", spread.least()},
          {"largest_ns", spread.largest()},
          {"deviation_ns", spread.deviation()},
          {"median_of_latest_ns", spread.latest_median()},
          {"sum_ns", spread.sum()}};
}

Json ranks_json(const std::vector<std::pair<Rank, Sum>>& sums) {
  Json all = Json::array();
  for (const auto& [rank, sum] : sums)
    all.push_back({{"rank", rank}, {"count", sum.count}, {"ns", sum.time}});
  return all;
}

Json site_json(const WatchReport::OfSite& site) {
  Json one;
  one["communicator"] = site.communicator;
  one["operation"] = site.operation;
  one["path"] = site.path.path;
  one["place"] = site.path.place;
  one["operations"] = site.statistics.operations;
  Json& ranks = one["ranks"] = Json::array();
  const std::size_t places = std::min(kPlaces, site.statistics.ranks.size());
  for (const auto& [rank, of] : site.statistics.ranks) {
    Json r;
    r["rank"] = rank;
    r["count"] = of.count;
    r["first"] = of.first;
    r["last"] = of.last;
    r["left_first"] = of.left_first;
    r["left_last"] = of.left_last;
    r["arrivals"] =
        std::vector(of.arrivals.begin(), of.arrivals.begin() + static_cast<std::ptrdiff_t>(places));
    r["departures"] = std::vector(of.departures.begin(),
                                  of.departures.begin() + static_cast<std::ptrdiff_t>(places));
    r["arrival"] = json_of(of.arrival);
    r["departure"] = json_of(of.departure);
    ranks.push_back(std::move(r));
  }
  return one;
}

// Null: not known.
Json time_json(std::optional<Nanoseconds> time) { return time ? Json(*time) : Json(nullptr); }
std::optional<Nanoseconds> known(Nanoseconds time) {
  return time < 0 ? std::nullopt : std::optional(time);
}

Json unfinished_json(const WatchReport::Unfinished& of) {
  Json one;
  one["rank"] = of.rank;
  one["state"] = state_name(of.state);
  one["gone"] = of.gone;
  one["call_path"] = of.path.names;
  one["place"] = of.path.place;
  one["from_ns"] = of.from;
  one["for_ns"] = of.length;
  one["since_last_call_ns"] = of.beyond;
  one["metric"] = of.kind ? Json(metric_name(*of.kind)) : Json(nullptr);
  one["waiting_ns"] = of.waiting;
  one["waited_for"] = of.cause ? Json(*of.cause) : Json(nullptr);
  return one;
}

Json now_json(const WatchReport& report) {
  Json now;
  Json& late = now["late"] = Json::array();
  for (const LateRank& one : report.late) {
    late.push_back({{"rank", one.rank},
                    {"waited_by", one.waited_by},
                    {"longest_ns", time_json(known(one.longest))},
                    {"doing", doing_name(one.doing)}});
  }
  Json& circles = now["circles"] = Json::array();
  for (const Circle& one : report.circles)
    circles.push_back({{"ranks", one.ranks}, {"shortest_ns", time_json(known(one.shortest))}});
  Json& waiting = now["waiting"] = Json::array();
  for (const auto& [one, path] : report.waiting) {
    waiting.push_back({{"rank", one.rank},
                       {"call", one.call},
                       {"path", path.path},
                       {"place", path.place},
                       {"since_ns", time_json(known(one.since))},
                       {"waits_for", one.waits_for},
                       {"all_came", one.all_came}});
  }
  return now;
}

}  // namespace

const char* doing_name(LateRank::Doing doing) {
  static constexpr const char* kNames[kDoings] = {"outside", "transfers", "waits", "ended", "gone"};
  return kNames[static_cast<std::size_t>(doing)];
}

const char* state_name(UnfinishedRank::State state) {
  static constexpr const char* kNames[kStates] = {"in_call", "outside", "exited", "aborted",
                                                  "unknown"};
  return kNames[static_cast<std::size_t>(state)];
}

NamedCounts counts_of(WatchReport& report) {
  CollectiveCounts& c = report.collectives;
  MessageCounts& m = report.messages;
  return {{"records", &report.records.records},
          {"collectives", &c.seen},
          {"collectives_finished", &c.finished},
          {"collectives_pending", &c.pending},
          {"sends", &m.sends},
          {"receives", &m.receives},
          {"messages", &m.matched},
          {"messages_pending", &m.pending},
          {"receives_held_back", &m.held_back}};
}

NamedCounts left_out_of(WatchReport& report) {
  CollectiveCounts& c = report.collectives;
  MessageCounts& m = report.messages;
  FollowCounts& r = report.records;
  return {{"collectives_no_room", &c.no_room},
          {"collectives_after_loss", &c.after_loss},
          {"collectives_with_ranks_not_watched", &c.elsewhere},
          {"collectives_not_recorded", &c.not_recorded},
          {"collectives_inconsistent", &c.inconsistent},
          {"collectives_not_watched", &c.not_watched},
          {"collectives_out_of_order", &c.out_of_order},
          {"collectives_without_formula", &c.without_formula},
          {"collectives_without_statistics", &c.without_statistics},
          {"messages_no_room", &m.no_room},
          {"messages_after_loss", &m.after_loss},
          {"messages_with_ranks_not_watched", &m.elsewhere},
          {"messages_not_recorded", &m.not_recorded},
          {"messages_cancelled", &m.cancelled},
          {"receives_out_of_order", &m.out_of_order},
          {"receives_in_tests", &m.in_tests},
          {"calls_incomplete", &m.incomplete_calls},
          {"sends_ended_without_begin", &m.ends_without_begin},
          {"records_lost", &r.lost},
          {"records_not_written", &r.not_written},
          {"records_damaged", &r.damages},
          {"operations_of_unknown_communicators", &r.unknown_comm},
          {"operations_not_told", &r.not_told},
          {"operations_outside_calls", &r.decoding.outside_calls},
          {"operations_too_many_in_call", &r.decoding.too_many},
          {"operations_on_windows_and_files", &r.decoding.not_watched},
          {"unsuccessful_polls", &r.decoding.unsuccessful},
          {"waits_after_loss", &report.after_loss},
          {"waits_without_place", &report.without_place}};
}

std::vector<std::pair<std::string, std::int64_t>> left_out(const WatchReport& report) {
  WatchReport counts;  // only its counts
  counts.collectives = report.collectives;
  counts.messages = report.messages;
  counts.records = report.records;
  counts.without_place = report.without_place;
  counts.after_loss = report.after_loss;
  std::vector<std::pair<std::string, std::int64_t>> all;
  for (const auto& [name, count] : left_out_of(counts)) all.emplace_back(name, *count);
  return all;
}

Json json_of(const WatchReport& report) {
  Json json;
  json["format"] = kWatchFormat;
  json["experiment"] = report.experiment;
  json["program"] = report.program;
  json["ended"] = report.ended;
  json["partial"] = report.partial();
  json["agent_age_ns"] = time_json(report.agent_age);
  json["behind_ns"] = time_json(report.behind);
  json["size"] = report.size;
  json["nodes"] = report.nodes;
  json["run_ns"] = report.run;
  json["until_ns"] = report.until;
  json["recent_ns"] = report.recent;
  json["waiting_ns"] = report.has_known() ? Json(report.waiting_time()) : Json(nullptr);
  json["time_ns"] = report.time();
  json["shared_cores"] = nullptr;
  if (const auto& shared = report.shared_cores) {
    json["shared_cores"] = {
        {"ranks", shared->ranks}, {"threads", shared->threads}, {"cores", shared->cores}};
  }
  Json& not_watched = json["not_watched"] = Json::array();
  for (const auto& one : report.not_watched)
    not_watched.push_back({{"rank", one.rank}, {"why", one.why}});
  Json& unfinished = json["unfinished"] = Json::array();
  for (const auto& one : report.unfinished) unfinished.push_back(unfinished_json(one));
  json["now"] = now_json(report);
  Json& ranks = json["ranks"] = Json::array();
  for (const WatchReport::OfRank& of : report.ranks) {
    Json one;
    one["rank"] = of.rank;
    one["node"] = of.node;
    one["run_ns"] = of.run;
    one["unseen_ns"] = of.unseen;
    one["mpi_ns"] = of.mpi;
    one["init_finalize_ns"] = of.begin_end;
    const bool known = of.has_known();
    one["known_ns"] = of.known;
    one["waiting_ns"] = known ? Json(of.waiting) : Json(nullptr);
    one["caused_ns"] = known ? Json(of.caused) : Json(nullptr);
    one["recent_waiting_ns"] = of.lost ? Json(nullptr) : Json(of.recent_waiting);
    one["recent_mpi_ns"] = of.recent_mpi;
    one["waiting_now_ns"] = time_json(of.waiting_now);
    Json& waits = one["waits"] = Json::object();
    for (std::size_t kind = 0; kind < kWaitKinds; ++kind)
      waits[metric_name(static_cast<WaitKind>(kind))] =
          known ? json_of(of.waits[kind]) : Json(nullptr);
    one["slice_ns"] = RecentTime::kSlice;
    Json& slices = one["slices_ns"] = Json::array();
    for (const Nanoseconds time : of.slices)
      slices.push_back(time == WatchReport::kNotKnown ? Json(nullptr) : Json(time));
    ranks.push_back(std::move(one));
  }
  Json& paths = json["paths"] = Json::array();
  for (const WatchReport::OfPath& of : report.paths) {
    paths.push_back({{"metric", metric_name(of.kind)},
                     {"path", of.path.path},
                     {"place", of.path.place},
                     {"call_path", of.path.names},
                     {"count", of.all.count},
                     {"ns", of.all.time},
                     {"ranks", ranks_json(of.ranks)},
                     {"causes", ranks_json(of.causes)}});
  }
  Json& calls = json["calls"] = Json::array();
  for (const WatchReport::OfCalls& of : report.calls) {
    calls.push_back(
        {{"call_path", of.path.names}, {"place", of.path.place}, {"ranks", ranks_json(of.ranks)}});
  }
  Json& pairs = json["node_pairs"] = Json::array();
  for (const WatchReport::OfNodes& of : report.node_pairs) {
    pairs.push_back({{"metric", metric_name(of.kind)},
                     {"waiting", of.waiting},
                     {"waited_for", of.waited_for},
                     {"count", of.sum.count},
                     {"ns", of.sum.time}});
  }
  Json& sites = json["collectives"] = Json::array();
  for (const WatchReport::OfSite& site : report.sites) sites.push_back(site_json(site));
  WatchReport counted;
  counted.collectives = report.collectives;
  counted.messages = report.messages;
  counted.records = report.records;
  Json& counts = json["counts"] = Json::object();
  for (const auto& [name, count] : counts_of(counted)) counts[name] = *count;
  if (report.is_part) {
    for (std::size_t i = 0; i < report.sites.size(); ++i)
      json["collectives"][i]["id"] = report.sites[i].id;
    Json& caused = json["caused_elsewhere"] = Json::array();
    for (const auto& [rank, time] : report.caused_elsewhere)
      caused.push_back({{"rank", rank}, {"ns", time}});
  }
  Json& lost = json["left_out"] = Json::object();
  for (const auto& [name, count] : left_out(report)) lost[name] = count;
  return json;
}

}  // namespace latecomer::watch
