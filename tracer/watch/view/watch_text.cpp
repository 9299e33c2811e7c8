// SPDX-License-Identifier: BSD-3-Clause
// Formats a report in lines of about 100 columns.
#include "tracer/watch/view/watch_text.hpp"

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <numeric>

#include "archive/printable.hpp"
#include "tracer/stuck/standstill.hpp"
#include "tracer/watch/view/watch_json.hpp"

namespace latecomer::watch {
namespace {

[[gnu::format(printf, 1, 2)]] std::string format(const char* pattern, ...) {
  std::array<char, 512> text{};
  va_list arguments;
  va_start(arguments, pattern);
  std::vsnprintf(text.data(), text.size(), pattern, arguments);
  va_end(arguments);
  return text.data();
}

// Ranks that wait for each other so long do not only exchange data.
constexpr Nanoseconds kStands = 5'000'000'000;

double seconds(Nanoseconds time) { return static_cast<double>(time) * 1e-9; }

double percent(Nanoseconds part, Nanoseconds whole) {
  return whole <= 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

std::string duration(Nanoseconds time) {
  if (time < 1'000'000) return format("%.0f us", seconds(time) * 1e6);
  if (time < 1'000'000'000) return format("%.1f ms", seconds(time) * 1e3);
  return stuck::duration_text(seconds(time));
}

// A character per slice, higher for more waiting; all of a slice is the highest one; ?: not known.
std::string time_line(const std::vector<Nanoseconds>& slices, Nanoseconds whole, bool blocks) {
  static constexpr const char* kBlocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  static constexpr const char* kLetters[] = {" ", ".", ":", "-", "=", "+", "*", "#", "@"};
  constexpr auto kHighest = static_cast<Nanoseconds>(std::size(kBlocks) - 1);
  std::string line;
  for (const Nanoseconds time : slices) {
    if (time == WatchReport::kNotKnown) {
      line += '?';
      continue;
    }
    const auto step =
        whole <= 0 ? 0
                   : std::clamp<Nanoseconds>((time * kHighest + whole - 1) / whole, 0, kHighest);
    line += (blocks ? kBlocks : kLetters)[step];
  }
  return line;
}

std::string place_text(const PathText& path) {
  return path.path + (path.place.empty() ? "" : " (" + path.place + ')');
}

std::string ranks_text(const std::vector<Rank>& ranks) { return stuck::ranks_text(ranks); }

// Time of ranks whose records were lost: as far as their waits are known, and in all.
Nanoseconds lost_known(const WatchReport& report) {
  Nanoseconds sum = 0;
  for (const auto& one : report.ranks) sum += one.lost ? one.known : 0;
  return sum;
}
Nanoseconds lost_run(const WatchReport& report) {
  Nanoseconds sum = 0;
  for (const auto& one : report.ranks) sum += one.lost ? one.run : 0;
  return sum;
}

std::string head(const WatchReport& report, const TextOptions& options) {
  std::string text = report.program.empty() ? report.experiment : report.program;
  text += format(": %u %s on %zu %s, %s%s\n", report.size, report.size == 1 ? "rank" : "ranks",
                 report.nodes.size(), report.nodes.size() == 1 ? "node" : "nodes",
                 report.ended ? "ended after " : "", duration(report.run).c_str());
  if (report.agent_age) {
    text += "statistics of the agent that scan has started, " + duration(*report.agent_age) +
            " old: this view began after records were overwritten\n";
  }
  if (report.catches_up() && !report.ended) {
    text += report.behind ? "catching up: this is how it was " + duration(*report.behind) + " ago\n"
                          : "catching up: there are records that were not read yet\n";
  }
  if (!report.has_known()) return text + "waiting  not known: records were lost\n";
  const std::size_t lost = report.lost_ranks();
  const auto ranks = static_cast<Nanoseconds>(report.ranks.size() - lost);
  Nanoseconds recent = 0;
  std::vector<Nanoseconds> slices(Window::kSlices);
  for (const auto& one : report.ranks) {
    if (one.lost) continue;
    recent += one.recent_waiting;
    for (std::size_t i = 0; i < std::min(slices.size(), one.slices.size()); ++i)
      slices[i] += one.slices[i];
  }
  text += format("waiting  %5.1f %% in all, ", percent(report.waiting_time(), report.time()));
  const std::string last = duration(report.recent);
  if (lost != 0 && ranks == 0) {
    text += "not known in the last " + last + '\n';
  } else {
    text +=
        format("%5.1f %% in the last %s  %s\n", percent(recent, ranks * report.recent),
               last.c_str(), time_line(slices, ranks * RecentTime::kSlice, options.blocks).c_str());
  }
  if (lost != 0) {
    text += format("records were lost: waits of %zu of %zu ranks are known for %s of %s only\n",
                   lost, report.ranks.size(), duration(lost_known(report)).c_str(),
                   duration(lost_run(report)).c_str());
  }
  return text;
}

const char* doing_text(LateRank::Doing doing) {
  switch (doing) {
    case LateRank::Doing::kOutside:
      return "in no MPI call that waits";
    case LateRank::Doing::kTransfers:
      return "in a call to which all have come";
    case LateRank::Doing::kWaits:
      return "which waits itself";
    default:
      return "which has left MPI";
  }
}

// Names those that are waited for. Waits that begin and end again and again are short.
std::string now(const WatchReport& report) {
  if (report.ended) return "";
  std::string text;
  constexpr std::size_t kShown = 3;
  for (std::size_t i = 0; i < std::min(report.circles.size(), kShown); ++i) {
    const Circle& circle = report.circles[i];
    text += "late now: " + ranks_text(circle.ranks) + " wait for each other" +
            (circle.shortest < 0 ? "" : " for " + duration(circle.shortest)) +
            (circle.shortest < kStands ? "" : ": see latecomer stuck") + '\n';
  }
  for (std::size_t i = 0; i < std::min(report.late.size(), kShown); ++i) {
    const LateRank& late = report.late[i];
    std::vector<Rank> by;
    for (const auto& one : report.waiting) {
      if (std::ranges::find(one.rank.waits_for, late.rank) != one.rank.waits_for.end())
        by.push_back(one.rank.rank);
    }
    text += format("late now: rank %u, ", late.rank) + doing_text(late.doing) + "; " +
            ranks_text(by) + (by.size() == 1 ? " waits" : " wait") + " for it" +
            (late.longest < 0 ? "" : " for " + duration(late.longest)) + '\n';
  }
  if (text.empty()) text += "late now: no rank\n";
  return text;
}

std::string ranks(const WatchReport& report, const TextOptions& options) {
  std::string text = "\nrank  waiting     last   in MPI         now   others wait  over the last ";
  text += duration(Window::kSlices * RecentTime::kSlice) + "\n";
  // If there are too many, those that others waited for and those that waited longest.
  std::vector<std::size_t> shown(report.ranks.size());
  std::iota(shown.begin(), shown.end(), 0);
  if (shown.size() > options.most_ranks) {
    std::ranges::stable_sort(shown, std::greater{}, [&](std::size_t i) {
      return std::max(report.ranks[i].caused, report.ranks[i].waiting);
    });
    shown.resize(options.most_ranks);
    std::ranges::sort(shown);
  }
  const auto share = [](bool known, Nanoseconds part, Nanoseconds whole) {
    return known ? format("%5.1f %%", percent(part, whole)) : std::string("?");
  };
  for (const std::size_t i : shown) {
    const auto& one = report.ranks[i];
    std::string in_call = "?";
    if (one.waiting_now) in_call = *one.waiting_now == 0 ? "-" : duration(*one.waiting_now);
    text += format("%4u  %7s  %7s  %7s  %10s  %12s  %s", one.rank,
                   share(one.has_known(), one.waiting, one.known).c_str(),
                   share(!one.lost, one.recent_waiting, report.recent).c_str(),
                   share(true, one.mpi, one.run).c_str(), in_call.c_str(),
                   one.has_known() ? format("%.4f s", seconds(one.caused)).c_str() : "?",
                   time_line(one.slices, RecentTime::kSlice, options.blocks).c_str());
    if (report.nodes.size() > 1) text += "  " + one.node;
    text += '\n';
  }
  if (shown.size() < report.ranks.size())
    text += format("and %zu other ranks: --json\n", report.ranks.size() - shown.size());
  return text;
}

std::string paths(const WatchReport& report, const TextOptions& options) {
  if (report.paths.empty()) {
    return report.lost_ranks() == 0 ? "\nno rank has waited so far\n"
                                    : "\nwho waited is not known: records were lost\n";
  }
  std::string text = "\nlargest waits      seconds  % time  waited for  call path\n";
  for (std::size_t i = 0; i < std::min(report.paths.size(), options.most_paths); ++i) {
    const auto& one = report.paths[i];
    std::string cause = "-";
    if (!one.causes.empty()) {
      cause = format("%u: %.0f %%", one.causes.front().first,
                     percent(one.causes.front().second.time, one.all.time));
    }
    text += format("%-16s %9.4f  %6.1f  %-10s  ", display_name(one.kind), seconds(one.all.time),
                   percent(one.all.time, report.time()), cause.c_str()) +
            place_text(one.path) + '\n';
  }
  if (report.paths.size() > options.most_paths)
    text += format("and %zu others: --json\n", report.paths.size() - options.most_paths);
  return text;
}

std::string last_ones(const WatchReport& report, const TextOptions& options) {
  if (report.sites.empty()) return "";
  std::string text = "\nlast to come to    times  mean lead     rank: share       call path\n";
  for (std::size_t i = 0; i < std::min(report.sites.size(), options.most_paths / 2); ++i) {
    const auto& site = report.sites[i];
    std::vector<std::pair<std::int64_t, Rank>> last;
    std::int64_t participations = 0;
    for (const auto& [rank, one] : site.statistics.ranks) {
      last.emplace_back(-one.last, rank);
      participations += one.count;
    }
    std::ranges::sort(last);
    std::string shares;
    for (std::size_t k = 0; k < std::min<std::size_t>(2, last.size()); ++k) {
      if (last[k].first == 0) break;
      shares += (k == 0 ? "" : ", ") + format("%u: %.0f %%", last[k].second,
                                              percent(-last[k].first, site.statistics.operations));
    }
    const Nanoseconds mean = participations == 0 ? 0 : site.early / participations;
    text += format("%-16s %7lld  %-12s  %-17s ", site.operation.c_str(),
                   static_cast<long long>(site.statistics.operations), duration(mean).c_str(),
                   shares.c_str()) +
            place_text(site.path) +
            (site.communicator == "MPI_COMM_WORLD" ? "" : " on " + site.communicator) + '\n';
  }
  return text;
}

std::string notes(const WatchReport& report) {
  std::string text;
  std::string lost;
  for (const auto& [name, count] : left_out(report)) {
    if (count == 0) continue;
    std::string words = name;
    std::ranges::replace(words, '_', ' ');
    lost += (lost.empty() ? "" : "; ") + words + ' ' + std::to_string(count);
  }
  text += "\nleft out: " + (lost.empty() ? "nothing" : lost) + '\n';
  std::vector<std::pair<std::string, std::vector<Rank>>> reasons;
  for (const auto& one : report.not_watched) {
    auto found = std::ranges::find(reasons, one.why, [](const auto& r) { return r.first; });
    if (found == reasons.end()) {
      reasons.push_back({one.why, {}});
      found = reasons.end() - 1;
    }
    found->second.push_back(one.rank);
  }
  for (const auto& [why, of] : reasons)
    text += "not watched: " + ranks_text(of) + ": " + why + '\n';
  return text;
}

}  // namespace

std::string text_of(const WatchReport& report, const TextOptions& options) {
  return printable_lines(head(report, options) + now(report) + ranks(report, options) +
                         paths(report, options) + last_ones(report, options) + notes(report));
}

}  // namespace latecomer::watch
