// SPDX-License-Identifier: BSD-3-Clause
// Waits for messages and at files in random programs, computed a second time straight from the
// definitions, with everything searched in lists. Compared are the values at each call path, the
// exact statistics, and the worst instances with their causes. LATECOMER_RANDOM_PROGRAMS is the
// number of programs, instead of 300 (50 on three and more processes).
#include <catch2/catch.hpp>
#include <cstdlib>
#include <map>

#include "analyzer/waits/waits.hpp"
#include "tests/replay/random_run.hpp"

using namespace latecomer;
using namespace latecomer::test;

namespace {

using replay::Instance;
using trace::kNone;
using trace::Ticks;

// An analysis up to the waits.
struct Analysis {
  Analysis(const RandomRun& run, parallel::Processes& processes)
      : metrics(replay::computed_metrics(run.definitions())),
        partition(run.definitions(), processes.size()),
        local(run.definitions().program_region),
        mine(run.read(partition.locations_of(run.definitions(), processes.rank()), local)),
        messages(run.definitions(), partition, mine, processes),
        counted(replay::count_instances(run.definitions(), mine, processes)),
        tree(trace::unify(local, processes)),
        waits(run.definitions(), tree, metrics, run.topology(), partition, mine, {}, processes) {
    REQUIRE(waits.find(messages, false));
  }
  const patterns::MetricTree metrics;
  const replay::Partition partition;
  trace::CallTree local;
  std::vector<trace::LocationEvents> mine;
  replay::MatchedMessages messages;
  replay::CountedByAll counted;
  const trace::GlobalCallTree tree;
  replay::Waits waits;
};

// All locations are on one process, so that a world rank is an index.
class BruteForceWaits {
 public:
  BruteForceWaits(const RandomRun& run, const Analysis& analysis)
      : regions_(run.definitions().regions), analysis_(analysis), all_(analysis.mine) {
    for (std::uint32_t b = 0; b < all_.size(); ++b) {
      for (const auto& receive : all_[b].receives) {
        for (const auto& send : all_[receive.peer].sends) {
          if (send.tag == receive.tag) message(receive.peer, send, b, receive);
        }
      }
    }
    settle();
  }

  // Waits at the collective calls of that name, which are all on one file.
  [[nodiscard]] std::vector<Instance> at_file(const char* function) const {
    std::vector<std::pair<std::uint32_t, std::vector<trace::Call>>> members;
    for (std::uint32_t l = 0; l < all_.size(); ++l) {
      std::vector<trace::Call> calls;
      for (const auto& call : all_[l].calls) {
        if (name(call.node) == function) calls.push_back(call);
      }
      if (!calls.empty()) members.emplace_back(l, calls);
    }
    std::vector<Instance> waits;
    for (std::size_t i = 0; members.size() > 1 && i < members[0].second.size(); ++i) {
      Ticks last_enter = INT64_MIN, first_leave = INT64_MAX;
      for (const auto& [l, calls] : members) {
        last_enter = std::max(last_enter, calls.at(i).enter);
        first_leave = std::min(first_leave, calls.at(i).leave);
      }
      for (const auto& [l, calls] : members) {
        Instance one;
        one.wait = first_leave > last_enter ? last_enter - calls[i].enter : 0;
        one.call_path = analysis_.tree.from_local[calls[i].node];
        one.rank = l;
        if (one.wait > 0) waits.push_back(one);
      }
    }
    return waits;
  }

  std::vector<Instance> late_senders, late_receivers;
  [[nodiscard]] std::size_t probes() const { return probes_; }  // number of probes that waited

 private:
  struct Longest {
    Ticks wait = 0;
    std::uint32_t cause = kNone;
    void take(Ticks other, std::uint32_t who) {
      if (other > wait || (other == wait && other > 0 && who < cause)) *this = {other, who};
    }
  };
  using Calls = std::map<std::pair<std::uint32_t, std::uint32_t>, Longest>;

  [[nodiscard]] const std::string& name(std::uint32_t node) const {
    return regions_[analysis_.local.nodes()[node].region].name;
  }
  // Time in unsuccessful tests between a call and the previous one at the same call path.
  [[nodiscard]] Ticks in_tests(std::uint32_t location, std::uint32_t call, Ticks from,
                               Ticks until) const {
    const auto& events = all_[location];
    const auto& end = events.calls[call];
    Ticks before = INT64_MIN, time = 0;
    for (const auto& other : events.calls) {
      if (other.node == end.node && other.enter < end.enter) before = std::max(before, other.enter);
    }
    for (const auto& poll : events.polls) {
      if (poll.node != end.node || poll.enter < before || poll.enter > end.enter) continue;
      if (poll.enter >= from) time += std::max<Ticks>(0, std::min(poll.leave, until) - poll.enter);
    }
    return time;
  }
  // Kind of probe, by the name of the call. 1: blocks until a message has arrived; 2: does not
  // block; 0: no probe.
  [[nodiscard]] int probe(const trace::Call& call) const {
    const auto& of = name(call.node);
    return of == "MPI_Probe" || of == "MPI_Mprobe" ? 1 : of.ends_with("probe") ? 2 : 0;
  }
  [[nodiscard]] bool matched(const trace::Call& call) const {
    return name(call.node).starts_with("MPI_M") || name(call.node) == "MPI_Improbe";
  }
  [[nodiscard]] Ticks sent(const trace::Message& receive) const {
    for (const auto& send : all_[receive.peer].sends) {
      if (send.tag == receive.tag) return all_[receive.peer].calls[send.call].enter;
    }
    return INT64_MAX;
  }
  // End of the calls whose probes may be for this message. It is the call that posts the receive,
  // or one more if the posting call is itself a probe.
  [[nodiscard]] std::uint32_t end_of_probes(const trace::LocationEvents& events,
                                            const trace::Message& receive) const {
    const auto& posting = events.calls[receive.other];
    if (probe(posting) != 0) return receive.other + 1;
    return sent(receive) < posting.enter ? receive.other : 0;
  }
  // The call that probed for a message before it was received, and how long it waited.
  std::pair<std::uint32_t, Ticks> probed(std::uint32_t location,
                                         const trace::Message& receive) const {
    const auto& events = all_[location];
    const auto kind = matched(events.calls[receive.other]);
    const auto end = end_of_probes(events, receive);
    std::uint32_t begin = 0;
    for (const auto& other : events.receives) {
      if (other == receive) break;
      if (matched(events.calls[other.other]) == kind) {
        begin = std::max(begin, end_of_probes(events, other));
      }
    }
    const Ticks until = sent(receive);
    std::uint32_t last = kNone;  // the last probe that does not block
    Ticks time = 0;
    for (auto i = end; i-- > begin;) {
      const auto& call = events.calls[i];
      if (probe(call) == 0 || matched(call) != kind) continue;
      if (probe(call) == 1 && call.enter < until && until <= call.leave) {
        // Only the last probe that was entered before the send can be the one that waited.
        bool latest = true;
        for (auto k = i + 1; k < end; ++k) {
          const auto& later = events.calls[k];
          latest = latest && (probe(later) == 0 || matched(later) != kind || later.enter >= until);
        }
        if (latest) return {i, until - call.enter};
      }
      if (probe(call) != 2) continue;
      if (last == kNone) last = i;
      if (events.calls[last].leave < until) continue;  // it cannot have seen the message
      if (call.node != events.calls[last].node) continue;
      time += std::max<Ticks>(0, std::min(call.leave, until) - call.enter);
    }
    return {last, time};
  }
  // Adds the waits of both sides of a message: late sender at the completing call and at probes,
  // late receiver at synchronous sends.
  void message(std::uint32_t a, const trace::Message& send, std::uint32_t b,
               const trace::Message& receive) {
    const Ticks sent = all_[a].calls[send.call].enter;
    const auto& completes = all_[b].calls[receive.call];
    const auto& posting = all_[b].calls[receive.other];
    // MPI_Mrecv asks for the data of a message that a probe has taken.
    const bool asks = probe(posting) != 0 && name(completes.node) == "MPI_Mrecv";
    const Ticks posted = asks ? completes.enter : posting.enter;
    senders_[{b, receive.call}].take(
        std::max<Ticks>(0, std::min(sent, completes.leave) - completes.enter) +
            in_tests(b, receive.call, posted, sent),
        a);
    if (const auto [call, time] = probed(b, receive); time > 0) {
      senders_[{b, call}].take(time, a);
      ++probes_;
    }
    const auto& mode = name(all_[a].calls[send.call].node);
    if (posted <= sent || (mode != "MPI_Ssend" && mode != "MPI_Issend")) return;
    const auto& completed = all_[a].calls[send.other];
    if (completed.leave <= posted) return;
    receivers_[{a, send.other}].take(
        std::max<Ticks>(0, posted - completed.enter) + in_tests(a, send.other, sent, posted), b);
  }
  // Late senders are settled before late receivers.
  void settle() {
    const auto add = [&](std::vector<Instance>& to, std::uint32_t location, std::uint32_t index,
                         Ticks wait, std::uint32_t cause) {
      if (wait <= 0) return;
      const auto& call = all_[location].calls[index];
      Instance one;
      one.wait = wait;
      one.exit = call.leave;
      one.call_path = analysis_.tree.from_local[call.node];
      one.rank = location;
      one.cause = cause;
      to.push_back(one);
    };
    for (const auto& [key, longest] : senders_) {
      add(late_senders, key.first, key.second, longest.wait, longest.cause);
    }
    for (const auto& [key, longest] : receivers_) {
      const auto found = senders_.find(key);
      const Ticks taken = found == senders_.end() ? 0 : found->second.wait;
      add(late_receivers, key.first, key.second, longest.wait - taken, longest.cause);
    }
  }

  const std::vector<trace::Region>& regions_;
  const Analysis& analysis_;
  const std::vector<trace::LocationEvents>& all_;
  Calls senders_, receivers_;
  std::size_t probes_ = 0;
};

// The smallest value that is at least as large as `quarters` quarters of all values.
Ticks nearest_rank(const std::vector<Ticks>& sorted, std::size_t quarters) {
  std::size_t place = 0;
  while (4 * (place + 1) < quarters * sorted.size()) ++place;
  return sorted[place];
}

void check_cells(Analysis& analysis, const char* metric, const std::vector<Instance>& expected) {
  auto& booking = analysis.waits.booking();
  std::map<std::pair<std::uint32_t, std::uint32_t>, Ticks> cells;
  for (const auto& one : expected) cells[{one.rank, one.call_path}] += one.wait;
  std::int64_t wrong = 0;
  for (std::uint32_t l = 0; l < booking.mine.size(); ++l) {
    for (std::uint32_t c = 0; c < booking.tree.nodes.size(); ++c) {
      const auto cell = cells.find({l, c});
      if (booking.value(booking.metrics.id(metric), l, c) !=
          (cell == cells.end() ? 0 : cell->second)) {
        ++wrong;
      }
    }
  }
  INFO(metric);
  CHECK(wrong == 0);
}

// Compares the statistics, which any number of processes computes for the same program.
void check_statistics(const std::vector<replay::MetricStatistics>& statistics,
                      const patterns::MetricTree& metrics, const char* metric,
                      std::vector<Instance> expected) {
  INFO(metric);
  const auto found =
      std::ranges::find(statistics, metrics.id(metric), &replay::MetricStatistics::metric);
  REQUIRE((found == statistics.end()) == expected.empty());
  if (expected.empty()) return;
  std::vector<Ticks> waits;
  long double mean = 0, squares = 0;
  for (const auto& one : expected) waits.push_back(one.wait);
  std::ranges::sort(waits);
  for (const Ticks w : waits) mean += static_cast<long double>(w) / std::ssize(waits);
  for (const Ticks w : waits) squares += (w - mean) * (w - mean) / std::ssize(waits);
  CHECK(found->count == std::ssize(waits));
  CHECK(static_cast<long double>(found->sum) / found->count == Approx(static_cast<double>(mean)));
  CHECK(found->minimum == waits.front());
  CHECK(found->maximum == waits.back());
  CHECK(found->quartile25 == nearest_rank(waits, 1));
  CHECK(found->median == nearest_rank(waits, 2));
  CHECK(found->quartile75 == nearest_rank(waits, 3));
  CHECK(std::abs(static_cast<long double>(found->variance) - squares) <=
        1e-9L * (squares + mean * mean));
  // All times of one process differ, so waits of equal length are ordered by their ends.
  std::ranges::sort(expected, [](const Instance& a, const Instance& b) {
    return std::tie(b.wait, a.rank, a.exit) < std::tie(a.wait, b.rank, b.exit);
  });
  REQUIRE(found->worst.size() == std::min<std::size_t>(10, expected.size()));
  for (std::size_t i = 0; i < found->worst.size(); ++i) {
    const auto& one = found->worst[i];
    CHECK(one.wait == expected[i].wait);
    CHECK(one.rank == expected[i].rank);
    CHECK(one.exit == expected[i].exit);
    CHECK(one.call_path == expected[i].call_path);
    CHECK(one.cause == expected[i].cause);
  }
}

}  // namespace

TEST_CASE("property: waits of random programs for messages and at files, their statistics") {
  parallel::Processes processes(MPI_COMM_WORLD), alone(MPI_COMM_SELF);
  const char* wanted = std::getenv("LATECOMER_RANDOM_PROGRAMS");
  const unsigned programs = wanted != nullptr      ? static_cast<unsigned>(std::atoi(wanted))
                            : processes.size() < 3 ? 300
                                                   : 50;
  std::size_t late_senders = 0, late_receivers = 0, probes = 0, writes = 0, opens = 0;
  for (unsigned seed = 1; seed <= programs; ++seed) {
    INFO("seed " << seed);
    const RandomRun run(seed, true);
    Analysis whole(run, alone);
    const BruteForceWaits expected(run, whole);
    check_cells(whole, "mpi_latesender", expected.late_senders);
    check_cells(whole, "mpi_latereceiver", expected.late_receivers);
    const auto at_writes = expected.at_file("MPI_File_write_all");
    const auto at_opens = expected.at_file("MPI_File_open");
    check_cells(whole, "mpi_io_collective_wait", at_writes);
    check_cells(whole, "mpi_mgmt_file_wait", at_opens);
    writes += at_writes.size();
    opens += at_opens.size();
    Analysis together(run, processes);
    const auto statistics = together.waits.booking().statistics.find(processes);
    check_statistics(statistics, whole.metrics, "mpi_latesender", expected.late_senders);
    check_statistics(statistics, whole.metrics, "mpi_latereceiver", expected.late_receivers);
    late_senders += expected.late_senders.size();
    late_receivers += expected.late_receivers.size();
    probes += expected.probes();
  }
  CHECK(late_senders > programs);
  CHECK(late_receivers > programs / 4);
  CHECK(probes > programs / 4);
  CHECK(writes > programs / 4);
  CHECK(opens > programs / 4);
}
