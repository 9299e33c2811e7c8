// SPDX-License-Identifier: BSD-3-Clause
// Calls on streams do the same whether they are recorded or not. The bytes of their records are
// those that went to the file or came from it.
#include <catch2/catch.hpp>
#include <cstdio>
#include <numeric>
#include <sstream>

#include "tests/files/probe.hpp"
#include "tests/files/recorded_files.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace latecomer::test;
using Lines = std::vector<std::string>;

namespace {

std::string contents(const std::string& path) {
  const auto bytes = read_file(path);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Sum of the bytes in lines such as "wrote NAME 10 of 10".
long sum(const Lines& lines, const std::string& what) {
  long bytes = 0;
  for (const std::string& line : lines) {
    if (line.starts_with(what + " ")) bytes += std::stol(line.substr(what.size()));
  }
  return bytes;
}

}  // namespace

TEST_CASE("streams: results, errno and files are the same with and without records") {
  const TemporaryDirectory plain, recorded;
  const probe::Outcomes expected = probe::call_streams(plain.file("."));
  probe::Outcomes found;
  const Lines lines = recorded_calls([&] { found = probe::call_streams(recorded.file(".")); });
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    INFO(found[i].call);
    CHECK(found[i] == expected[i]);
  }
  for (const char* name : {"stream", "stdout"}) {
    CHECK(contents(recorded.file(name)) == contents(plain.file(name)));
  }
  const auto size = static_cast<long>(contents(recorded.file("stream")).size());
  CHECK(sum(lines, "wrote stream") == size);
  CHECK(sum(lines, "wrote stdout") == static_cast<long>(contents(recorded.file("stdout")).size()));
  CHECK(std::ranges::count(lines, "enter fopen") == 2);
  CHECK(std::ranges::count(lines, "enter freopen") == 2);
  CHECK(std::ranges::count(lines, "enter fclose") == 2);
  CHECK(last_uncounted().in_memory > 20);
  CHECK(last_uncounted().left_out == 0);
}

TEST_CASE("streams: only calls that reach the file are recorded") {
  const TemporaryDirectory directory;
  Lines lines = recorded_calls([&] {
    FILE* stream = nullptr;
    probe::run([&] { stream = std::fopen(directory.file("a").c_str(), "w"); });
    probe::print_lines(stream, 100'000);
    probe::run([&] { std::fclose(stream); });
  });
  const auto size = static_cast<long>(contents(directory.file("a")).size());
  CHECK(size == 1'088'890);
  CHECK(sum(lines, "wrote a") + size % 4096 == size);
  const auto calls = std::ranges::count(lines, "enter fprintf");
  CHECK(calls == size / 4096);
  CHECK(last_uncounted().in_memory == 100'000 - static_cast<std::uint64_t>(calls));
}

TEST_CASE("streams without a file are not recorded") {
  char memory[4096];
  CHECK(recorded_calls([&] {
          FILE* const stream = fmemopen(memory, sizeof memory, "w");
          probe::print_lines(stream, 10);
          std::fclose(stream);
        }).empty());
}
