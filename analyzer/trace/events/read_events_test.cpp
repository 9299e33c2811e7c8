// SPDX-License-Identifier: BSD-3-Clause
// The analyzer's reader and the OTF2 library read the same from event files with random values: all
// records, mapping tables, attributes and clock offsets. Truncated files are read up to the cut.
#include "analyzer/trace/events/read_events.hpp"

#include <otf2/otf2.h>

#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "analyzer/trace/definitions/local_definitions.hpp"
#include "analyzer/trace/events/core/call_tree.hpp"
#include "patterns/calls/call_kind.hpp"
#include "tests/support/event_file.hpp"
#include "tests/trace/library_events.hpp"
#include "tests/trace/random_archive.hpp"

using namespace latecomer;
using namespace latecomer::trace;
using namespace latecomer::trace::random_archive;

namespace {

// Suppresses the library's message about each attribute with an unexpected type.
OTF2_ErrorCode quiet(void*, const char*, std::uint64_t, const char*, OTF2_ErrorCode code,
                     const char*, std::va_list) {
  return code;
}

// All results in which the two readers could differ.
std::string text(const LocationEvents& e, const CallTree& tree) {
  std::ostringstream out;
  const auto list = [&out](const char* name, const auto& values, auto&& write) {
    out << name << ' ' << values.size() << '\n';
    for (const auto& value : values) {
      write(value);
      out << '\n';
    }
  };
  const auto number = [&out](const auto& value) { out << value; };
  list("nodes", tree.nodes(), [&](const auto& n) { out << n.parent << ' ' << n.region; });
  list("time", e.time, number);
  list("visits", e.visits, number);
  e.timeline.for_each([&](Ticks t, std::uint32_t node) { out << t << ' ' << node << '\n'; });
  list("calls", e.calls, [&](const Call& c) {
    out << c.enter << ' ' << c.leave << ' ' << c.node << ' ' << c.crosses_metahosts;
  });
  list("polls", e.polls, [&](const Poll& p) { out << p.enter << ' ' << p.leave << ' ' << p.node; });
  const auto message = [&](const Message& m) {
    out << m.peer << ' ' << m.comm << ' ' << m.tag << ' ' << m.call << ' ' << m.other << ' '
        << e.bytes(m) << ' ' << m.time;
  };
  list("sends", e.sends, message);
  list("receives", e.receives, message);
  list("kinds", e.kinds, [&](const CollectiveKind& k) {
    out << k.comm << ' ' << k.root << ' ' << int{k.operation} << k.nonblocking << ' ' << k.sent
        << ' ' << k.received << ' ' << k.all_positive << k.series;
  });
  list("collectives", e.collectives, [&](const Collective& c) {
    out << c.kind << ' ' << c.start << ' ' << c.call << ' ' << c.begin << ' ' << c.end;
  });
  list("window events", e.window_events, [&](const WindowEvent& w) {
    out << w.time << ' ' << w.call << ' ' << w.window << ' ' << w.other << ' ' << w.epoch << ' '
        << static_cast<int>(w.kind) << w.shared;
  });
  list("thread events", e.thread_events, [&](const ThreadEvent& t) {
    out << t.time << ' ' << t.call << ' ' << t.node << ' ' << t.id << ' ' << t.number << ' '
        << t.paradigm << ' ' << static_cast<int>(t.kind);
  });
  const auto gap = [&](const Gap& g) {
    out << g.count << ' ' << g.before << ' ' << g.comm << ' ' << g.peer << ' ' << g.tag << ' '
        << g.series << ' ' << g.time;
  };
  list("send gaps", e.send_gaps, gap);
  list("receive gaps", e.receive_gaps, gap);
  list("collective gaps", e.collective_gaps, gap);
  list("window gaps", e.window_gaps, [&](const WindowGap& g) {
    out << g.count << ' ' << g.before << ' ' << g.window << ' ' << g.other << ' ' << g.time;
  });
  list("transferred", e.transferred, [&](const Transferred& t) {
    out << t.puts << ' ' << t.gets << ' ' << t.atomics << ' ' << t.sent << ' ' << t.received;
  });
  list("file bytes", e.file_bytes, [&](const FileBytes& f) { out << f.read << ' ' << f.written; });
  const auto handed = [&](const HandedRequest& h) {
    out << static_cast<int>(h.kind) << h.counts << h.writes << ' ' << h.index << ' ' << h.handle
        << ' ' << h.id << ' ' << h.bytes;
  };
  list("sampled", e.sampled, [&](const SampledPlace& s) {
    out << s.node << ' ' << s.at << ' ' << s.region << ' ' << s.source << ' ' << s.count << ' '
        << s.weight;
  });
  out << e.samples_elsewhere << '\n';
  list("open here", e.open_here, handed);
  list("completed here", e.completed_here, handed);
  out << e.init << ' ' << e.finalize << ' ' << e.first << ' ' << e.last << ' ' << e.stop.node << ' '
      << e.stop.exited << '\n';
  for (std::size_t q = 0; q < static_cast<std::size_t>(Quality::kCount); ++q) {
    out << e.quality[static_cast<Quality>(q)] << ' ';
  }
  return out.str();
}

struct Read {
  std::string text;
  std::uint64_t count = 0;
  bool complete = false;
};

// An open archive whose local definitions have been read.
class OpenArchive {
 public:
  // With `samples` the samples of the archive are those of the computation.
  explicit OpenArchive(const fs::path& directory, bool samples = false)
      : samples_(samples),
        reader_(OTF2_Reader_Open((directory / "traces.otf2").c_str())),
        file_(directory / "traces" / "0.evt") {
    REQUIRE(reader_ != nullptr);
    check(OTF2_Reader_SetSerialCollectiveCallbacks(reader_));
    std::uint64_t count = 0;
    check(OTF2_Reader_ReadAllGlobalDefinitions(reader_, OTF2_Reader_GetGlobalDefReader(reader_),
                                               &count));
    check(OTF2_Reader_SelectLocation(reader_, 0));
    check(OTF2_Reader_OpenDefFiles(reader_));
    REQUIRE(read_local_definitions(reader_, 0, local_));
    check(OTF2_Reader_CloseDefFiles(reader_));
    check(OTF2_Reader_OpenEvtFiles(reader_));
  }
  ~OpenArchive() { OTF2_Reader_Close(reader_); }
  OpenArchive(const OpenArchive&) = delete;
  OpenArchive& operator=(const OpenArchive&) = delete;

  Read by_library() {
    const Definitions d = defined();
    CallTree tree(0);
    LocationBuilder builder(d, tree, 0, nullptr);
    test::EventSink sink(builder, kFirstTick);
    OTF2_EvtReader* events = OTF2_Reader_GetEvtReader(reader_, 0);
    test::register_callbacks(reader_, events, sink);
    Read read;
    read.complete = OTF2_Reader_ReadAllLocalEvents(reader_, events, &read.count) == OTF2_SUCCESS;
    check(OTF2_Reader_CloseEvtReader(reader_, events));
    read.text = text(builder.finish(), tree);
    return read;
  }
  [[nodiscard]] Read by_us() const {
    const Definitions d = defined();
    CallTree tree(0);
    LocationBuilder builder(d, tree, 0, nullptr);
    EventFile::Buffer buffer;
    EventFile file(file_, kChunk, buffer);
    ClockCorrection clock(local_.offsets, nullptr, kFirstTick);
    std::uint64_t told = 0;
    const EventsRead events =
        read_events(file, local_.ids, clock, builder, [&](std::uint64_t n) { told += n; });
    CHECK(told == events.count);
    return {text(builder.finish(), tree), events.count, events.complete};
  }
  [[nodiscard]] const fs::path& file() const { return file_; }

 private:
  [[nodiscard]] Definitions defined() const {
    Definitions d = definitions();
    if (samples_) d.properties["LATECOMER::SAMPLES"] = "1";
    return d;
  }

  const bool samples_;
  OTF2_Reader* reader_;
  fs::path file_;
  LocalDefinitions local_;
};

int wanted_rounds(int usual) {
  const char* const wanted = std::getenv("LATECOMER_RANDOM_PROGRAMS");
  return wanted == nullptr ? usual : std::atoi(wanted);
}

struct Scratch {
  fs::path path = fs::temp_directory_path() / ("latecomer_read_events_" + std::to_string(getpid()));
  ~Scratch() { fs::remove_all(path); }
};

}  // namespace

TEST_CASE("events are read as the OTF2 library reads them") {
  OTF2_Error_RegisterCallback(quiet, nullptr);
  const Scratch scratch;
  const int rounds = wanted_rounds(60);
  for (int seed = 0; seed < rounds; ++seed) {
    CAPTURE(seed);
    // Some archives have more than one chunk.
    const RandomArchive archive(scratch.path, static_cast<std::uint64_t>(seed),
                                seed % 10 == 0 ? 100'000 : 1'000);
    OpenArchive open(scratch.path, seed % 3 == 1);
    const Read expected = open.by_library(), read = open.by_us();
    REQUIRE(expected.complete);
    REQUIRE(expected.count == archive.events());
    CHECK(read.complete);
    CHECK(read.count == expected.count);
    REQUIRE(read.text == expected.text);
  }
}

TEST_CASE("a cut file is read up to the cut") {
  const Scratch scratch;
  const RandomArchive archive(scratch.path, 1, 60'000);
  const OpenArchive open(scratch.path);
  const std::string bytes = test::read_bytes(open.file());
  REQUIRE(bytes.size() > 2 * kChunk);
  const auto records = test::event_records(bytes, kChunk);
  for (const std::size_t cut :
       {std::size_t{0}, std::size_t{5}, std::size_t{18}, std::size_t{1'000}, kChunk - 1, kChunk,
        kChunk + 1, kChunk + 18, bytes.size() / 2, bytes.size() - 3, bytes.size() - 2}) {
    CAPTURE(cut);
    test::write_bytes(open.file(), bytes.substr(0, cut));
    const auto whole = std::ranges::count_if(records, [&](const test::FileRecord& record) {
      return record.type >= 10 && record.offset + record.size <= cut;
    });
    const Read read = open.by_us();
    CHECK_FALSE(read.complete);
    CHECK(read.count == static_cast<std::uint64_t>(whole));
  }
}

TEST_CASE("events are read up to a time that cannot be, or a list of attributes that is cut") {
  const Scratch scratch;
  fs::create_directories(scratch.path);
  const fs::path path = scratch.path / "0.evt";
  const auto whole = [](std::uint64_t number) {
    std::string bytes;
    for (int i = 0; i < 8; ++i) bytes += static_cast<char>(number >> 8 * i);
    return bytes;
  };
  const auto at = [&](std::uint64_t time) { return "\5" + whole(time); };
  const std::string head = "\3B" + std::string(16, '\0');
  const std::string enter = {12, 1, 3}, leave = {13, 1, 3}, end = {2};
  const std::string flush = "\x0a\x08";  // with the time of its end
  const auto read = [&](const std::string& events) {
    test::write_bytes(path, head + events);
    const Definitions d = definitions();
    CallTree tree(0);
    LocationBuilder builder(d, tree, 0, nullptr);
    EventFile::Buffer buffer;
    EventFile file(path, kChunk, buffer);
    const LocalDefinitions local;
    ClockCorrection clock(local.offsets, nullptr, kFirstTick);
    const EventsRead found = read_events(file, local.ids, clock, builder, [](std::uint64_t) {});
    CHECK(builder.finish().events <= found.count);
    return std::pair(found.count, found.complete);
  };
  using Found = std::pair<std::uint64_t, bool>;
  CHECK(read(at(2'000) + enter + at(3'000) + leave + end) == Found{2, true});
  // The event is before the begin of the trace. Distances of 2^62 to the begin are too large, in
  // both directions.
  CHECK(read(at(500) + enter + at(3'000) + leave + end) == Found{2, true});
  CHECK(read(at(2'000) + enter + at(kFirstTick + (std::uint64_t{1} << 62)) + leave + end) ==
        Found{1, false});
  const std::uint64_t farthest = kFirstTick - (std::uint64_t{1} << 62);
  CHECK(read(at(farthest + 1) + enter + at(3'000) + leave + end) == Found{2, true});
  CHECK(read(at(farthest) + enter + at(3'000) + leave + end) == Found{0, false});
  CHECK(read(at(2'000) + flush + whole(2'500) + at(3'000) + enter + leave + end) == Found{3, true});
  CHECK(read(at(2'000) + flush + whole(std::uint64_t{1} << 63) + enter + leave + end) ==
        Found{0, false});

  // One attribute: id 3, of one byte; then without its value, and as the first of two.
  const std::string list = {6, 6, 1, 1, 1, 3, 1, 1};
  const std::string none = {6, 5, 1, 1, 1, 3, 1}, more = {6, 6, 1, 2, 1, 3, 1, 1};
  CHECK(read(at(2'000) + list + enter + leave + end) == Found{2, true});
  CHECK(read(at(2'000) + enter + none + leave + end) == Found{1, false});
  CHECK(read(at(2'000) + enter + more + leave + end) == Found{1, false});
  // The list is longer than its attributes: it hides an event, or has fewer attributes than it
  // states.
  const std::string longer = {6, 9, 1, 1, 1, 3, 1, 1},
                    fewer = {6, 10, 1, 1, 1, 3, 1, 1, 1, 4, 1, 1};
  CHECK(read(at(2'000) + enter + longer + leave + enter + leave + end) == Found{1, false});
  CHECK(read(at(2'000) + enter + fewer + leave + end) == Found{1, false});
  // The list is at the end of a chunk: it belongs to no event.
  std::string chunk = at(2'000) + enter + leave + list;
  chunk.resize(kChunk - head.size());
  CHECK(read(chunk + head + at(3'000) + enter + leave + end) == Found{2, false});
}

TEST_CASE("a file that is there and cannot be read has an error") {
  const Scratch scratch;
  fs::create_directories(scratch.path / "0.evt");
  EventFile::Buffer buffer;
  EventRecord record;
  EventFile directory(scratch.path / "0.evt", kChunk, buffer);
  CHECK_FALSE(directory.next(record));
  CHECK(directory.error() == EISDIR);
  const EventFile none(scratch.path / "1.evt", kChunk, buffer);
  CHECK(none.error() == 0);
  const EventFile below(scratch.path / "0.evt" / "1.evt" / "2.evt", kChunk, buffer);
  CHECK(below.error() == 0);
  test::write_bytes(scratch.path / "plain", "x");
  const EventFile behind_a_file(scratch.path / "plain" / "0.evt", kChunk, buffer);
  CHECK(behind_a_file.error() == ENOTDIR);
}

TEST_CASE("damaged bytes are no reason to go astray") {
  const Scratch scratch;
  const RandomArchive archive(scratch.path, 2, 2'000);
  const OpenArchive open(scratch.path);
  const std::string bytes = test::read_bytes(open.file());
  std::mt19937 random(7);
  const int rounds = wanted_rounds(2'000);
  for (int round = 0; round < rounds; ++round) {
    std::string damaged = bytes;
    for (int i = 0; i < 3; ++i) damaged[random() % damaged.size()] = static_cast<char>(random());
    test::write_bytes(open.file(), damaged);
    const Read read = open.by_us();
    CHECK(read.count <= bytes.size() / 2);
  }
}
