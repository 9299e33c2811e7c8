// SPDX-License-Identifier: BSD-3-Clause
// Reading all records of a file, and writing streaks of unsuccessful tests.
#pragma once

#include <catch2/catch.hpp>
#include <cstddef>
#include <vector>

#include "tracer/record/reader.hpp"
#include "tracer/record/writer.hpp"

namespace latecomer::test {

inline std::vector<record::Record> read_records(const std::vector<std::byte>& bytes) {
  auto reader = record::RecordReader::over(bytes);
  REQUIRE(reader.ok());
  std::vector<record::Record> all;
  for (record::Record r; reader->next(r);) all.push_back(r);
  CHECK(reader->damages().empty());
  return all;
}

inline record::FileHeader read_header(const std::vector<std::byte>& bytes) {
  return record::RecordReader::over(bytes)->header();
}

inline std::uint64_t calls_of(const record::Record& r) { return r.words[0] & record::kMostPolls; }
inline std::uint64_t time_of(const record::Record& r) {
  return r.words[0] >> record::kPollCountBits;
}

struct Polling {
  void test(record::RegionId region, record::Ticks begin, record::Ticks end) {
    w.enter(region, begin);
    w.leave_unsuccessful(region, end);
  }
  record::ThreadWriter& w;
};

}  // namespace latecomer::test
