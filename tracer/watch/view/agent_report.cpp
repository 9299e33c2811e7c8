// SPDX-License-Identifier: BSD-3-Clause
// Reads the statistics that the agent writes again and again.
#include "tracer/watch/view/agent_report.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <exception>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "archive/experiment/no_records.hpp"
#include "archive/plain_file.hpp"
#include "tracer/watch/view/watch_json.hpp"

namespace latecomer::watch {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::uintmax_t kMostBytes = std::uintmax_t{256} << 20;
constexpr std::int64_t kLargest = std::int64_t{1} << 54;  // sums do not overflow; 208 days in ns

// Null stands for a number that is not known.
std::int64_t number(const Json& from, const char* name, std::int64_t not_known = 0) {
  const Json& value = from.at(name);
  if (value.is_null()) return not_known;
  if (!value.is_number_integer()) throw std::invalid_argument(name);
  return std::clamp(value.get<std::int64_t>(), -kLargest, kLargest);
}

std::optional<std::int64_t> number_if_known(const Json& from, const char* name) {
  if (from.at(name).is_null()) return {};
  return number(from, name);
}

Rank rank_in(const Json& from) {
  return static_cast<Rank>(std::clamp<std::int64_t>(number(from, "rank"), 0, 1 << 24));
}

std::string text(const Json& from, const char* name) { return from.at(name).get<std::string>(); }

WaitKind kind_in(const Json& from) {
  const std::string name = text(from, "metric");
  for (std::size_t kind = 0; kind < kWaitKinds; ++kind) {
    if (name == metric_name(static_cast<WaitKind>(kind))) return static_cast<WaitKind>(kind);
  }
  throw std::invalid_argument(name);
}

Sum sum_in(const Json& from) { return {number(from, "count"), number(from, "ns")}; }

WatchReport::OfRank rank_of(const Json& from) {
  WatchReport::OfRank of;
  of.rank = rank_in(from);
  of.node = text(from, "node");
  of.run = number(from, "run_ns");
  of.known = number(from, "known_ns");
  of.unseen = number(from, "unseen_ns");
  of.mpi = number(from, "mpi_ns");
  of.begin_end = number(from, "init_finalize_ns");
  of.waiting = number(from, "waiting_ns");
  of.caused = number(from, "caused_ns");
  of.lost = from.at("recent_waiting_ns").is_null();
  of.recent_waiting = number(from, "recent_waiting_ns");
  of.recent_mpi = number(from, "recent_mpi_ns");
  of.waiting_now = number_if_known(from, "waiting_now_ns");
  for (std::size_t kind = 0; kind < kWaitKinds; ++kind) {
    const Json& sum = from.at("waits").at(metric_name(static_cast<WaitKind>(kind)));
    if (!sum.is_null()) of.waits[kind] = sum_in(sum);
  }
  for (const Json& time : from.at("slices_ns")) {
    const Json one = {{"ns", time}};
    of.slices.push_back(number(one, "ns", WatchReport::kNotKnown));
  }
  return of;
}

WatchReport::Unfinished unfinished_of(const Json& from) {
  WatchReport::Unfinished of;
  of.rank = rank_in(from);
  const std::string state = text(from, "state");
  for (std::size_t s = 0; s < kStates; ++s) {
    const auto one = static_cast<UnfinishedRank::State>(s);
    if (state == state_name(one)) of.state = one;
  }
  of.gone = from.at("gone").get<bool>();
  of.path.names = from.at("call_path").get<std::vector<std::string>>();
  of.path.place = text(from, "place");
  of.from = number(from, "from_ns");
  of.length = number(from, "for_ns");
  of.beyond = number(from, "since_last_call_ns");
  if (!from.at("metric").is_null()) of.kind = kind_in(from);
  of.waiting = number(from, "waiting_ns");
  if (!from.at("waited_for").is_null())
    of.cause = static_cast<Rank>(std::clamp<std::int64_t>(number(from, "waited_for"), 0, 1 << 24));
  return of;
}

std::vector<Rank> ranks_of(const Json& from) {
  std::vector<Rank> ranks;
  for (const Json& rank : from) {
    const Json one = {{"rank", rank}};
    ranks.push_back(rank_in(one));
  }
  return ranks;
}

// Who waits.
void read_now(const Json& from, WatchReport& report) {
  for (const Json& one : from.at("late")) {
    LateRank late;
    late.rank = rank_in(one);
    late.waited_by = static_cast<std::size_t>(std::max<std::int64_t>(0, number(one, "waited_by")));
    late.longest = number(one, "longest_ns", -1);
    const std::string doing = text(one, "doing");
    for (std::size_t d = 0; d < kDoings; ++d) {
      const auto each = static_cast<LateRank::Doing>(d);
      if (doing == doing_name(each)) late.doing = each;
    }
    report.late.push_back(late);
  }
  for (const Json& one : from.at("circles"))
    report.circles.push_back({ranks_of(one.at("ranks")), number(one, "shortest_ns", -1)});
  for (const Json& one : from.at("waiting")) {
    WatchReport::Waiting& waiting = report.waiting.emplace_back();
    waiting.rank.rank = rank_in(one);
    waiting.rank.call = text(one, "call");
    waiting.rank.since = number(one, "since_ns", -1);
    waiting.rank.waits_for = ranks_of(one.at("waits_for"));
    waiting.rank.all_came = one.at("all_came").get<bool>();
    waiting.path = {text(one, "path"), text(one, "place")};
  }
}

WatchReport::OfSite site_of(const Json& from) {
  WatchReport::OfSite site;
  site.communicator = text(from, "communicator");
  site.operation = text(from, "operation");
  site.path = {text(from, "path"), text(from, "place")};
  site.statistics.operations = number(from, "operations");
  for (const Json& one : from.at("ranks")) {
    ParticipantStatistics& of = site.statistics.ranks[rank_in(one)];
    of.count = number(one, "count");
    of.first = number(one, "first");
    of.last = number(one, "last");
    of.left_first = number(one, "left_first");
    of.left_last = number(one, "left_last");
    site.early += number(one.at("arrival"), "sum_ns");
  }
  return site;
}

}  // namespace

std::optional<WatchReport> report_of(const Json& json) try {
  if (text(json, "format") != kWatchFormat) return {};
  WatchReport report;
  report.experiment = text(json, "experiment");
  report.program = text(json, "program");
  report.ended = json.at("ended").get<bool>();
  report.behind = number_if_known(json, "behind_ns");
  report.size =
      static_cast<std::uint32_t>(std::clamp<std::int64_t>(number(json, "size"), 0, 1 << 24));
  for (const Json& node : json.at("nodes")) report.nodes.push_back(node.get<std::string>());
  report.run = number(json, "run_ns");
  report.until = number(json, "until_ns");
  report.recent = number(json, "recent_ns");
  if (const Json& shared = json.at("shared_cores"); !shared.is_null())
    report.shared_cores = {number(shared, "ranks"), number(shared, "threads"),
                           number(shared, "cores")};
  for (const Json& one : json.at("not_watched"))
    report.not_watched.push_back({rank_in(one), text(one, "why")});
  for (const Json& one : json.at("unfinished")) report.unfinished.push_back(unfinished_of(one));
  read_now(json.at("now"), report);
  for (const Json& one : json.at("ranks")) report.ranks.push_back(rank_of(one));
  for (const Json& one : json.at("paths")) {
    WatchReport::OfPath of;
    of.kind = kind_in(one);
    of.path = {text(one, "path"), text(one, "place"),
               one.at("call_path").get<std::vector<std::string>>()};
    of.all = sum_in(one);
    for (const Json& rank : one.at("ranks")) of.ranks.emplace_back(rank_in(rank), sum_in(rank));
    for (const Json& rank : one.at("causes")) of.causes.emplace_back(rank_in(rank), sum_in(rank));
    report.paths.push_back(std::move(of));
  }
  for (const Json& one : json.at("calls")) {
    WatchReport::OfCalls& of = report.calls.emplace_back();
    of.path.place = text(one, "place");
    of.path.names = one.at("call_path").get<std::vector<std::string>>();
    for (const Json& rank : one.at("ranks")) of.ranks.emplace_back(rank_in(rank), sum_in(rank));
  }
  for (const Json& one : json.at("node_pairs"))
    report.node_pairs.push_back(
        {kind_in(one), text(one, "waiting"), text(one, "waited_for"), sum_in(one)});
  for (const Json& one : json.at("collectives")) report.sites.push_back(site_of(one));
  for (const auto& [name, count] : counts_of(report)) *count = number(json.at("counts"), name);
  for (const auto& [name, count] : left_out_of(report)) *count = number(json.at("left_out"), name);
  return report;
} catch (const std::exception&) {
  return {};
}

Result<WatchReport> read_report(const std::string& file) {
  const auto text = plain_content(file, kMostBytes);
  if (!text)
    return Problem{"cannot read " + file + ": " + file_error(errno), "check the file's name"};
  const Json json = Json::parse(*text, nullptr, false);
  auto report = json.is_object() ? report_of(json) : std::nullopt;
  if (report) return std::move(*report);
  return Problem{file + " has no statistics of a run that was watched",
                 "give watch.json of the same release, or what latecomer watch --report wrote"};
}

struct AgentReport::Read {
  Json json;
};

AgentReport::AgentReport(const std::string& experiment, const std::string& own) {
  std::error_code error;
  const fs::path file = fs::path(experiment) / kWatchReport;
  const fs::path ours = own.empty() ? fs::path() : fs::weakly_canonical(own, error);
  if (own.empty() || (!error && ours != fs::weakly_canonical(file, error))) file_ = file.string();
}

AgentReport::~AgentReport() = default;

void AgentReport::complete(WatchReport& report) {
  read_.reset();
  if (file_.empty() || report.lost_ranks() == 0) return;
  std::error_code error;
  const auto size = fs::file_size(file_, error);
  if (error || size > kMostBytes || !fs::is_regular_file(file_, error)) return;
  const auto written = fs::last_write_time(file_, error);
  if (error) return;
  std::ifstream in(file_);
  auto read = std::make_unique<Read>();
  read->json = Json::parse(in, nullptr, false);
  if (read->json.is_discarded()) return;
  auto agent = report_of(read->json);
  if (!agent || agent->time() <= report.time()) return;
  const auto age = fs::file_time_type::clock::now() - written;
  agent->agent_age =
      std::max<Nanoseconds>(0, std::chrono::duration_cast<std::chrono::nanoseconds>(age).count());
  agent->experiment = report.experiment;
  agent->ended = report.ended;
  for (WatchReport::OfRank& of : agent->ranks) {
    const auto own = std::ranges::find(report.ranks, of.rank, &WatchReport::OfRank::rank);
    of.waiting_now = own == report.ranks.end() ? std::optional<Nanoseconds>() : own->waiting_now;
  }
  agent->unfinished = std::move(report.unfinished);
  agent->late = std::move(report.late);
  agent->circles = std::move(report.circles);
  agent->waiting = std::move(report.waiting);
  report = std::move(*agent);
  read_ = std::move(read);
}

Json AgentReport::json(const WatchReport& completed) const {
  Json own = json_of(completed);
  if (!read_) return own;
  own["collectives"] = read_->json["collectives"];
  return own;
}

}  // namespace latecomer::watch
