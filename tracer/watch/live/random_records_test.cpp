// SPDX-License-Identifier: BSD-3-Clause
// Records that no program would write do no harm, and each operation is still counted once.
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "tracer/convert/definitions/mpi_functions.hpp"
#include "tracer/watch/live/call_decoder.hpp"
#include "tracer/watch/watcher.hpp"

using namespace latecomer;
using namespace latecomer::watch;
using record::Kind;
using record::Record;

namespace {

constexpr Rank kRanks = 3;

// Small numbers mostly, so that operations meet; sometimes any.
std::uint64_t number(std::mt19937_64& random, std::uint64_t below) {
  return random() % 50 == 0 ? random() : random() % below;
}

Record random_record(std::mt19937_64& random, std::uint64_t& ticks) {
  static constexpr Kind kKinds[] = {Kind::kEnter,
                                    Kind::kLeave,
                                    Kind::kSend,
                                    Kind::kRecv,
                                    Kind::kIsend,
                                    Kind::kIsendComplete,
                                    Kind::kIrecvRequest,
                                    Kind::kIrecv,
                                    Kind::kRequestCancelled,
                                    Kind::kCollectiveBegin,
                                    Kind::kCollectiveEnd,
                                    Kind::kNonblockingRequest,
                                    Kind::kNonblockingComplete,
                                    Kind::kMeasurement,
                                    Kind::kCallPath,
                                    Kind::kUnrecorded,
                                    Kind::kLeaveUnsuccessful,
                                    Kind::kFlush,
                                    Kind::kThreadBegin,
                                    Kind::kRmaPut,
                                    Kind::kRmaCollectiveEnd};
  Record r;
  r.kind = kKinds[random() % std::size(kKinds)];
  const bool of_region =
      r.kind == Kind::kEnter || r.kind == Kind::kLeave || r.kind == Kind::kLeaveUnsuccessful;
  r.id = number(random, of_region ? 40 : 2);
  ticks += number(random, 100) % (std::uint64_t{1} << 40);
  r.ticks = ticks;
  for (auto& word : r.words) word = number(random, 3);
  if (r.kind == Kind::kUnrecorded) r.words[1] = number(random, 10) | number(random, 4) << 8;
  return r;
}

}  // namespace

TEST_CASE("random records: no harm, and each operation is counted once") {
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937_64 random(seed);
    Limits limits;
    limits.unmatched = limits.channels = limits.open_requests = limits.parts = 20;
    limits.participants = limits.places = 10;
    Watcher watcher(limits);
    watcher.define(0, {0, 1, 2});
    record::ClockDefinition clock;
    clock.nanoseconds_per_tick = seed % 2 == 0 ? 1 : 0.3;
    std::vector<CallDecoder> decoders(kRanks, CallDecoder(clock));
    std::vector<std::uint64_t> ticks(kRanks);
    for (int i = 0; i < 3000; ++i) {
      const auto rank = static_cast<Rank>(random() % kRanks);
      decoders[rank].take(random_record(random, ticks[rank]), [&](DecodedCall&& call) {
        std::erase_if(call.operations, [](const Operation& o) {
          return o.kind != Operation::Kind::kCollective && o.peer != kNone && o.peer >= kRanks;
        });
        CallEvent event;
        event.rank = rank;
        event.path = call.frame % 4;
        event.enter = call.enter;
        event.leave = call.leave;
        event.inside = call.inside;
        event.operations = call.operations;
        event.calls = call.calls;
        watcher.take(event);
      });
      if (random() % 1000 == 0) {
        decoders[rank].lose();
        watcher.lose(rank);
      }
    }
    watcher.finish();
    const CollectiveCounts& c = watcher.collectives().counts();
    CHECK(c.seen == c.finished + c.pending + c.left_out());
    const MessageCounts& m = watcher.messages();
    CHECK(m.sends + m.receives == 2 * m.matched + m.pending + m.held_back + m.left_out());
    CHECK(m.held_back == 0);
    const WaitSums sums = watcher.waits();
    std::vector<Nanoseconds> time(kRanks);  // all calls, whatever their call paths
    for (const auto& [place, sum] : sums.calls()) time[place.second] += sum.time;
    for (std::size_t rank = 0; rank < sums.ranks().size(); ++rank) {
      CHECK(sums.ranks()[rank].waiting() >= 0);
      CHECK(time[rank] == sums.ranks()[rank].mpi + sums.ranks()[rank].begin_end);
    }
  }
}
