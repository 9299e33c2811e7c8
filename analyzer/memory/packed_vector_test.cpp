// SPDX-License-Identifier: BSD-3-Clause
// PackedVector returns the values that were stored, whether they fit into fewer bytes or not.
#include "analyzer/memory/packed_vector.hpp"

#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "analyzer/causes/wait_list.hpp"
#include "analyzer/trace/events/location_events.hpp"

using namespace latecomer;
using trace::Call;
using trace::Message;
using trace::Ticks;

namespace {

// Numbers of any size, among them the largest and those that mean "none".
class Numbers {
 public:
  explicit Numbers(unsigned seed) : random_(seed) {}
  std::uint32_t index() {
    const std::uint32_t limits[] = {0, 0xffffffff, 0xfffffffe, 0x7fffffff, 0x80000000, 0xfffff};
    if (random_() % 4 == 0) return limits[random_() % 6];
    return static_cast<std::uint32_t>(random_()) >> (random_() % 32);
  }
  Ticks time() {
    const Ticks limits[] = {0,
                            INT64_MAX,
                            INT64_MIN,
                            Ticks{1} << 47,
                            (Ticks{1} << 47) - 1,
                            -(Ticks{1} << 47),
                            0xffffffff,
                            Ticks{1} << 32};
    if (random_() % 4 == 0) return limits[random_() % 8];
    const auto any = static_cast<std::int64_t>((std::uint64_t{random_()} << 32) | random_());
    return any >> (random_() % 64);
  }
  // Most times are near another one.
  Ticks time_near(Ticks other) {
    return random_() % 4 == 0 ? time()
                              : static_cast<Ticks>(static_cast<std::uint64_t>(other) + index());
  }
  bool flag() { return random_() % 2 == 0; }

 private:
  std::mt19937 random_;
};

Call call(Numbers& n) {
  const Ticks enter = n.time();
  return {enter, n.time_near(enter), n.index(), n.flag()};
}
Message message(Numbers& n) {
  const auto at = n.index();
  return {n.index(), n.index() % 5000, n.index(), at, n.flag() ? n.index() : at + n.index() % 100,
          n.index(), n.time()};
}
causes::Wait wait(Numbers& n) {
  const Ticks begin = n.time();
  const auto step = n.index();
  return {.location = n.index(),
          .call = n.index(),
          .cause_location = n.index(),
          .cause_call = n.index(),
          .kind = static_cast<causes::WaitKind>(n.index() % patterns::kWaitKindCount),
          .costs = n.flag(),
          .path = n.flag(),
          .tell = static_cast<causes::CauseIndex>(n.index() % 5),
          .wait = n.time_near(0),
          .polled = n.flag() ? 0 : n.time(),
          .begin = begin,
          .event = n.time_near(begin),
          .point = n.index(),
          .leave = n.flag() ? 0 : n.time_near(begin),
          .node = n.index(),
          .step = step,
          .own_step = n.flag() ? step : n.index()};
}

bool same(const Call& a, const Call& b) {
  return a.enter == b.enter && a.leave == b.leave && a.node == b.node &&
         a.crosses_metahosts == b.crosses_metahosts;
}
bool same(const Message& a, const Message& b) { return a == b; }
bool same(const causes::Wait& a, const causes::Wait& b) {
  return a.location == b.location && a.call == b.call && a.cause_location == b.cause_location &&
         a.cause_call == b.cause_call && a.kind == b.kind && a.costs == b.costs &&
         a.path == b.path && a.tell == b.tell && a.wait == b.wait && a.polled == b.polled &&
         a.begin == b.begin && a.event == b.event && a.point == b.point && a.node == b.node &&
         a.leave == b.leave && a.step == b.step && a.own_step == b.own_step;
}

template <typename Record, typename Packing, typename Make>
void check(Make&& make) {
  Numbers n(1);
  trace::PackedVector<Record, Packing> packed;
  std::vector<Record> plain;
  for (int i = 0; i < 20000; ++i) {
    plain.push_back(make(n));
    packed.push_back(plain.back());
  }
  // Values are replaced: small ones by large ones, and the other way round.
  for (int i = 0; i < 20000; ++i) {
    const auto at = n.index() % plain.size();
    plain[at] = make(n);
    packed.change(at, [&](Record& record) { record = plain[at]; });
  }
  REQUIRE(packed.size() == plain.size());
  std::size_t i = 0, wrong = 0;
  for (const Record& record : packed) {
    if (!same(record, plain[i]) || !same(packed[i], plain[i])) ++wrong;
    ++i;
  }
  CHECK(i == plain.size());
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("packed calls, messages and waits are what they were") {
  check<Call, trace::CallPacking>(call);
  check<Message, trace::MessagePacking>(message);
  check<causes::Wait, causes::WaitPacking>(wait);
}

TEST_CASE("most calls, messages and waits need few bytes") {
  CHECK(sizeof(trace::CallPacking::Packed) == 16);
  CHECK(sizeof(trace::MessagePacking::Packed) == 24);
  CHECK(sizeof(causes::WaitPacking::Packed) == 56);
  trace::CallPacking::Packed call;
  CHECK(trace::CallPacking::pack({1000, 1000 + 0xfffffffeLL, 5, true}, call));
  CHECK_FALSE(trace::CallPacking::pack({1000, 1000 + 0xffffffffLL, 5, true}, call));
  trace::MessagePacking::Packed message;
  CHECK(trace::MessagePacking::pack({3, 4095, 0xffffffff, 7, trace::kNone, 9, 1LL << 46}, message));
  CHECK(trace::MessagePacking::pack({trace::kNone, 0, 0, 7, 8, 0, 0}, message));  // never completed
  CHECK_FALSE(trace::MessagePacking::pack({3, 4096, 0, 7, 8, 9, 10}, message));
  CHECK_FALSE(trace::MessagePacking::pack({3, 0, 0, 7, 8, 9, 1LL << 47}, message));
}
