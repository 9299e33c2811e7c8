// SPDX-License-Identifier: BSD-3-Clause
// Each location is a sequence of its own, made where it is hosted. One process writes all sequences
// in the order of locations.
#include "analyzer/scenes/timeline.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <tuple>

#include "analyzer/report/cube/shared_file.hpp"
#include "analyzer/scenes/perfetto.hpp"
#include "analyzer/scenes/sampled_slices.hpp"
#include "patterns/waits/wait_state.hpp"

namespace latecomer::replay {
namespace {

using trace::kNone;
using trace::Ticks;

constexpr std::uint32_t kFirstSequence = 2;  // 1 is for packets of no location

// Ids of tracks consist of a kind, a lane, and the process or location.
enum class Track : std::uint64_t { kProcess = 1, kThread = 2, kWaits = 3, kSamples = 4 };
std::uint64_t track_id(Track kind, std::uint32_t index, std::uint64_t lane = 0) {
  return static_cast<std::uint64_t>(kind) << 60 | lane << 32 | index;
}

// Makes the packets of the hosted locations.
class TimelineMaker {
 public:
  TimelineMaker(const TimelineParts& parts, const TimelineOptions& options, Ticks base)
      : parts_(parts), d_(parts.definitions), options_(options), base_(base) {
    const auto ticks = [&](double seconds) {
      const double exact = seconds * static_cast<double>(d_.ticks_per_second);
      constexpr double kLargest = 9e18;
      return static_cast<Ticks>(std::min(std::round(exact), kLargest));
    };
    from_ = ticks(options.from) + base;
    to_ = std::isinf(options.to) ? std::numeric_limits<Ticks>::max() : ticks(options.to) + base;
  }

  // The packets of each hosted location. Perfetto keeps the order in the file for events of the
  // same time. A receive comes before the end of its call. A send must follow the begin of its
  // call, which another process may write; so sends come after everything else.
  struct Made {
    std::string first, sends;
  };
  std::vector<Made> run() {
    std::vector<perfetto::Sequence> sequences, sends;
    const auto locations = static_cast<std::uint32_t>(d_.locations.size());
    for (const auto& events : parts_.mine) {
      sequences.emplace_back(events.location + kFirstSequence);
      sends.emplace_back(locations + events.location + kFirstSequence);
    }
    messages(sequences, sends);
    for (std::size_t l = 0; l < parts_.mine.size(); ++l) {
      if (!is_wanted(rank_of(parts_.mine[l].location))) continue;
      calls(l, sequences[l]);
      samples(l, sequences[l]);
    }
    waits(sequences);
    std::vector<Made> made(parts_.mine.size());
    for (std::size_t l = 0; l < made.size(); ++l) {
      const auto location = parts_.mine[l].location;
      if (!is_wanted(rank_of(location))) continue;
      const bool sampled = !parts_.mine[l].sample_times.empty();
      made[l] = {descriptors(location, sampled, lanes_[l]) + sequences[l].take(), sends[l].take()};
    }
    return made;
  }
  [[nodiscard]] const TimelineCounts& counts() const { return counts_; }

 private:
  [[nodiscard]] std::uint32_t rank_of(std::uint32_t location) const {
    return d_.locations[location].process;
  }
  [[nodiscard]] bool is_wanted(std::uint32_t rank) const {
    return options_.ranks.empty() ||
           std::any_of(options_.ranks.begin(), options_.ranks.end(), [&](const auto& range) {
             return range.first <= rank && rank <= range.second;
           });
  }
  // Nanoseconds since the first event.
  [[nodiscard]] std::int64_t nanoseconds(Ticks time) const {
    constexpr std::uint64_t kNano = 1'000'000'000;
    const auto since = static_cast<std::uint64_t>(time - base_);
    const auto rate = d_.ticks_per_second;
    if (rate == kNano) return static_cast<std::int64_t>(since);
    return static_cast<std::int64_t>(since / rate * kNano + since % rate * kNano / rate);
  }

  // Name of a process, such as "rank 3 (n01, bonn)".
  [[nodiscard]] std::string name_of(std::uint32_t rank) const {
    const auto& process = d_.processes[rank];
    std::string place = process.node == kNone ? "" : d_.system[process.node].name;
    if (d_.metahosts.size() > 1) {
      place += (place.empty() ? "" : ", ") + d_.metahosts[process.metahost].name;
    }
    return "rank " + std::to_string(rank) + (place.empty() ? "" : " (" + place + ")");
  }

  // Position of a rank: ranks in ascending order, grouped by metahost.
  [[nodiscard]] std::uint64_t place_of(std::uint32_t rank) const {
    return std::uint64_t{d_.processes[rank].metahost} * d_.processes.size() + rank + 1;
  }

  std::string descriptors(std::uint32_t location, bool sampled, std::size_t lanes) {
    const auto rank = rank_of(location);
    const auto pid = static_cast<std::int32_t>(rank + 1);  // pid 0 means idle
    const bool master = d_.locations[location].thread == 0;
    const auto tid = master ? pid : static_cast<std::int32_t>(d_.processes.size() + 1 + location);
    std::string text;
    if (master) {
      text += perfetto::process_track(track_id(Track::kProcess, rank), pid, name_of(rank),
                                      place_of(rank));
      ++counts_.ranks;
    }
    text += perfetto::thread_track(track_id(Track::kThread, location), pid, tid,
                                   d_.locations[location].name);
    const std::string of_thread = master ? "" : " of " + d_.locations[location].name;
    if (sampled) {
      text += perfetto::child_track(track_id(Track::kSamples, location),
                                    track_id(Track::kProcess, rank), "samples" + of_thread);
    }
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      text += perfetto::child_track(track_id(Track::kWaits, location, lane),
                                    track_id(Track::kProcess, rank), "waits" + of_thread);
    }
    return text;
  }

  // Nodes from the root to a node of the global call tree.
  [[nodiscard]] std::vector<std::uint32_t> path_to(std::uint32_t node) const {
    std::vector<std::uint32_t> path;
    while (node != kNone) {
      path.push_back(node);
      node = parts_.tree.nodes[node].parent;
    }
    std::reverse(path.begin(), path.end());
    return path;
  }

  void calls(std::size_t l, perfetto::Sequence& out) {
    const auto& events = parts_.mine[l];
    if (events.events == 0) return;
    const auto track = track_id(Track::kThread, events.location);
    std::vector<std::uint32_t> open, wanted;
    // Ends the open calls that are not in `wanted`, and begins the others.
    const auto change_to = [&](Ticks time) {
      std::size_t common = 0;
      while (common < std::min(open.size(), wanted.size()) && open[common] == wanted[common]) {
        ++common;
      }
      for (; open.size() > common; open.pop_back()) out.end(track, nanoseconds(time));
      for (; open.size() < wanted.size(); open.push_back(wanted[open.size()])) {
        const auto region = parts_.tree.nodes[wanted[open.size()]].region;
        out.begin(track, nanoseconds(time), d_.regions[region].name);
        ++counts_.calls;
      }
    };
    Ticks last = std::max(events.first, from_);
    wanted = path_to(0);
    if (events.first >= from_ && events.first < to_) change_to(events.first);
    events.timeline.for_each([&](Ticks time, std::uint32_t node) {
      if (time >= to_) return;
      // Calls that were open at the begin of the window begin there.
      if (open.empty() && time > from_) change_to(last);
      wanted = path_to(parts_.tree.from_local[node]);
      if (time < from_) return;
      change_to(time);
      last = time;
    });
    if (open.empty() && events.last > from_ && events.first < to_) change_to(last);
    wanted.clear();
    if (!open.empty()) change_to(std::min(to_, std::max(events.last, last)));
  }

  // Functions that were sampled, below the innermost one that is open. They are apart from calls,
  // whose times are exact.
  void samples(std::size_t l, perfetto::Sequence& out) {
    const auto& events = parts_.mine[l];
    const auto track = track_id(Track::kSamples, events.location);
    for (const auto& slice : sampled_slices(d_, events)) {
      const Ticks begin = std::max(slice.begin, from_), end = std::min(slice.end, to_);
      if (end <= begin) continue;
      const auto open = path_to(parts_.tree.from_local[slice.node]);
      const auto sampled = path_to(parts_.tree.from_local[slice.at]);
      const auto common = std::ranges::mismatch(open, sampled).in2 - sampled.begin();
      // If there is nothing below, the open function itself was sampled.
      const auto first = std::min(common, std::ssize(sampled) - 1);
      for (auto i = first; i + 1 < std::ssize(sampled); ++i) {
        out.begin(track, nanoseconds(begin), name_of_node(sampled[static_cast<std::size_t>(i)]));
      }
      out.begin(track, nanoseconds(begin), name_of_node(sampled.back()),
                {{"samples", std::int64_t{slice.samples}}, {"first line", line(slice.source)}});
      for (auto i = first; i < std::ssize(sampled); ++i) out.end(track, nanoseconds(end));
    }
  }
  [[nodiscard]] const std::string& name_of_node(std::uint32_t node) const {
    return d_.regions[parts_.tree.nodes[node].region].name;
  }
  // Such as "solver.c:88".
  [[nodiscard]] std::string line(std::uint32_t source) const {
    if (source == kNone || d_.source_lines[source].file == kNone) return "unknown";
    const auto& [file, number] = d_.source_lines[source];
    return d_.source_files[file] + (number == 0 ? "" : ":" + std::to_string(number));
  }

  [[nodiscard]] bool is_inside(Ticks begin, Ticks end) const {
    return std::min(begin, end) >= from_ && std::max(begin, end) <= to_;
  }

  void messages(std::vector<perfetto::Sequence>& receives, std::vector<perfetto::Sequence>& sends) {
    std::vector<std::uint64_t> number(parts_.mine.size());
    parts_.messages.for_each(
        parts_.mine, [&](std::size_t l, const trace::Message& receive, const SentMessage& send) {
          const auto location = parts_.mine[l].location;
          const auto rank = rank_of(location);
          // Unique in the trace: the receiving location and the number of the receive.
          const std::uint64_t flow = std::uint64_t{location + 1} << 32 | ++number[l];
          if (!is_wanted(rank) || !is_wanted(send.source)) return true;
          if (!is_inside(send.time, receive.time)) return true;
          const auto bytes = static_cast<std::int64_t>(parts_.mine[l].bytes(receive));
          const auto& comm = d_.comms[receive.comm].name;
          sends[l].instant(track_id(Track::kThread, send.location), nanoseconds(send.time), "send",
                           flow,
                           {{"to rank", std::int64_t{rank}},
                            {"bytes", bytes},
                            {"tag", std::int64_t{receive.tag}},
                            {"communicator", comm}});
          receives[l].instant(track_id(Track::kThread, location), nanoseconds(receive.time),
                              "receive", flow,
                              {{"from rank", std::int64_t{send.source}},
                               {"bytes", bytes},
                               {"tag", std::int64_t{receive.tag}},
                               {"communicator", comm}});
          ++counts_.messages;
          return true;
        });
  }

  // Waits that overlap get separate lanes.
  void waits(std::vector<perfetto::Sequence>& sequences) {
    lanes_.assign(parts_.mine.size(), 0);
    std::vector<causes::Wait> sorted;
    for (const auto& wait : parts_.points.waits()) {
      const auto location = parts_.mine[wait.location].location;
      if (!wait.costs || !wait.known || wait.end() <= wait.begin || !is_wanted(rank_of(location)))
        continue;
      if (is_inside(wait.begin, wait.end())) sorted.push_back(wait);
    }
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
      return std::tie(a.location, a.begin) < std::tie(b.location, b.begin);
    });
    std::vector<Ticks> busy_until;  // per lane
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      const auto& wait = sorted[i];
      if (i == 0 || sorted[i - 1].location != wait.location) busy_until.clear();
      std::size_t lane = 0;
      while (lane < busy_until.size() && busy_until[lane] > wait.begin) ++lane;
      if (lane == busy_until.size()) busy_until.push_back(0);
      busy_until[lane] = wait.end();
      lanes_[wait.location] = std::max(lanes_[wait.location], lane + 1);
      one_wait(wait, lane, sequences[wait.location]);
    }
  }

  void one_wait(const causes::Wait& wait, std::size_t lane, perfetto::Sequence& out) {
    const auto& events = parts_.mine[wait.location];
    const auto& kind = patterns::wait_kinds()[patterns::index_of(wait.kind)];
    const auto track = track_id(Track::kWaits, events.location, lane);
    const auto region =
        parts_.tree.nodes[parts_.tree.from_local[events.calls[wait.call].node]].region;
    std::string name(kind.display);
    const auto begin = nanoseconds(wait.begin);
    if (wait.cause_location == kNone) {
      out.begin(track, begin, name,
                {{"metric", kind.wait}, {"call", std::string_view(d_.regions[region].name)}});
    } else {
      const auto cause = rank_of(wait.cause_location);
      name += patterns::is_of_threads(wait.kind)
                  ? ": thread " + std::to_string(d_.locations[wait.cause_location].thread)
                  : ": rank " + std::to_string(cause);
      out.begin(track, begin, name,
                {{"metric", kind.wait},
                 {"call", std::string_view(d_.regions[region].name)},
                 {"caused by rank", std::int64_t{cause}}});
    }
    out.end(track, nanoseconds(wait.end()));
    ++counts_.waits;
  }

  const TimelineParts& parts_;
  const trace::Definitions& d_;
  const TimelineOptions& options_;
  Ticks base_, from_ = 0, to_ = 0;
  std::vector<std::size_t> lanes_;  // number of lanes of waits, per hosted location
  TimelineCounts counts_;
};

// One process writes the pieces of all. Collective.
Status write_all(const std::vector<trace::LocationEvents>& mine,
                 std::vector<TimelineMaker::Made> made, std::int64_t size,
                 const std::filesystem::path& path, parallel::Processes& processes) {
  auto file = report::SharedFile::create(path, static_cast<std::uint64_t>(size), processes);
  if (!file) return file.problem();
  const int writer = file->writers().front();
  std::uint64_t offset = 0;
  for (const auto part : {&TimelineMaker::Made::first, &TimelineMaker::Made::sends}) {
    parallel::Packer pack;
    for (std::size_t l = 0; l < mine.size(); ++l) {
      pack.put(mine[l].location);
      pack.put_text(made[l].*part);
      (made[l].*part).clear();
    }
    std::vector<std::pair<std::uint32_t, std::string>> pieces;
    for (const auto& from_one : processes.gather(pack.take(), writer)) {
      for (parallel::Unpacker unpack(from_one); !unpack.done();) {
        const auto location = unpack.get<std::uint32_t>();
        pieces.emplace_back(location, unpack.get_text());
      }
    }
    std::sort(pieces.begin(), pieces.end());
    for (const auto& [location, bytes] : pieces) {
      if (!bytes.empty()) file->write(offset, std::as_bytes(std::span(bytes)));
      offset += bytes.size();
    }
  }
  return file->finish();
}

}  // namespace

bool read_ranks(const std::string& text, TimelineOptions& options) {
  options.ranks.clear();
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto number = [&](std::uint32_t& value) {
    const auto [behind, error] = std::from_chars(at, end, value);
    if (error != std::errc()) return false;
    at = behind;
    return true;
  };
  for (;;) {
    std::uint32_t first = 0;
    if (!number(first)) return false;
    std::uint32_t last = first;
    if (at != end && *at == '-') {
      ++at;
      if (!number(last) || last < first) return false;
    }
    options.ranks.emplace_back(first, last);
    if (at == end) return true;
    if (*at++ != ',') return false;
  }
}

bool read_seconds(const std::string& text, double& seconds) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || !std::isfinite(seconds) || seconds < 0) return false;
  const std::string unit(end, text.data() + text.size());
  const std::pair<const char*, double> units[] = {{"", 1},      {"s", 1},     {"ms", 1e-3},
                                                  {"us", 1e-6}, {"ns", 1e-9}, {"min", 60}};
  for (const auto& [word, factor] : units) {
    if (unit != word) continue;
    seconds *= factor;
    return true;
  }
  return false;
}

Result<TimelineCounts> write_timeline(const TimelineParts& parts, const TimelineOptions& options,
                                      parallel::Processes& processes) {
  Ticks first = std::numeric_limits<Ticks>::max(), last = 0;
  for (const auto& events : parts.mine) {
    if (events.events == 0) continue;
    first = std::min(first, events.first);
    last = std::max(last, events.last);
  }
  const Ticks end = processes.max(last);
  // Corrected times may be earlier than the first measured one.
  const Ticks base = std::min<Ticks>(0, processes.min(first));
  TimelineMaker maker(parts, options, base);
  auto made = maker.run();
  TimelineCounts counts = maker.counts();
  for (const auto& one : made) {
    counts.bytes += static_cast<std::int64_t>(one.first.size() + one.sends.size());
  }
  for (auto* count :
       {&counts.ranks, &counts.calls, &counts.messages, &counts.waits, &counts.bytes}) {
    *count = processes.sum(*count);
  }
  if (counts.ranks == 0) {
    return Problem{
        "no rank of the trace is among those that were asked for",
        "the trace has ranks 0 to " + std::to_string(parts.definitions.processes.size() - 1),
        Exit::kUsage};
  }
  if (counts.calls == 0 && counts.messages == 0 && counts.waits == 0) {
    const double seconds =
        static_cast<double>(end - base) / static_cast<double>(parts.definitions.ticks_per_second);
    std::array<char, 64> length{};
    std::snprintf(length.data(), length.size(), "%.6g s", seconds);
    return Problem{end > base ? "nothing happened in the part of the run that was asked for"
                              : "the trace has no events",
                   end > base ? "the run goes from 0 to " + std::string(length.data()) +
                                    ": give another --from and --to, or other --ranks"
                              : "latecomer info shows what the trace contains",
                   end > base ? Exit::kUsage : Exit::kBadInput};
  }
  if (const auto status =
          write_all(parts.mine, std::move(made), counts.bytes, options.file, processes);
      !status) {
    return status.problem();
  }
  return counts;
}

}  // namespace latecomer::replay
