// SPDX-License-Identifier: BSD-3-Clause
// Formats what ranks do and who waits for whom.
#include "tracer/stuck/stuck_report.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>

#include "archive/printable.hpp"

namespace latecomer::stuck {
namespace {

using Ranks = std::vector<std::uint32_t>;

// Ranks that are in the same situation.
struct Group {
  Ranks ranks;
  std::string what, path;
  std::string last;            // text after the time
  double least = 0, most = 0;  // seconds
  bool knows_time = false;
};

std::string situation(const RankState& rank, const ThreadState& thread) {
  const std::string in_thread =
      thread.number == 0 ? "" : "thread " + std::to_string(thread.number) + ": ";
  std::string text;
  switch (thread.doing) {
    case Doing::kWaits:
      text = call_text(thread);
      break;
    case Doing::kPolls:
      text = "polls with " + call_text(thread);
      break;
    case Doing::kFile:
      text = thread.call + " (a file)";
      break;
    case Doing::kThreads:
      text = thread.call;
      break;
    case Doing::kBegins:
      text = "MPI_Init";
      break;
    case Doing::kEnds:
      text = "MPI_Finalize, writing the trace";
      break;
    default:
      text = "in no MPI call";
  }
  return in_thread + text + (rank.moved ? " (moves)" : "");
}

std::string standing_text(const RankState& rank) {
  switch (rank.standing) {
    case Standing::kFinished:
      return "has finished (MPI_Finalize)";
    case Standing::kExited:
      return "has exited without MPI_Finalize";
    case Standing::kDied:
      return "has died";
    case Standing::kUnseen:
      return rank.host.empty() ? "left no records that can be read here"
                               : "is on another host, " + rank.host;
    default:
      return "has recorded nothing yet";
  }
}

std::vector<Group> groups_of(const std::vector<RankState>& ranks) {
  std::vector<Group> groups;
  const auto put = [&](std::uint32_t rank, std::string what, const std::string& path,
                       const ThreadState* thread) {
    const bool outside = thread != nullptr && thread->doing == Doing::kOutside;
    const std::string last =
        outside && !thread->call.empty() ? ", the last one was " + thread->call : "";
    auto found = std::ranges::find_if(
        groups, [&](const Group& g) { return g.what == what && g.path == path && g.last == last; });
    if (found == groups.end()) {
      groups.push_back({{}, std::move(what), path, last, 0, 0, false});
      found = groups.end() - 1;
    }
    if (found->ranks.empty() || found->ranks.back() != rank) found->ranks.push_back(rank);
    if (thread == nullptr || !thread->knows_time) return;
    found->least = found->knows_time ? std::min(found->least, thread->seconds) : thread->seconds;
    found->most = std::max(found->most, thread->seconds);
    found->knows_time = true;
  };
  for (const RankState& rank : ranks) {
    const bool there = rank.standing == Standing::kThere && !rank.threads.empty();
    if (!there) put(rank.rank, standing_text(rank), "", nullptr);
    if (rank.standing != Standing::kThere) continue;
    for (const ThreadState& thread : rank.threads)
      put(rank.rank, situation(rank, thread), thread.path, &thread);
  }
  return groups;
}

std::string time_text(const Group& group) {
  if (!group.knows_time) return "";
  const std::string most = duration_text(group.most), least = duration_text(group.least);
  return " for " + (most == least ? most : least + " to " + most);
}

const char* kind_text(Finding::Kind kind) {
  switch (kind) {
    case Finding::Kind::kCircle:
      return "circle";
    case Finding::Kind::kMismatch:
      return "mismatch";
    case Finding::Kind::kGone:
      return "gone";
    case Finding::Kind::kNobody:
      return "nobody";
    case Finding::Kind::kComputing:
      return "computing";
    case Finding::Kind::kLock:
      return "lock";
    default:
      return "unseen";
  }
}

bool is_deadlock(Finding::Kind kind) {
  return kind != Finding::Kind::kComputing && kind != Finding::Kind::kUnseen &&
         kind != Finding::Kind::kLock;
}

}  // namespace

std::string text_of(const StuckReport& report) {
  std::string text =
      printable(report.experiment) + ": " + std::to_string(report.ranks.size()) +
      (report.ranks.size() == 1 ? " rank" : " ranks") +
      (report.running ? "" : ", none of them runs here any more: as the records end") + "\n";
  const auto groups = groups_of(report.ranks);
  constexpr std::size_t kShown = 40;
  std::size_t width = 0;
  for (std::size_t i = 0; i < groups.size() && i < kShown; ++i)
    width = std::max(width, std::min<std::size_t>(ranks_text(groups[i].ranks).size(), 30));
  for (std::size_t i = 0; i < groups.size() && i < kShown; ++i) {
    const Group& group = groups[i];
    std::string list = ranks_text(group.ranks);
    if (list.size() < width) list.resize(width, ' ');
    text += "  " + list + "  " + group.what + time_text(group) + group.last + "\n";
    if (!group.path.empty()) text += "  " + std::string(width, ' ') + "    " + group.path + "\n";
  }
  if (groups.size() > kShown)
    text += "  and " + std::to_string(groups.size() - kShown) + " other situations: --json\n";
  const auto& findings = report.standstill.findings;
  constexpr std::size_t kMostFindings = 20;
  for (std::size_t i = 0; i < findings.size() && i < kMostFindings; ++i) {
    text += std::string(is_deadlock(findings[i].kind) ? "stuck: " : "waits: ") + findings[i].text +
            "\n";
  }
  if (findings.size() > kMostFindings)
    text += "and " + std::to_string(findings.size() - kMostFindings) + " more: --json\n";
  if (findings.empty()) text += "no rank waits for something that cannot come\n";
  for (const std::string& note : report.notes) text += "note:  " + note + "\n";
  return printable_lines(text);
}

nlohmann::ordered_json json_of(const StuckReport& report) {
  nlohmann::ordered_json json;
  json["experiment"] = report.experiment;
  auto& findings = json["findings"] = nlohmann::ordered_json::array();
  for (const Finding& finding : report.standstill.findings) {
    findings.push_back(
        {{"kind", kind_text(finding.kind)}, {"ranks", finding.ranks}, {"text", finding.text}});
  }
  json["notes"] = report.notes;
  auto& ranks = json["ranks"] = nlohmann::ordered_json::array();
  for (const RankState& rank : report.ranks) {
    nlohmann::ordered_json one;
    one["moved"] = rank.moved;
    one["rank"] = rank.rank;
    static constexpr const char* kStandings[] = {"there", "finished", "exited", "died", "unseen"};
    one["standing"] = kStandings[static_cast<std::size_t>(rank.standing)];
    one["stuck"] =
        rank.rank < report.standstill.stuck.size() && bool{report.standstill.stuck[rank.rank]};
    auto& threads = one["threads"] = nlohmann::ordered_json::array();
    for (const ThreadState& thread : rank.threads) {
      static constexpr const char* kDoing[] = {"waits",   "polls",  "outside", "file",
                                               "threads", "begins", "ends"};
      nlohmann::ordered_json t;
      t["call"] = thread.call;
      t["doing"] = kDoing[static_cast<std::size_t>(thread.doing)];
      t["path"] = thread.path;
      t["place"] = thread.place;
      t["seconds"] = thread.knows_time ? nlohmann::ordered_json(thread.seconds)
                                       : nlohmann::ordered_json(nullptr);
      t["text"] = situation(rank, thread);
      t["thread"] = thread.number;
      threads.push_back(std::move(t));
    }
    one["waits_for"] = report.standstill.waits_for[rank.rank];
    ranks.push_back(std::move(one));
  }
  json["running"] = report.running;
  json["stuck"] = report.standstill.is_deadlock();
  return json;
}

}  // namespace latecomer::stuck
