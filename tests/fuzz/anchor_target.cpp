// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: the anchor file of an archive, traces.otf2, with intact other files.
#include "analyzer/inspect/read_archive_info.hpp"
#include "analyzer/trace/archive_reader.hpp"
#include "analyzer/trace/definitions/anchor_properties.hpp"
#include "archive/otf2/anchor_check.hpp"
#include "tests/fuzz/archive_files.hpp"
#include "tests/fuzz/target.hpp"

namespace latecomer::fuzz {
namespace {

constexpr const char* kAnchor = "traces.otf2";

const Files& good() {
  static const Files files = archive_files(Archive::kMessages);
  return files;
}

const Directory& place() {
  static const Directory directory;
  static const bool filled = (directory.fill(good()), true);
  static_cast<void>(filled);
  return directory;
}

}  // namespace

void run(std::span<const std::uint8_t> input) {
  place().put(kAnchor, input);
  const auto path = place().path();
  if (otf2::check_anchor(path / kAnchor)) {
    static_cast<void>(trace::with_properties(
        text_of(input), {{"LATECOMER::PARTIAL", "false"}, {"LATECOMER::PARTS", {}}}));
    static_cast<void>(trace::with_trace_id(text_of(input), 1));
  }
  const auto info = cli::read_archive_info(path);
  must(info.ok() || !info.problem().what.empty(), "a problem has words");
}

std::vector<Bytes> seeds() {
  return {good().at(kAnchor), archive_files(Archive::kAllRecords).at(kAnchor)};
}

void mutate(Bytes& input, Random& random) {
  // anchor_check.cpp has the layout: numbers of one to eight bytes, then texts.
  if (input.size() > 60 && random.one_in(2)) {
    input[random.below(60)] = static_cast<std::uint8_t>(random.interesting());
  } else {
    mutate_bytes(input, random);
  }
}

}  // namespace latecomer::fuzz
