// SPDX-License-Identifier: BSD-3-Clause
// Counters of a location: differences of their values, and the regions to which these belong.
#include "analyzer/trace/events/counters/counter_builder.hpp"

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/trace/events/location_builder.hpp"

using namespace latecomer::trace;

namespace {

// An event Metric as it is in a file: its id, the number of values, and for each a type and a value
// with the number of its bytes.
class MetricRecord {
 public:
  MetricRecord(std::uint8_t id, const std::vector<std::pair<std::uint8_t, std::uint64_t>>& values,
               std::size_t cut = 0) {
    bytes_ = {1, id, static_cast<std::uint8_t>(values.size())};
    for (const auto& [type, value] : values) {
      bytes_.push_back(type);
      bytes_.push_back(8);
      for (int i = 0; i < 8; ++i) bytes_.push_back(static_cast<std::uint8_t>(value >> 8 * i));
    }
    size_ = bytes_.size() - cut;
    bytes_.resize(bytes_.size() + Fields::kSlack);
  }
  [[nodiscard]] Fields fields() const { return {bytes_.data(), bytes_.data() + size_, false}; }

 private:
  std::vector<std::uint8_t> bytes_;
  std::size_t size_ = 0;
};

constexpr std::uint8_t kUnsigned = 4, kReal = 10, kText = 17;

class Counters {
 public:
  Counters() : builder_(make(definitions_), tree_, 0) {}

  void enter(Ticks t, std::uint32_t region) { builder_.enter(t, region); }
  void leave(Ticks t, std::uint32_t region) { builder_.leave(t, region); }
  bool metric(Ticks t, const MetricRecord& record, std::uint8_t type = kMetric) {
    Event event(ids_, definitions_);
    event.time = t;
    event.record.type = type;
    event.record.fields = record.fields();
    return builder_.take(event);
  }
  LocationEvents finish() { return builder_.finish(); }
  // "region counter value" in the order of the result.
  std::vector<std::string> text() {
    const LocationEvents events = builder_.finish();
    std::vector<std::string> lines;
    for (const auto& one : events.counted) {
      lines.push_back(definitions_.regions[tree_.nodes()[one.node].region].name + " " +
                      definitions_.counters[one.metric].name + " " + std::to_string(one.value));
    }
    return lines;
  }

 private:
  static Definitions& make(Definitions& d) {
    for (const char* name : {"program", "f", "g", "MPI_Send"}) {
      Region region;
      region.name = name;
      region.mpi = region.name.starts_with("MPI_");
      region.computation = !region.mpi;
      d.region_ids.add(d.regions.size());
      d.regions.push_back(region);
    }
    d.off_region = d.flush_region = kNone;
    d.processes.resize(1);
    d.locations.resize(1);
    d.locations[0].process = 0;
    d.counters = {{.name = "cycles", .is_sum = true},
                  {.name = "blocked", .is_sum = true, .is_time = true, .scale = 0.5},
                  {.name = "degrees"}};
    d.counter_classes = {{0, 1, 2}, {1, kNone}};
    d.counter_class_ids.add(0);
    d.counter_class_ids.add(1);
    return d;
  }

  Definitions definitions_;
  CallTree tree_{0};
  IdMaps ids_;
  LocationBuilder builder_;
};

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("what was counted belongs to the region that was open meanwhile") {
  // cycles: 100 at the begin, 108 when g begins, 110 when it ends: 8 in f, 2 in g. Of time, 6 and 1
  // are counted; each stands for half a tick.
  Counters c;
  c.enter(1, 1);
  CHECK(c.metric(1, {0, {{kUnsigned, 100}, {kUnsigned, 20}, {kUnsigned, 300}}}));
  CHECK(c.metric(5, {0, {{kUnsigned, 108}, {kUnsigned, 26}, {kUnsigned, 301}}}));
  c.enter(5, 2);
  CHECK(c.metric(7, {0, {{kUnsigned, 110}, {kUnsigned, 27}, {kUnsigned, 302}}}));
  c.leave(7, 2);
  c.leave(8, 1);
  CHECK(c.text() == Lines{"f cycles 8", "f blocked 3", "g cycles 2", "g blocked 1"});
}

TEST_CASE("stretches in which a thread had no core, and instructions") {
  // Only what the kernel did and instructions are kept, those by the first counter of instructions.
  Definitions d;
  d.counters = {{.name = "preempted", .is_sum = true, .is_time = true, .scale = 0.5},
                {.name = "cycles", .is_sum = true},
                {.name = "blocked", .is_sum = true, .is_time = true, .scale = 0.5},
                {.name = "PAPI_TOT_INS", .is_sum = true},
                {.name = "instructions", .is_sum = true},
                {.name = "blocked"},
                {.name = "page faults", .is_sum = true}};
  using enum StretchCounter;
  CHECK(stretch_counters(d) ==
        std::vector{kPreempted, kNone, kBlocked, kInstructions, kNone, kNone, kPageFaults});

  // In f the thread is blocked for 16 values of half a tick, then for none; in MPI for 4.
  Counters c;
  c.enter(1, 1);
  c.metric(1, {1, {{kUnsigned, 10}}});
  c.metric(4, {1, {{kUnsigned, 26}}});
  c.metric(5, {1, {{kUnsigned, 26}}});
  c.enter(5, 3);
  c.metric(9, {1, {{kUnsigned, 30}}});
  c.leave(9, 3);
  c.metric(11, {1, {{kUnsigned, 20}}});  // a damaged archive
  const LocationEvents events = c.finish();
  REQUIRE(events.stretches.size() == 2);
  CHECK(events.stretches[0].time == 4);
  CHECK(events.stretches[0].value == 8);
  CHECK(events.stretches[0].counter == kBlocked);
  CHECK(events.stretches[1].time == 9);
  CHECK(events.stretches[1].value == 2);
  CHECK(events.stretches[1].node != events.stretches[0].node);
}

TEST_CASE("counters in MPI calls, too") {
  Counters c;
  c.metric(1, {0, {{kUnsigned, 1}}});
  c.enter(1, 3);
  c.metric(2, {0, {{kUnsigned, 5}}});
  c.leave(2, 3);
  CHECK(c.text() == Lines{"MPI_Send cycles 4"});
}

TEST_CASE("counters of several classes, and values that are not defined") {
  Counters c;
  c.metric(1, {1, {{kUnsigned, 10}, {kUnsigned, 1}}});
  c.metric(2, {1, {{kUnsigned, 14}, {kUnsigned, 9}, {kUnsigned, 7}}});
  c.metric(3, {7, {{kUnsigned, 99}}});  // a class that is not defined
  c.metric(4, {0, {{kText, 99}}});
  CHECK(c.text() == Lines{"program blocked 2"});
}

TEST_CASE("a counter that passes its last number, and one with fractions") {
  Counters c;
  c.metric(1, {0, {{kUnsigned, UINT64_MAX - 2}, {kReal, std::bit_cast<std::uint64_t>(1.5)}}});
  c.metric(2, {0, {{kUnsigned, 4}, {kReal, std::bit_cast<std::uint64_t>(8.5)}}});
  CHECK(c.text() == Lines{"program cycles 7", "program blocked 4"});  // 3.5, rounded
}

TEST_CASE("damaged values") {
  Counters c;
  const auto real = [](double value) { return std::bit_cast<std::uint64_t>(value); };
  c.metric(1, {0, {{kUnsigned, 0}, {kReal, real(0)}}});
  c.metric(2, {0, {{kUnsigned, 1}, {kReal, real(NAN)}}});
  c.metric(3, {0, {{kUnsigned, 1}, {kReal, real(0)}}});
  c.metric(4, {0, {{kUnsigned, 1}, {kReal, real(1e300)}}});
  CHECK_FALSE(c.metric(5, MetricRecord(0, {{kUnsigned, 0}, {kUnsigned, 1}}, 3)));
  const Lines found = c.text();
  CHECK(std::ranges::count(found, "program blocked 9200000000000000000") == 1);
}
