// SPDX-License-Identifier: BSD-3-Clause
// Formats a report in lines of about 100 columns, or fewer if the terminal has fewer.
#include "tracer/watch/view/watch_text.hpp"

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <map>
#include <numeric>
#include <span>
#include <string_view>

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

// Number of slices for which a line of so many other columns has room.
std::size_t slices_beside(std::size_t columns, const Screen& screen) {
  constexpr std::size_t kAll = Window::kSlices;
  if (screen.columns == 0) return kAll;
  return screen.columns <= columns ? 0 : std::min(kAll, screen.columns - columns);
}

// A character per slice, the latest ones, higher for more waiting; all of a slice is the highest
// one; ?: not known.
std::string time_line(std::span<const Nanoseconds> slices, std::size_t most, Nanoseconds whole,
                      bool blocks) {
  slices = slices.last(std::min(most, slices.size()));
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

// `used`: columns before it.
std::string place_text(const PathText& path, std::size_t used, const Screen& screen) {
  const std::string text =
      printable(path.path + (path.place.empty() ? "" : " (" + path.place + ')'));
  if (screen.columns == 0) return text;
  return cut_path(text, screen.columns > used ? screen.columns - used : 1);
}

std::size_t width_of_nodes(const WatchReport& report) {
  if (report.nodes.size() < 2) return 0;
  std::size_t most = 0;
  for (const auto& one : report.ranks) most = std::max(most, one.node.size());
  return most + 2;
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

std::vector<std::string> head(const WatchReport& report, const TextOptions& options) {
  std::vector<std::string> lines;
  lines.push_back((report.program.empty() ? report.experiment : report.program) +
                  format(": %u %s on %zu %s, %s%s", report.size,
                         report.size == 1 ? "rank" : "ranks", report.nodes.size(),
                         report.nodes.size() == 1 ? "node" : "nodes",
                         report.ended ? "ended after " : "", duration(report.run).c_str()));
  if (report.agent_age) {
    lines.push_back("statistics of the agent that scan has started, " +
                    duration(*report.agent_age) +
                    " old: this view began after records were overwritten");
  }
  if (report.catches_up() && !report.ended) {
    lines.push_back(report.behind
                        ? "catching up: this is how it was " + duration(*report.behind) + " ago"
                        : "catching up: there are records that were not read yet");
  }
  if (!report.has_known()) {
    lines.emplace_back("waiting  not known: records were lost");
    return lines;
  }
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
  std::string text =
      format("waiting  %5.1f %% in all, ", percent(report.waiting_time(), report.time()));
  const std::string last = duration(report.recent);
  if (lost != 0 && ranks == 0) {
    text += "not known in the last " + last;
  } else {
    text +=
        format("%5.1f %% in the last %s  ", percent(recent, ranks * report.recent), last.c_str());
    text += time_line(slices, slices_beside(text.size(), options.screen),
                      ranks * RecentTime::kSlice, options.blocks);
  }
  lines.push_back(text);
  if (lost != 0) {
    lines.push_back(
        format("records were lost: waits of %zu of %zu ranks are known for %s of %s only", lost,
               report.ranks.size(), duration(lost_known(report)).c_str(),
               duration(lost_run(report)).c_str()));
  }
  return lines;
}

const char* doing_text(LateRank::Doing doing) {
  switch (doing) {
    case LateRank::Doing::kOutside:
      return "in no MPI call that waits";
    case LateRank::Doing::kTransfers:
      return "in a call to which all have come";
    case LateRank::Doing::kWaits:
      return "which waits itself";
    case LateRank::Doing::kGone:
      return "whose process is gone";
    default:
      return "which has left MPI";
  }
}

std::string where_text(const WatchReport::Unfinished& one) {
  using enum UnfinishedRank::State;
  switch (one.state) {
    case kInCall: {
      std::string path;
      for (const std::string& name : one.path.names) path += (path.empty() ? "" : " > ") + name;
      return "in " + (path.empty() ? "an MPI call" : path);
    }
    case kOutside:
      return "in no MPI call";
    case kExited:
      return "has exited";
    case kAborted:
      return "called MPI_Abort";
    default:
      return "left no records";
  }
}

// Ranks that will not reach MPI_Finalize any more, by place.
std::vector<std::string> never_finished(const WatchReport& report) {
  std::map<std::string, std::vector<const WatchReport::Unfinished*>> places;
  for (const auto& one : report.unfinished) {
    if (report.ended || one.gone) places[where_text(one)].push_back(&one);
  }
  std::vector<std::string> lines;
  for (const auto& [where, all] : places) {
    std::vector<Rank> ranks;
    Nanoseconds longest = 0;
    for (const auto* one : all) {
      ranks.push_back(one->rank);
      longest = std::max(longest, one->length);
    }
    lines.push_back((report.ended ? "no MPI_Finalize: " : "gone: ") + ranks_text(ranks) + ' ' +
                    where + (where.starts_with("in ") ? " for " + duration(longest) : ""));
  }
  return lines;
}

// Names those that are waited for. Waits that begin and end again and again are short.
std::vector<std::string> now(const WatchReport& report) {
  std::vector<std::string> lines = never_finished(report);
  if (report.ended) return lines;
  for (const Circle& circle : report.circles) {
    lines.push_back("late now: " + ranks_text(circle.ranks) + " wait for each other" +
                    (circle.shortest < 0 ? "" : " for " + duration(circle.shortest)) +
                    (circle.shortest < kStands ? "" : ": see latecomer stuck"));
  }
  std::map<Rank, std::vector<Rank>> waiting;
  for (const auto& one : report.waiting) {
    for (const Rank other : one.rank.waits_for) waiting[other].push_back(one.rank.rank);
  }
  for (const LateRank& late : report.late) {
    const std::vector<Rank>& by = waiting[late.rank];
    lines.push_back(format("late now: rank %u, ", late.rank) + doing_text(late.doing) + "; " +
                    ranks_text(by) + (by.size() == 1 ? " waits" : " wait") + " for it" +
                    (late.longest < 0 ? "" : " for " + duration(late.longest)));
  }
  if (report.circles.empty() && report.late.empty()) lines.emplace_back("late now: no rank");
  return lines;
}

Block ranks(const WatchReport& report, const TextOptions& options) {
  constexpr std::size_t kOtherColumns = 59;
  const std::size_t slices = slices_beside(kOtherColumns + width_of_nodes(report), options.screen);
  Block block;
  block.head = {"", "rank  waiting     last   in MPI         now   others wait"};
  if (slices != 0) {
    block.head.back() +=
        "  over the last " + duration(static_cast<Nanoseconds>(slices) * RecentTime::kSlice);
  }
  // If there are too many, those that others waited for and those that waited longest.
  block.importance.resize(report.ranks.size());
  std::iota(block.importance.begin(), block.importance.end(), 0);
  std::ranges::stable_sort(block.importance, std::greater{}, [&](std::size_t i) {
    return std::max(report.ranks[i].caused, report.ranks[i].waiting);
  });
  const auto share = [](bool known, Nanoseconds part, Nanoseconds whole) {
    return known ? format("%5.1f %%", percent(part, whole)) : std::string("?");
  };
  for (const auto& one : report.ranks) {
    std::string in_call = "?";
    if (one.waiting_now) in_call = *one.waiting_now == 0 ? "-" : duration(*one.waiting_now);
    block.lines.push_back(
        format("%4u  %7s  %7s  %7s  %10s  %12s  %s", one.rank,
               share(one.has_known(), one.waiting, one.known).c_str(),
               share(!one.lost, one.recent_waiting, report.recent).c_str(),
               share(true, one.mpi, one.run).c_str(), in_call.c_str(),
               one.has_known() ? format("%.4f s", seconds(one.caused)).c_str() : "?",
               time_line(one.slices, slices, RecentTime::kSlice, options.blocks).c_str()) +
        (report.nodes.size() > 1 ? "  " + one.node : ""));
  }
  return block;
}

Block paths(const WatchReport& report, const TextOptions& options) {
  if (report.paths.empty()) {
    const bool none = report.lost_ranks() == 0;
    return {{"", none ? "no rank has waited so far" : "who waited is not known: records were lost"},
            {},
            {},
            0};
  }
  Block block;
  block.head = {"", "largest waits      seconds  % time  waited for  call path"};
  for (const auto& one : report.paths) {
    std::string cause = "-";
    if (!one.causes.empty()) {
      cause = format("%u: %.0f %%", one.causes.front().first,
                     percent(one.causes.front().second.time, one.all.time));
    }
    const std::string line =
        format("%-16s %9.4f  %6.1f  %-10s  ", display_name(one.kind), seconds(one.all.time),
               percent(one.all.time, report.time()), cause.c_str());
    block.lines.push_back(line + place_text(one.path, line.size(), options.screen));
  }
  return block;
}

Block last_ones(const WatchReport& report, const TextOptions& options) {
  if (report.sites.empty()) return {};
  Block block;
  block.head = {"", "last to come to    times  mean lead     rank: share       call path"};
  for (const auto& site : report.sites) {
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
    const std::string line = format("%-16s %7lld  %-12s  %-17s ", site.operation.c_str(),
                                    static_cast<long long>(site.statistics.operations),
                                    duration(mean).c_str(), shares.c_str());
    const std::string on = site.communicator == "MPI_COMM_WORLD" ? "" : " on " + site.communicator;
    block.lines.push_back(line + place_text(site.path, line.size() + on.size(), options.screen) +
                          on);
  }
  return block;
}

Block notes(const WatchReport& report, const TextOptions& options) {
  constexpr std::string_view kTitle = "left out: ";
  std::vector<std::string> lost;
  for (const auto& [name, count] : left_out(report)) {
    if (count == 0) continue;
    std::string words = name;
    std::ranges::replace(words, '_', ' ');
    lost.push_back(words + ' ' + std::to_string(count));
  }
  const std::size_t columns = options.screen.columns;
  Block block;
  block.head = {"", std::string(kTitle) +
                        (lost.empty() ? "nothing"
                                      : join(lost, columns > kTitle.size() ? columns - kTitle.size()
                                                                           : columns))};
  std::vector<std::pair<std::string, std::vector<Rank>>> reasons;
  for (const auto& one : report.not_watched) {
    auto found = std::ranges::find(reasons, one.why, [](const auto& r) { return r.first; });
    if (found == reasons.end()) {
      reasons.push_back({one.why, {}});
      found = reasons.end() - 1;
    }
    found->second.push_back(one.rank);
  }
  if (const auto& shared = report.shared_cores) {
    block.head.insert(
        block.head.end() - 1,
        format("%lld %s share %lld %s: ranks also wait for a core, inside MPI, too",
               static_cast<long long>(shared->threads),
               shared->threads > shared->ranks ? "threads" : "ranks",
               static_cast<long long>(shared->cores), shared->cores == 1 ? "core" : "cores"));
  }
  for (const auto& [why, of] : reasons)
    block.lines.push_back("not watched: " + ranks_text(of) + ": " + why);
  return block;
}

}  // namespace

std::string text_of(const WatchReport& report, const TextOptions& options) {
  constexpr std::size_t kMostNow = 3;
  return fit({{head(report, options), now(report), {}, kMostNow},
              ranks(report, options),
              paths(report, options),
              last_ones(report, options),
              notes(report, options)},
             options.screen);
}

}  // namespace latecomer::watch
