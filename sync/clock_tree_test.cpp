// SPDX-License-Identifier: BSD-3-Clause
// Corrections of clocks, computed from measurements with known truth.
#include "sync/clock_tree.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <map>
#include <random>

#include "sync/clock_model.hpp"
#include "sync/latency.hpp"

using namespace latecomer::sync;

namespace {

constexpr Nanoseconds kSecond = 1'000'000'000;
constexpr auto kH = static_cast<std::uint8_t>(Scheme::kHierarchical);
constexpr auto kF = static_cast<std::uint8_t>(Scheme::kFlat);
constexpr auto kS = static_cast<std::uint8_t>(Scheme::kFlatSingle);

Measurement measured(std::uint32_t moment, ClockId child, ClockId parent, std::uint8_t schemes,
                     Nanoseconds local, Nanoseconds offset, Nanoseconds error = 10) {
  Measurement m{moment, child, parent, parent, schemes, false, {}};
  m.found.remote = local;
  m.found.offset = offset;
  m.found.error = error;
  return m;
}

// The measurement of a perfect link at a true time.
Measurement exact(std::uint32_t moment, ClockId child, ClockId parent, const ClockModel& of_child,
                  const ClockModel& of_parent, Nanoseconds true_time) {
  const Nanoseconds local = of_child.local(true_time);
  return measured(moment, child, parent, kH, local, of_parent.local(true_time) - local, 1);
}

}  // namespace

TEST_CASE("the text of a measurement") {
  Measurement m = measured(2, 4, 1, kF | kH, 5000123, -1500, 1012);
  m.between = true;
  m.found.round_trip = 2022;
  m.found.mean = 1100;
  m.found.deviation = 35;
  m.found.rounds = 12;
  m.found.settled = true;
  const std::string text = "2 4 1 1 fh between 5000123 -1500 1012 1011 1100 35 12 1";
  CHECK(to_text(m) == text);
  CHECK(to_text(parse_measurement(text).value()) == text);
  const std::string latency = "0 4 1 0 - inside 5000123 -1500 1012 1011 1100 35 12 0";
  CHECK(to_text(parse_measurement(latency).value()) == latency);
  CHECK(parse_measurement(text)->counts_for(Scheme::kFlat));
  CHECK_FALSE(parse_measurement(latency)->counts_for(Scheme::kFlat));
  for (std::size_t length = 0; length < text.size(); ++length) {
    CHECK_FALSE(parse_measurement(text.substr(0, length)).has_value());
  }
  CHECK_FALSE(parse_measurement(text + " 5").has_value());
  CHECK_FALSE(parse_measurement("2 1 4 4 fh between 5000123 -1500 1012 1011 1100 35 12 1"));
  CHECK_FALSE(parse_measurement("2 4 1 1 fx between 5000123 -1500 1012 1011 1100 35 12 1"));
}

TEST_CASE("latencies are the smallest half round trips per pair of metahosts") {
  const auto link = [](ClockId child, std::uint32_t partner, Nanoseconds round_trip) {
    Measurement m = measured(0, child, partner, kH, 0, 0);
    m.found.round_trip = round_trip;
    return m;
  };
  const std::vector all = {link(2, 0, 2000), link(3, 0, 1700), link(5, 4, 901), link(4, 0, 50'000)};
  // Ranks 0 to 3 are in metahost 7, 4 and 5 in metahost 2.
  const auto found = latencies(all, [](ClockId rank) { return rank < 4 ? 7 : 2; });
  CHECK(found == std::vector<Latency>{{2, 2, 450}, {2, 7, 25'000}, {7, 7, 850}});
  CHECK(to_text(found) == "inside 2 450;between 2 7 25000;inside 7 850");
  CHECK(parse_latencies(to_text(found)) == found);
  CHECK(parse_latencies("")->empty());
  for (const char* wrong : {"inside", "inside 2", "inside x 3", "between 2 7", "inside 2 450;",
                            "inside 2 450 7", "outside 2 450"}) {
    CHECK_FALSE(parse_latencies(wrong).has_value());
  }
}

TEST_CASE("schemes have names") {
  CHECK(name(Scheme::kFlatSingle) == std::string("flat-single"));
  CHECK(scheme_of_name("hierarchical") == Scheme::kHierarchical);
  CHECK_FALSE(scheme_of_name("all").has_value());
}

TEST_CASE("two measurements of one link are a line") {
  // The offset is 100 at 1000 and 200 at 2001000: 50 ppm.
  const auto found = corrections(
      std::vector{measured(0, 3, 0, kH, 1000, 100, 20), measured(1, 3, 0, kH, 2'001'000, 200, 40)},
      Scheme::kHierarchical);
  const Correction& clock = found.clocks.at(3);
  CHECK(clock.function(1000) == 1100);
  CHECK(clock.function(1'001'000) == 1'001'150);
  CHECK(clock.error(1000) == 20);
  CHECK(clock.error(1'001'000) == 31);  // rounded up
  // The line may be wrong by +20 at one end and by -40 at the other: 60 more per 2,000,000.
  CHECK(clock.error(9'001'000) == 40 + 210);
  CHECK(clock.error(-999'000) == 20 + 30);
  CHECK(found.notes.empty());
}

TEST_CASE("a single flat offset takes the first measurement only") {
  const std::vector all = {measured(0, 3, 0, kS | kF, 1000, 100),
                           measured(1, 3, 0, kS | kF, 1'001'000, 200)};
  CHECK(corrections(all, Scheme::kFlatSingle).clocks.at(3).function(2'001'000) == 2'001'100);
  CHECK(corrections(all, Scheme::kFlat).clocks.at(3).function(2'001'000) == 2'001'300);
  CHECK(corrections(all, Scheme::kHierarchical).clocks.empty());
}

TEST_CASE("two levels give the exact line though they were measured at different times") {
  using latecomer::sync::parse_clock;
  const ClockModel root(parse_clock("offset=1000s drift=5ppm").value());
  const ClockModel master(parse_clock("offset=2000s drift=-30ppm").value());
  const ClockModel node(parse_clock("offset=500s drift=80ppm").value());
  const std::vector all = {
      exact(0, 4, 0, master, root, 10 * kSecond), exact(1, 4, 0, master, root, 3000 * kSecond),
      exact(0, 5, 4, node, master, 40 * kSecond), exact(1, 5, 4, node, master, 2500 * kSecond)};
  const auto found = corrections(all, Scheme::kHierarchical);
  for (Nanoseconds t = 0; t < 4000 * kSecond; t += 7 * kSecond) {
    CHECK(std::abs(found.clocks.at(5).function(node.local(t)) - root.local(t)) <= 3);
    CHECK(std::abs(found.clocks.at(4).function(master.local(t)) - root.local(t)) <= 2);
  }
  // Errors of both levels add up.
  CHECK(found.clocks.at(5).error(node.local(100 * kSecond)) >= 2);
  CHECK(found.clocks.at(5).error(node.local(100 * kSecond)) <= 4);
}

TEST_CASE(
    "property: corrected times are true within their errors, before and after all measurements, "
    "too") {
  using latecomer::sync::parse_clock;
  std::mt19937_64 random(5);
  const auto between = [&](Nanoseconds low, Nanoseconds high) {
    return std::uniform_int_distribution<Nanoseconds>(low, high)(random);
  };
  for (int round = 0; round < 200; ++round) {
    const auto clock = [&] {
      return ClockModel(parse_clock("drift=" + std::to_string(between(-100, 100)) + "ppm").value());
    };
    const ClockModel root = clock(), master = clock(), node = clock();
    // The phases of a measurement take as long as on a busy machine.
    std::vector<Measurement> all;
    Nanoseconds now = kSecond;
    for (std::uint32_t moment = 0; moment < 3; ++moment) {
      for (const bool of_node : {false, true}) {
        now += between(1'000'000, kSecond);
        Measurement m = of_node ? exact(moment, 5, 4, node, master, now)
                                : exact(moment, 4, 0, master, root, now);
        m.found.error = between(1, 50'000);
        m.found.offset += between(1 - m.found.error, m.found.error - 1);
        all.push_back(m);
      }
    }
    const auto found = corrections(all, Scheme::kHierarchical);
    if (!found.notes.empty()) continue;  // so wrong that it was noticed
    for (Nanoseconds t = 0; t < 10 * kSecond; t += kSecond / 7) {
      const Correction& correction = found.clocks.at(5);
      const Nanoseconds local = node.local(t);
      CHECK(std::abs(correction.function(local) - root.local(t)) <= correction.error(local) + 5);
    }
  }
}

TEST_CASE("measurements in between follow a drift that changes, on both levels") {
  using latecomer::sync::parse_clock;
  const ClockModel root(parse_clock("").value());
  const ClockModel master(parse_clock("drift=10ppm wander=2ppm/100s seed=1").value());
  const ClockModel node(parse_clock("drift=-20ppm wander=2ppm/100s seed=2").value());
  std::vector<Measurement> all;
  // Master and node are measured 1 ms apart, exactly at the times at which their rates change.
  for (std::uint32_t moment = 0; moment <= 10; ++moment) {
    const Nanoseconds t = moment * 100 * kSecond;
    all.push_back(exact(moment, 1, 0, master, root, t));
    all.push_back(exact(moment, 2, 1, node, master, t));
  }
  const auto found = corrections(all, Scheme::kHierarchical);
  CHECK(found.clocks.at(2).function.knots().size() == 11);
  for (Nanoseconds t = 0; t < 1000 * kSecond; t += kSecond) {
    CHECK(std::abs(found.clocks.at(2).function(node.local(t)) - root.local(t)) <= 3);
  }
}

TEST_CASE("a clock that steps back and nonsense are left out with a note") {
  const auto found = corrections(
      std::vector{measured(0, 3, 0, kH, 1'000'000, 100), measured(1, 3, 0, kH, 999'999, 100),
                  measured(2, 3, 0, kH, 2'000'000, 100'000), measured(3, 3, 0, kH, 3'000'000, 120)},
      Scheme::kHierarchical);
  CHECK(found.clocks.at(3).function.knots() ==
        std::vector<PiecewiseLinear::Knot>{{1'000'000, 1'000'100}, {3'000'000, 3'000'120}});
  CHECK(found.notes ==
        std::vector<std::string>{
            "measurement 1 of the clock of rank 3 is left out: its time is not later than that of "
            "the one before",
            "measurement 2 of the clock of rank 3 is left out: the offset changed by 99.9 us in "
            "1 ms"});
}

TEST_CASE("a change within the errors of a short run is no nonsense") {
  const auto found = corrections(std::vector{measured(0, 3, 0, kH, 1000, 0, 60'000),
                                             measured(1, 3, 0, kH, 1'001'000, 100'000, 60'000)},
                                 Scheme::kHierarchical);
  CHECK(found.clocks.at(3).function.knots().size() == 2);
  CHECK(found.notes.empty());
}

TEST_CASE("a clock whose master was not measured has no function") {
  const auto found =
      corrections(std::vector{measured(0, 5, 4, kH, 1000, 0)}, Scheme::kHierarchical);
  CHECK(found.clocks.empty());
  CHECK(found.notes == std::vector<std::string>{"the clock of rank 5 is not corrected: that of "
                                                "rank 4 was not measured"});
}

TEST_CASE("property: nonsense in logs is survived") {
  std::mt19937_64 random(1);
  const auto time = [&] {
    const auto bits = random() % 62;
    const auto value = static_cast<Nanoseconds>(random() >> (63 - bits));
    return random() % 2 == 0 ? value : -value;
  };
  for (int round = 0; round < 300; ++round) {
    std::vector<Measurement> all;
    for (int i = 0; i < 30; ++i) {
      const auto child = static_cast<ClockId>(1 + random() % 10);
      const auto partner = static_cast<ClockId>(random() % child);
      Measurement m = measured(static_cast<std::uint32_t>(random() % 4), child, partner, kH, time(),
                               time(), std::abs(time()));
      m.found.round_trip = time();
      if (const auto read = parse_measurement(to_text(m))) all.push_back(*read);
    }
    const auto found = corrections(all, Scheme::kHierarchical);
    for (const auto& [clock, correction] : found.clocks) {
      for (int i = 0; i < 5; ++i) {
        const Nanoseconds t = time();
        CHECK(std::abs(correction.function(t)) <= kLongest);
        CHECK(correction.error(t) >= 0);
      }
    }
  }
}

TEST_CASE("a killed run has one measurement per link: a constant") {
  const auto found =
      corrections(std::vector{measured(0, 4, 0, kH, 1000, 7), measured(0, 5, 4, kH, 5000, -20)},
                  Scheme::kHierarchical);
  CHECK(found.clocks.at(5).function(1'000'000) == 999'987);
}
