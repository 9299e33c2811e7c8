// SPDX-License-Identifier: BSD-3-Clause
// Windows and ranks of timelines, and the bytes of Perfetto's format.
#include <catch2/catch.hpp>

#include "analyzer/scenes/perfetto.hpp"
#include "analyzer/scenes/timeline.hpp"

using namespace latecomer::replay;

TEST_CASE("lists of ranks") {
  TimelineOptions options;
  REQUIRE(read_ranks("0-7,12", options));
  REQUIRE(options.ranks.size() == 2);
  CHECK(options.ranks[0] == std::pair(0U, 7U));
  CHECK(options.ranks[1] == std::pair(12U, 12U));
  for (const char* wrong : {"", "x", "1-", "-1", "3-1", "1,", "1;2", "1 2", "99999999999"}) {
    INFO(wrong);
    CHECK_FALSE(read_ranks(wrong, options));
  }
}

TEST_CASE("times of a window") {
  double seconds = 0;
  REQUIRE(read_seconds("1.5", seconds));
  CHECK(seconds == 1.5);
  REQUIRE(read_seconds("200ms", seconds));
  CHECK(seconds == Approx(0.2));
  REQUIRE(read_seconds("2min", seconds));
  CHECK(seconds == 120);
  for (const char* wrong : {"", "s", "-1s", "1.5 s", "1h2", "inf", "nan"}) {
    INFO(wrong);
    CHECK_FALSE(read_seconds(wrong, seconds));
  }
}

TEST_CASE("messages of protocol buffers") {
  using perfetto::Message;
  // Field 1, varint 150: the example of the encoding's documentation.
  CHECK(Message().number(1, 150).bytes() == "\x08\x96\x01");
  CHECK(Message().text(2, "testing").bytes() == "\x12\x07testing");
  CHECK(Message().message(3, Message().number(1, 150)).bytes() == "\x1a\x03\x08\x96\x01");
  CHECK(Message().fixed(47, 1).bytes() == std::string("\xf9\x02\x01\0\0\0\0\0\0\0", 10));
  // -1 as int64 takes ten bytes.
  CHECK(Message().number(4, ~std::uint64_t{0}).bytes().size() == 11);
}

TEST_CASE("a name is written once per sequence") {
  perfetto::Sequence sequence(7);
  sequence.begin(1, 10, "MPI_Send");
  sequence.end(1, 20);
  sequence.begin(1, 30, "MPI_Send");
  const auto bytes = sequence.take();
  CHECK(bytes.find("MPI_Send") != std::string::npos);
  CHECK(bytes.find("MPI_Send") == bytes.rfind("MPI_Send"));
}
