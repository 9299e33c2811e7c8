// SPDX-License-Identifier: BSD-3-Clause
// Matching parts become one archive; everything else is refused, and no file is left.
#include "analyzer/trace/copy/collect.hpp"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>

#include "analyzer/trace/archive_reader.hpp"
#include "analyzer/trace/definitions/anchor_properties.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/trace_builder.hpp"

using namespace latecomer;
using namespace latecomer::test;
namespace fs = std::filesystem;

namespace {

using Paths = std::vector<fs::path>;

std::string content(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

// Ranks 0 and 1 are in a/, ranks 2 and 3 in b/.
class Parts {
 public:
  explicit Parts(const char* partial = "true") {
    TraceBuilder t(4);
    t.metahost(7, "bonn", {0, 1}).metahost(9, "juelich", {2, 3});
    t.property("LATECOMER::PARTIAL", partial).property("LATECOMER::PARTS", "2");
    t.property("LATECOMER::UNFINISHED", "0");
    for (int rank = 0; rank < 4; ++rank) t.call(rank, "MPI_Probe", at(rank), leave(5));
    t.write(whole());
    write(whole() / "MANIFEST.md",
          "# All\n| `records/` | raw |\nmore\n\n## Part of an archive\n\nrest\n");
    for (const auto& part : all()) fs::copy(whole(), part, fs::copy_options::recursive);
    for (const char* kind : {".evt", ".def"}) {
      for (int rank = 0; rank < 4; ++rank) {
        fs::remove((rank < 2 ? b() : a()) / "traces" / (std::to_string(rank) + kind));
      }
    }
    write(a() / "scan.log", "log");
  }
  [[nodiscard]] fs::path whole() const { return directory_.file("whole"); }
  [[nodiscard]] fs::path a() const { return directory_.file("a"); }
  [[nodiscard]] fs::path b() const { return directory_.file("b"); }
  [[nodiscard]] Paths all() const { return {a(), b()}; }
  [[nodiscard]] fs::path target() const { return directory_.file("new/experiment"); }

  // The text with which collect() refuses the parts; nothing of the target may be left.
  [[nodiscard]] std::string refusal(const Paths& parts) const {
    const auto result = trace::collect(parts, target());
    CHECK_FALSE(fs::exists(target()));
    if (fs::exists(target().parent_path())) CHECK(fs::is_empty(target().parent_path()));
    return result ? "" : result.problem().what;
  }

 private:
  TemporaryDirectory directory_;
};

}  // namespace

TEST_CASE("parts become the archive that a common file system would have held") {
  const Parts parts;
  const auto order = GENERATE(0, 1);
  const auto result =
      trace::collect(order == 0 ? parts.all() : Paths{parts.b(), parts.a()}, parts.target());
  REQUIRE(result.ok());
  CHECK(result->ranks == 4);
  CHECK_FALSE(result->records);
  CHECK(content(parts.target() / "traces.def") == content(parts.whole() / "traces.def"));
  for (int rank = 0; rank < 4; ++rank) {
    for (const char* kind : {".evt", ".def"}) {
      const auto name = fs::path("traces") / (std::to_string(rank) + kind);
      CHECK(content(parts.target() / name) == content(parts.whole() / name));
    }
  }
  CHECK(content(parts.target() / "MANIFEST.md") == "# All\nmore\n");
  CHECK(content(parts.target() / "scan.log") == "log");
  auto archive = trace::ArchiveReader::open(parts.target());
  REQUIRE(archive.ok());
  const auto& properties = archive->definitions().properties;
  CHECK(properties.at("LATECOMER::PARTIAL") == "false");
  CHECK(properties.at("LATECOMER::UNFINISHED") == "0");
  CHECK_FALSE(properties.contains("LATECOMER::PARTS"));
  CHECK(archive->event_files() == std::vector<bool>(4, true));
}

TEST_CASE("a part that is missing is named with its metahost") {
  const Parts parts;
  CHECK(parts.refusal({parts.a()}) ==
        "a part is missing: none of the directories holds the events of ranks 2, 3 of metahost "
        "juelich");
  fs::remove(parts.a() / "traces/1.evt");
  CHECK(parts.refusal(parts.all()) ==
        "a part is missing: none of the directories holds the events of rank 1 of metahost bonn");
}

TEST_CASE("the same events twice are refused") {
  const Parts parts;
  fs::copy(parts.a() / "traces/1.evt", parts.b() / "traces/1.evt");
  CHECK(parts.refusal(parts.all()) ==
        parts.a().string() + " and " + parts.b().string() + " both hold the events of rank 1");
  CHECK(parts.refusal({parts.a(), parts.a()}) == parts.a().string() + " is given twice");
}

TEST_CASE("parts of different runs are refused") {
  const Parts parts, others;
  CHECK(parts.refusal({parts.a(), others.b()}) ==
        "the directories do not hold parts of one archive: their definitions differ");
}

TEST_CASE("what is no part is refused") {
  const Parts parts;
  fs::create_directory(parts.whole() / "empty");
  CHECK(parts.refusal({parts.a(), parts.whole() / "empty"}) ==
        (parts.whole() / "empty").string() + ": neither an archive nor records are in there");
  CHECK(parts.refusal({parts.a(), parts.whole() / "none"}) ==
        (parts.whole() / "none").string() + ": no such experiment");
  const TemporaryDirectory other;
  TraceBuilder(1).call(0, "MPI_Probe", at(0), leave(5)).write(other.file("one"));
  CHECK(parts.refusal({other.file("one")}) ==
        other.file("one") + " is no part of an archive: it is all there is");
  write(parts.b() / "records/0.def", "process\t0\t1\t0\n");
  fs::remove(parts.b() / "traces.otf2");
  CHECK(parts.refusal(parts.all()) == "some of the directories hold archives, others records only");
}

TEST_CASE("an existing directory is not touched") {
  const Parts parts;
  write(parts.target() / "file", "mine");
  const auto result = trace::collect(parts.all(), parts.target());
  REQUIRE_FALSE(result.ok());
  CHECK(result.problem().what == parts.target().string() + " exists already");
  CHECK(content(parts.target() / "file") == "mine");
  CHECK_FALSE(fs::exists(parts.target() / "traces"));
}

TEST_CASE("a place where nothing can be made") {
  const Parts parts;
  const fs::path blocked = parts.a() / "scan.log" / "new";
  const auto result = trace::collect(parts.all(), blocked);
  REQUIRE_FALSE(result.ok());
  CHECK(result.problem().what == "cannot write " + blocked.string() + ": Not a directory");
  const fs::path long_name = parts.a() / std::string(300, 'x');
  CHECK(trace::collect(parts.all(), long_name).problem().what ==
        long_name.string() + ": File name too long");
}

TEST_CASE("what cannot be read is named") {
  const auto refused = [](const fs::path& name) {
    const Parts parts;
    fs::remove_all(parts.a() / name);
    fs::create_symlink(parts.a() / name, parts.a() / name);
    const auto text = parts.refusal(parts.all());
    const std::string begin = "cannot read " + (parts.a() / name).string() + ": ";
    CHECK(text.starts_with(begin));
    return text.substr(std::min(begin.size(), text.size()));
  };
  for (const char* name : {"traces.otf2", "traces.def", "traces", "traces/1.evt", "records"}) {
    CHECK(refused(name) == "Too many levels of symbolic links");
  }
}

TEST_CASE("holes in files are neither read nor written") {
  const Parts parts;
  constexpr std::uintmax_t kLong = std::uintmax_t{1} << 40;
  const auto last = parts.b() / "traces/3.evt";
  const auto before = content(last);
  fs::resize_file(last, kLong);
  for (const auto& part : parts.all()) fs::resize_file(part / "traces.def", kLong);
  REQUIRE(trace::collect(parts.all(), parts.target()).ok());
  CHECK(fs::file_size(parts.target() / "traces.def") == kLong);
  CHECK(fs::file_size(parts.target() / "traces/3.evt") == kLong);
  std::string begin(before.size(), '\0');
  std::ifstream(parts.target() / "traces/3.evt", std::ios::binary)
      .read(begin.data(), static_cast<std::streamsize>(begin.size()));
  CHECK(begin == before);
  // A difference behind a hole is seen.
  std::ofstream(parts.a() / "traces.def", std::ios::binary | std::ios::app) << "x";
  std::ofstream(parts.b() / "traces.def", std::ios::binary | std::ios::app) << "y";
  fs::remove_all(parts.target());
  CHECK(parts.refusal(parts.all()).find("their definitions differ") != std::string::npos);
}

TEST_CASE("the temporary name may belong to others") {
  const Parts parts;
  fs::path temporary = parts.target();
  temporary += ".part" + std::to_string(getpid());
  const fs::path theirs = parts.whole() / "theirs";
  write(theirs / "file", "theirs");
  fs::create_directories(temporary.parent_path());
  fs::create_directory_symlink(theirs, temporary);
  REQUIRE(trace::collect(parts.all(), parts.target()).ok());
  CHECK(fs::exists(parts.target() / "traces.otf2"));
  CHECK(fs::is_symlink(temporary));
  CHECK(std::distance(fs::directory_iterator(theirs), {}) == 1);
  // The same for a file.
  fs::remove(temporary);
  write(temporary, "theirs");
  fs::remove_all(parts.target());
  REQUIRE(trace::collect(parts.all(), parts.target()).ok());
  CHECK(content(temporary) == "theirs");
}

TEST_CASE("records are brought together where there is no archive") {
  const TemporaryDirectory t;
  const auto log = [](int rank, const std::string& run) {
    return "process\t" + std::to_string(rank) + "\t3\t0\nproperty\trun\t" + run + "\n";
  };
  const fs::path a = t.file("a"), b = t.file("b"), target = t.file("new");
  for (const int rank : {0, 2}) {
    write(a / "records" / (std::to_string(rank) + ".def"), log(rank, "77"));
    write(a / "records" / (std::to_string(rank) + ".0.rec"), "events");
  }
  const auto refusal = [&](const Paths& parts) {
    const auto result = trace::collect(parts, target);
    return result ? std::string() : result.problem().what;
  };
  write(b / "records/notes.txt", "");
  CHECK(refusal({a, b}) == b.string() + ": neither an archive nor records are in there");
  CHECK(refusal({a}) == "a part is missing: none of the directories holds the records of rank 1");
  write(b / "records/1.def", log(1, "78"));
  CHECK(refusal({a, b}) == a.string() + " and " + b.string() + " hold records of different runs");
  write(b / "records/1.def", "");  // killed before it wrote any line
  write(b / "records/0.0.rec", "other events");
  CHECK(refusal({a, b}) == a.string() + " and " + b.string() + " both hold the records of rank 0");
  fs::remove(b / "records/0.0.rec");
  const auto result = trace::collect({a, b}, target);
  REQUIRE(result.ok());
  CHECK(result->records);
  CHECK(result->ranks == 3);
  CHECK(content(target / "records/2.def") == log(2, "77"));
  CHECK(content(target / "records/0.0.rec") == "events");
  CHECK(fs::exists(target / "records/1.def"));
  CHECK_FALSE(fs::exists(target / "records/notes.txt"));
}

TEST_CASE("a log without an end is read at its beginning only") {
  const TemporaryDirectory t;
  const fs::path log = fs::path(t.file("a")) / "records/0.def";
  write(log, "process\t0\t2\t0\n");
  fs::resize_file(log, std::uintmax_t{1} << 40);
  const auto result = trace::collect({t.file("a")}, t.file("new"));
  REQUIRE_FALSE(result.ok());
  CHECK(result.problem().what ==
        "a part is missing: none of the directories holds the records of rank 1");
}

TEST_CASE("properties of an anchor are changed in both byte orders, the rest stays") {
  const auto big_endian = GENERATE(false, true);
  std::string head(46, 'h');
  head[1] = big_endian ? '#' : 'B';
  head[7] = 2;
  const auto anchor = [&](int count, const std::string& properties) {
    std::string bytes(4, '\0');
    bytes[big_endian ? 3 : 0] = static_cast<char>(count);
    std::string zeros = head + "machine|creator||" + bytes + properties + "rest";
    std::ranges::replace(zeros, '|', '\0');
    return zeros;
  };
  const std::string before = anchor(3, "a|1|bb|two|c||");
  CHECK(trace::with_properties(before, {}) == before);
  CHECK(trace::with_properties(before, {{"bb", "2"}}) == anchor(3, "a|1|bb|2|c||"));
  CHECK(trace::with_properties(before, {{"a", std::nullopt}, {"c", "x"}, {"d", "y"}}) ==
        anchor(2, "bb|two|c|x|"));
}
