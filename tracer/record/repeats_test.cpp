// SPDX-License-Identifier: BSD-3-Clause
// A repeated record that takes one word reads like the first one.
#include "tracer/record/repeats.hpp"

#include <signal.h>
#include <sys/time.h>

#include <catch2/catch.hpp>
#include <random>

#include "tests/support/read_records.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace latecomer;
using namespace latecomer::record;
using latecomer::test::read_file;
using latecomer::test::read_records;
using latecomer::test::TemporaryDirectory;

namespace {

constexpr std::size_t kChunk = 4096;

// Writes records and keeps what the reader has to return.
class Noted {
 public:
  explicit Noted(ThreadWriter& w) : w_(w) {}

  void message(Kind kind, const Message& m, RequestId request) {
    ++t_;
    const std::uint64_t channel =
        static_cast<std::uint32_t>(m.peer) | std::uint64_t{static_cast<std::uint32_t>(m.tag)} << 32;
    if (kind == Kind::kSend) w_.send(m, t_);
    if (kind == Kind::kRecv) w_.recv(m, t_);
    if (kind == Kind::kIsend) w_.isend(m, request, t_);
    if (kind == Kind::kIrecv) w_.irecv(m, request, t_);
    const bool has_request = kind == Kind::kIsend || kind == Kind::kIrecv;
    expected_.push_back({kind, m.comm, t_, {channel, m.bytes, has_request ? request : 0}});
  }
  void request(Kind kind, RequestId request) {
    ++t_;
    if (kind == Kind::kIsendComplete) w_.isend_complete(request, t_);
    if (kind == Kind::kIrecvRequest) w_.irecv_request(request, t_);
    if (kind == Kind::kRequestTest) w_.request_test(request, t_);
    expected_.push_back({kind, 0, t_, {request}});
  }
  void collective(const Collective& c) {
    ++t_;
    w_.collective_end(c, t_);
    expected_.push_back({Kind::kCollectiveEnd,
                         c.comm,
                         t_,
                         {c.op | std::uint64_t{c.root} << 32, c.sent, c.received}});
  }
  // The operation begins at the time of the previous record, or later.
  void whole_collective(const Collective& c, bool later) {
    const Ticks begin = t_ += later ? 1 : 0;
    t_ += 2;
    w_.collective(c, begin, t_);
    expected_.push_back({Kind::kCollectiveBegin, 0, begin, {}});
    expected_.push_back({Kind::kCollectiveEnd,
                         c.comm,
                         t_,
                         {c.op | std::uint64_t{c.root} << 32, c.sent, c.received}});
  }
  void enter(RegionId region) {
    w_.enter(region, ++t_);
    expected_.push_back({Kind::kEnter, region, t_, {}});
  }
  // The leave has the time of the previous record, or a later one.
  void leave(RegionId region, bool later) {
    w_.leave(region, t_ += later ? 1 : 0);
    expected_.push_back({Kind::kLeave, region, t_, {}});
  }
  // Lets more time pass than a record can hold without a time record, or about as much as two
  // records in a word can hold.
  void wait() { t_ += 2 * kMaxDistance; }
  void wait_shortly(Ticks more) { t_ += (Ticks{1} << kShortBits) - 3 + more; }

  void check(const std::vector<Record>& found) const {
    REQUIRE(found.size() == expected_.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      const Record &a = found[i], &b = expected_[i];
      INFO("record " << i);
      REQUIRE(a.kind == b.kind);
      REQUIRE(a.id == b.id);
      REQUIRE(a.ticks == b.ticks);
      for (unsigned w = 0; w < payload_words(a.kind); ++w) REQUIRE(a.words[w] == b.words[w]);
    }
  }

 private:
  ThreadWriter& w_;
  Ticks t_ = 0;
  std::vector<Record> expected_;
};

// Bytes of the records in the live chunk, without its time.
std::size_t live_bytes(const std::vector<std::byte>& file) {
  std::size_t words = 0;
  const auto* word = reinterpret_cast<const std::uint64_t*>(file.data() + kHeaderBytes);
  while (word[words] != 0) {
    words += 1 + payload_words_after(word[words]);
  }
  return 8 * (words - 2);
}

ThreadWriter* interrupted = nullptr;
int in_handler = 0;
RequestId near_request = 0;
void record_in_handler(int) {
  const std::int32_t k = 1000 + in_handler++ % 20;
  interrupted->send({1, k, k, 5}, 0);
  const auto region = static_cast<RegionId>(4 + in_handler % 2);
  interrupted->enter(region, 0);
  interrupted->irecv_request(near_request, 0);
  interrupted->leave(region, 0);
}

#ifdef __x86_64__
int instructions = 0;
// Records after one instruction in forty; each round has different ones.
void record_at_times(int) {
  static std::minstd_rand random;
  ++instructions;
  if (random() % 40 == 0) record_in_handler(0);
}
// While the flag is set, each instruction ends with SIGTRAP. The code leaves the red zone below the
// stack untouched.
[[gnu::always_inline]] inline void set_trap_flag(bool on) {
  if (on) {
    __asm__ volatile(
        "lea -128(%%rsp),%%rsp\n pushfq\n orq $0x100,(%%rsp)\n popfq\n lea 128(%%rsp),%%rsp" ::
            : "memory", "cc");
  } else {
    __asm__ volatile(
        "lea -128(%%rsp),%%rsp\n pushfq\n andq $~0x100,(%%rsp)\n popfq\n lea 128(%%rsp),%%rsp" ::
            : "memory", "cc");
  }
}
#endif

}  // namespace

TEST_CASE("records come back, whatever was said before") {
  const auto seed = GENERATE(range(0, 40));
  std::mt19937_64 random(static_cast<unsigned>(seed));
  const auto any = [&](std::uint64_t n) { return random() % n; };
  const TemporaryDirectory directory;
  ThreadWriter w(0, kChunk, 0);
  Noted noted(w);
  // Few peers: all messages are known. Many peers share slots.
  const std::uint64_t peers = seed % 2 == 0 ? 6 : 3000;
  RequestId next = 1;
  for (int i = 0; i < 4000; ++i) {
    const Message m{static_cast<CommId>(any(40) == 0 ? kMaxId + 1 + any(3) : any(3)),
                    static_cast<std::int32_t>(any(peers)), static_cast<std::int32_t>(any(2)),
                    any(50) == 0 ? ~std::uint64_t{0} >> any(3) : 8 * any(2)};
    if (any(200) == 0) next += any(2) == 0 ? 1 << 20 : 600;
    const RequestId old = next - std::min<RequestId>(next, any(20) == 0 ? 1 << 19 : any(600));
    switch (any(18)) {
      case 0:
        noted.message(Kind::kSend, m, 0);
        break;
      case 1:
        noted.message(Kind::kRecv, m, 0);
        break;
      case 2:
        noted.message(Kind::kIsend, m, next++);
        break;
      case 3:
        noted.message(Kind::kIrecv, m, old);
        break;
      case 4:
        noted.request(Kind::kIsendComplete, old);
        break;
      case 5:
        noted.request(Kind::kIrecvRequest, next++);
        break;
      case 6:
        noted.request(Kind::kRequestTest, old);
        break;
      case 7:
        noted.collective({m.comm, static_cast<std::uint32_t>(any(3)), kRootNone, m.bytes, any(2)});
        break;
      case 15:
        noted.whole_collective(
            {m.comm, static_cast<std::uint32_t>(any(3)), kRootNone, m.bytes, any(2)}, any(3) == 0);
        break;
      case 8:
      case 13:
      case 14:
        noted.enter(any(10) == 0 ? kFirstOwnRegion - 1 + static_cast<RegionId>(any(2)) : m.comm);
        break;
      case 9:
      case 10:
      case 11:
      case 12:
        noted.leave(m.comm, any(4) == 0);
        break;
      default:
        if (any(30) == 0) noted.wait();
        if (any(3) == 0) noted.wait_shortly(any(5));
    }
    if (i == 1000) REQUIRE(w.move_to(directory.file("a"), 0) == 0);
  }
  w.close();
  noted.check(read_records(read_file(directory.file("a"))));
}

TEST_CASE("what a loop repeats takes a word, together with the begin and the end of its call") {
  const TemporaryDirectory directory;
  ThreadWriter w(0, 1 << 16, 0);
  const auto turn = [&](RequestId first, Ticks t) {
    w.enter(5, t);
    w.send({0, 1, 2, 8}, t);
    w.recv({0, 1, 2, 8}, t);
    w.leave(5, t);
    w.enter(6, t);
    w.irecv_request(first, t);
    w.leave(6, t);
    w.enter(7, t);
    w.isend({0, 1, 2, 8}, first + 1, t);
    w.leave(7, t);
    w.enter(8, t);
    w.irecv({0, 1, 2, 8}, first, t);
    w.isend_complete(first + 1, t);
    w.leave(8, t);
    w.enter(9, t);
    w.collective({0, 3, kRootNone, 8, 8}, t, t);
    w.leave(9, t);
  };
  turn(1, 1);
  REQUIRE(w.save_to(directory.file("first"), 0) == 0);
  const std::size_t first = live_bytes(read_file(directory.file("first")));
  for (Ticks t = 2; t <= 11; ++t) turn(2 * t, t);
  REQUIRE(w.save_to(directory.file("all"), 0) == 0);
  CHECK(live_bytes(read_file(directory.file("all"))) == first + 10 * 7 * 8);
  CHECK(read_records(read_file(directory.file("all"))).size() == 11 * 18);
}

TEST_CASE("what is not recorded is not known") {
  const TemporaryDirectory directory;
  ThreadWriter w(0, 1 << 16, 0);
  const Message m{0, 1, 2, 8};
  w.irecv_request(7, 1);
  w.pause(2);
  w.isend(m, 8, 3);
  w.irecv(m, 7, 4);  // its request was recorded: written when recording continues
  w.irecv_request(9, 5);
  w.resume(6);
  w.isend(m, 10, 7);
  w.irecv(m, 9, 8);
  REQUIRE(w.move_to(directory.file("a"), 0) == 0);
  std::vector<std::uint64_t> requests;
  for (const Record& r : read_records(read_file(directory.file("a")))) {
    if (r.kind == Kind::kIsend || r.kind == Kind::kIrecv || r.kind == Kind::kIrecvRequest) {
      requests.push_back(r.request());
    }
    if (r.kind == Kind::kIsend || r.kind == Kind::kIrecv) CHECK(r.peer() == 1);
  }
  CHECK(requests == std::vector<std::uint64_t>{7, 7, 9, 10, 9});
}

TEST_CASE("what a filter leaves out is written late and in between") {
  const TemporaryDirectory directory;
  ThreadWriter w(0, 1 << 16, 0);
  const Message m{0, 1, 2, 8};
  w.irecv_request(7, 1);
  w.begin_left_out();
  w.irecv(m, 7, 2);
  w.end_left_out(false, 2);
  w.isend(m, 9, 3);
  w.isend(m, 10, 4);
  w.recv(m, 5);  // the completion of 7 is written before it
  w.isend(m, 11, 6);
  REQUIRE(w.move_to(directory.file("a"), 0) == 0);
  std::vector<std::uint64_t> requests;
  for (const Record& r : read_records(read_file(directory.file("a")))) {
    CHECK((r.kind == Kind::kIrecvRequest || r.peer() == 1));
    if (r.kind != Kind::kRecv) requests.push_back(r.request());
  }
  CHECK(requests == std::vector<std::uint64_t>{7, 9, 10, 7, 11});
}

TEST_CASE("signal handlers that record in between mix nothing up") {
  const TemporaryDirectory directory;
  // One chunk suffices where each instruction counts: full chunks are stored with all signals
  // blocked.
  const std::size_t chunk = GENERATE(as<std::size_t>{}, kChunk, 512 * kChunk);
  ThreadWriter w(0, chunk, 0);
  REQUIRE(w.move_to(directory.file("a"), 0) == 0);
  interrupted = &w;
  in_handler = 0;
  struct sigaction action = {}, before;
  std::int32_t sent = 0;
  const auto call = [&] {
    const std::int32_t k = sent % 20;
    w.enter(3, 0);
    near_request = static_cast<RequestId>(sent++);
    w.isend({1, k, k, 5}, near_request, 0);
    w.leave(3, 0);
  };
  if (chunk == kChunk) {
    action.sa_handler = record_in_handler;
    sigaction(SIGALRM, &action, &before);
    const itimerval often{{0, 50}, {0, 50}}, never{};
    setitimer(ITIMER_REAL, &often, nullptr);
    while (sent < 3'000'000 && in_handler < 3000) call();
    setitimer(ITIMER_REAL, &never, nullptr);
    sigaction(SIGALRM, &before, nullptr);
  }
#ifdef __x86_64__
  if (chunk > kChunk) {
    action.sa_handler = record_at_times;
    sigaction(SIGTRAP, &action, &before);
    // These are 800 calls, or 25 with sanitizers: each instruction takes up to 20 microseconds.
    instructions = 0;
    while (instructions < 100'000) {
      set_trap_flag(true);
      call();
      set_trap_flag(false);
    }
    sigaction(SIGTRAP, &before, nullptr);
  }
#endif
  w.close();
  std::int32_t found = 0, left = 0;
  std::vector<std::uint64_t> open;
  for (const Record& r : read_records(read_file(directory.file("a")))) {
    if (r.kind == Kind::kEnter) open.push_back(r.id);
    if (r.kind == Kind::kLeave) {
      REQUIRE_FALSE(open.empty());
      REQUIRE(r.id == open.back());
      open.pop_back();
      if (r.id == 3) ++left;
    }
    if (r.kind != Kind::kIsend) continue;
    REQUIRE(r.peer() == found % 20);
    REQUIRE(r.tag() == found % 20);
    REQUIRE(r.request() == static_cast<RequestId>(found));
    ++found;
  }
  CHECK(found == sent);
  CHECK(left == sent);
  CHECK(in_handler > 100);
}

TEST_CASE("a repeat of nothing is damage") {
  const TemporaryDirectory directory;
  ThreadWriter w(0, kChunk, 0);
  w.enter(1, 1);
  REQUIRE(w.move_to(directory.file("a"), 0) == 0);
  w.close();
  auto file = read_file(directory.file("a"));
  // The enter after the time is replaced.
  file[kHeaderBytes + 16] = static_cast<std::byte>(Kind::kSendAgain);
  auto reader = RecordReader::over(file);
  Record r;
  CHECK_FALSE(reader->next(r));
  REQUIRE(reader->damages().size() == 1);
}

TEST_CASE("a short visit takes one word") {
  const TemporaryDirectory dir;
  ThreadWriter w(0, kChunk, 0);
  REQUIRE(w.move_to(dir.file("f"), 0) == 0);
  constexpr Ticks kLong = Ticks{1} << kVisitBits;
  w.enter(kFirstOwnRegion + 7, 10);  // one word: 10 ticks later, 5 long
  w.leave(kFirstOwnRegion + 7, 15);
  w.enter(3, 15);  // one word, too
  w.leave(3, 15);
  w.enter(4, 20);  // three words: another visit inside
  w.enter(5, 21);
  w.leave(5, 22);
  w.leave(4, 23);
  w.enter(6, 30);  // two words: too long
  w.leave(6, 30 + kLong);
  w.enter(6, 30 + 2 * kLong);  // two words: too late after the record before
  w.leave(6, 31 + 2 * kLong);
  w.enter(6, 30 + 3 * kLong);  // one word: just fits
  w.leave(6, 29 + 4 * kLong);
  const auto file = read_file(dir.file("f"));
  CHECK(live_bytes(file) == 8 * (1 + 1 + 3 + 2 + 2 + 1));
  const std::vector<std::pair<Kind, Ticks>> expected = {{Kind::kEnter, 10},
                                                        {Kind::kLeave, 15},
                                                        {Kind::kEnter, 15},
                                                        {Kind::kLeave, 15},
                                                        {Kind::kEnter, 20},
                                                        {Kind::kEnter, 21},
                                                        {Kind::kLeave, 22},
                                                        {Kind::kLeave, 23},
                                                        {Kind::kEnter, 30},
                                                        {Kind::kLeave, 30 + kLong},
                                                        {Kind::kEnter, 30 + 2 * kLong},
                                                        {Kind::kLeave, 31 + 2 * kLong},
                                                        {Kind::kEnter, 30 + 3 * kLong},
                                                        {Kind::kLeave, 29 + 4 * kLong}};
  const auto found = read_records(file);
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    INFO(i);
    CHECK(found[i].kind == expected[i].first);
    CHECK(found[i].ticks == expected[i].second);
  }
  CHECK(found[0].id == kFirstOwnRegion + 7);
  CHECK(found[1].id == kFirstOwnRegion + 7);
}
