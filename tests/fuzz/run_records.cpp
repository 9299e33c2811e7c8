// SPDX-License-Identifier: BSD-3-Clause
// Records of a run as seeds, and changes of their words.
#include "tests/fuzz/run_records.hpp"

#include <cstring>

#include "tests/convert/experiment.hpp"
#include "tracer/record/format.hpp"

namespace latecomer::fuzz {
namespace {

using namespace std::string_view_literals;

constexpr std::uint32_t kFunction = 4096;

// Records some operations of each kind.
void play(test::Experiment& run, std::uint32_t rank) {
  auto& thread = run.thread(rank);
  const std::vector<std::uint32_t> both = {0, 1};
  run.add(rank, record::CommDefinition{
                    2, "intra", 0, 2, 0, rank == 0 ? both : std::vector<std::uint32_t>{}, {}});
  run.add(rank, record::RegionDefinition{kFunction, "user", "function", "f", "", "f.c", 1, 2});
  thread.program_begin(1);
  for (std::uint64_t i = 1; i < 12; ++i) {
    const std::uint64_t t = 100 * i;
    thread.enter(kFunction, t);
    thread.send({2, 1, 3, i}, t + 1);
    thread.irecv_request(i, t + 2);
    thread.isend({0, 1, 3, i}, i, t + 3);
    thread.isend_complete(i, t + 4);
    thread.irecv({0, 1, 3, i}, i, t + 5);
    thread.collective_begin(t + 6);
    thread.comm_create(2, t + 6);
    thread.collective_end({0, 17, record::kRootNone, 0, 0}, t + 7);
    thread.nonblocking_request(i, t + 8);
    thread.nonblocking_complete({2, 1, 0, i, i}, i, t + 9);
    thread.measurement(i % 2 == 0, t + 10);
    const std::vector<std::uint64_t> words(i, kFunction);
    thread.extended({record::Family::kMadeUp, static_cast<std::uint8_t>(0x7a + i)}, t + 10, words);
    thread.leave(kFunction, t + 11);
  }
  auto& device = run.location(rank, 2, record::LocationKind::kDevice, "stream", "GPU");
  device.enter(kFunction, 500);
  device.leave(kFunction, 700);
  auto& second = run.thread(rank, 1);
  second.enter(kFunction, 500);
  second.leave(kFunction, 900);
  thread.program_end(10'000);
}

}  // namespace

Files run_records() {
  const Directory directory;
  test::Experiment run(2, directory.path());
  for (std::uint32_t rank = 0; rank < 2; ++rank) play(run, rank);
  run.finish();
  return files_in(directory.path());
}

void mutate_record_file(const std::string& name, Bytes& bytes, Random& random) {
  constexpr std::string_view kWords[] = {
      "comm"sv, "region"sv, "0"sv,     "1"sv,    "-1"sv,    "4294967295"sv, "\n"sv, " "sv,
      "\t"sv,   "%41"sv,    "world"sv, "self"sv, "intra"sv, "monotonic"sv,  "end"sv};
  if (name.ends_with(".def")) return mutate_text(bytes, random, kWords);
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  if (bytes.size() < record::kHeaderBytes + 2 * kWord || random.one_in(4))
    return mutate_bytes(bytes, random);
  // The file has few records after its header, and then many zeros.
  std::size_t used = bytes.size();
  while (used > record::kHeaderBytes + kWord && bytes[used - 1] == 0) --used;
  const std::size_t words = (used - record::kHeaderBytes) / kWord;
  std::uint8_t* const at = bytes.data() + record::kHeaderBytes + random.below(words) * kWord;
  std::uint64_t value;
  switch (random.below(5)) {
    case 0:  // a word of the header
      value = random.interesting();
      std::memcpy(bytes.data() + random.below(sizeof(record::FileHeader) / kWord) * kWord, &value,
                  kWord);
      return;
    case 1:  // another kind
      *at = static_cast<std::uint8_t>((*at & 0xc0U) | random.below(64));
      return;
    case 2:
      value = random.interesting();
      break;
    case 3:  // a record that exists
      std::memcpy(&value, bytes.data() + record::kHeaderBytes + random.below(words) * kWord, kWord);
      break;
    default:
      value = random.below(64) | random.below(20) << record::kKindBits |
              random.below(200) << record::kTimeShift;
  }
  std::memcpy(at, &value, kWord);
}

}  // namespace latecomer::fuzz
