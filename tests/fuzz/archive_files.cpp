// SPDX-License-Identifier: BSD-3-Clause
// Archives as seeds, and changes of their records.
#include "tests/fuzz/archive_files.hpp"

#include <algorithm>

#include "analyzer/trace/definitions/otf2_records.hpp"
#include "tests/support/trace_builder.hpp"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace latecomer::fuzz {
namespace {

using namespace test;

TraceBuilder messages() {
  TraceBuilder t(3);
  t.metahost(7, "bonn", {0, 1}).metahost(9, "juelich", {2}).node("a", {0, 1}).node("b", {2});
  t.property("LATECOMER::VERSION", "1")
      .property("LATECOMER::PARTIAL", "true")
      .property("LATECOMER::PARTS", "2");
  for (const double time : {0.5, 99.0})
    t.clock_offset(0, time, 0).clock_offset(2, time, 250'000'000);
  const Comm pair = t.communicator({1, 2}, "pair"),
             between = t.intercommunicator({0}, {1, 2}, "between");
  for (int rank = 0; rank < 3; ++rank) t.program_begin(rank, at(0.6));
  t.init({{1, 2}, {1, 2}, {1, 2}}).enter_all("solve", at(3));
  for (double now = 4; now < 40; now += 6) {
    t.isend(0, at(now), leave(now + 0.1), to(1), tag(3), bytes(100), req(1));
    t.recv(1, at(now), leave(now + 1), from(0), tag(3), bytes(100))
        .wait(0, at(now + 0.5), leave(now + 1), req(1));
    t.send(2, at(now), to(0), on(pair), bytes(1 << 20))
        .recv(1, at(now + 2), leave(now + 3), from(1), on(pair));
    t.collective("MPI_Allreduce", {{now + 3, now + 5}, {now + 4, now + 5}, {now + 3.5, now + 5}},
                 bytes(8));
  }
  t.collective("MPI_Bcast", {{50, 51}, {50.5, 51}, {49, 51}}, root(0), bytes(10));
  t.collective("MPI_Barrier", {{52, 53}, {52.5, 53}}, on(pair));
  for (int rank = 0; rank < 3; ++rank) {
    t.collective(rank, "MPI_Alltoall", at(54), leave(55), on(between), bytes(4));
  }
  t.leave_all(at(60)).finalize({{61, 63}, {62, 63}, {61, 63}});
  return t;
}

// Writes a record whose arguments are all zero.
template <typename... Arguments>
void write(OTF2_ErrorCode (*record)(OTF2_EvtWriter*, OTF2_AttributeList*, OTF2_TimeStamp,
                                    Arguments...),
           OTF2_EvtWriter* out, OTF2_TimeStamp time) {
  OTF2_AttributeList* attributes = OTF2_AttributeList_New();
  OTF2_AttributeList_AddUint64(attributes, 3, 1234567);
  record(out, attributes, time, Arguments{}...);
  OTF2_AttributeList_Delete(attributes);
}

TraceBuilder all_records() {
  TraceBuilder t(2);
  const Window window = t.window();
  const File file = t.file();
  t.window_call("MPI_Win_fence", window, {{1, 2}, {1, 2}});
  t.transfer(0, "MPI_Put", window, at(3), leave(4), to(1), bytes(100));
  t.window_call("MPI_Win_fence", window, {{5, 7}, {6, 7}});
  t.lock(1, window, at(8), leave(9), to(0)).unlock(1, window, at(10), leave(11), to(0));
  t.file_call("MPI_File_open", file, {{12, 13}, {12, 13}});
  t.file_call("MPI_File_write_all", file, {{14, 16}, {15, 16}});
  t.file_call("MPI_File_close", file, {{17, 18}, {17, 18}});
  t.send_init(0, at(19), to(1), req(5)).start(0, at(20), req(5)).wait(0, at(21), leave(22), req(5));
  t.recv(1, at(20), leave(23), from(0));
  t.call({0, 1}, "work", at(20), leave(30)).flush(1, at(30), 31);
  double now = 40;
#define LATECOMER_WRITE(name)                                               \
  t.raw(0, at(now += 0.001), [](OTF2_EvtWriter* out, OTF2_TimeStamp time) { \
    write(OTF2_EvtWriter_##name, out, time);                                \
  });
  LATECOMER_RECORDS(LATECOMER_WRITE)
#undef LATECOMER_WRITE
  t.call(0, "end", at(50)).unknown_record(1, at(51));
  return t;
}

struct Record {
  std::size_t from, to;
};

// Records as far as they can be told apart: a type, a length, and that many bytes. Only events have
// time stamps.
std::vector<Record> records_of(const Bytes& bytes, bool events) {
  constexpr std::uint8_t kChunkHeader = 3, kTimeStamp = 5;
  std::vector<Record> records;
  for (std::size_t at = 0; at + 1 < bytes.size();) {
    const std::uint8_t type = bytes[at], length = bytes[at + 1];
    const std::size_t size = type == kChunkHeader           ? 18
                             : events && type == kTimeStamp ? 9
                             : type < kTimeStamp            ? 1
                                                            : 2 + length;
    const std::size_t end = std::min(bytes.size(), at + size);
    records.push_back({at, end});
    at = end;
  }
  return records;
}

}  // namespace

Files archive_files(Archive which) {
  const Directory directory;
  (which == Archive::kMessages ? messages() : all_records()).write(directory.path() / "archive");
  return files_in(directory.path() / "archive");
}

void mutate_records(Bytes& bytes, Random& random, bool events) {
  const auto records = records_of(bytes, events);
  if (records.size() < 2) return mutate_bytes(bytes, random);
  using Offset = std::ptrdiff_t;
  // The header of the first chunk is rarely changed: otherwise nothing would be read.
  const Record record = records[random.one_in(50) ? 0 : 1 + random.below(records.size() - 1)];
  const Bytes copy(bytes.begin() + static_cast<Offset>(record.from),
                   bytes.begin() + static_cast<Offset>(record.to));
  const auto erase = [&] {
    bytes.erase(bytes.begin() + static_cast<Offset>(record.from),
                bytes.begin() + static_cast<Offset>(record.to));
  };
  const auto insert = [&](std::size_t at) {
    bytes.insert(bytes.begin() + static_cast<Offset>(std::min(at, bytes.size())), copy.begin(),
                 copy.end());
  };
  const std::size_t elsewhere = random.one_of(records).from;
  const std::size_t inside = record.from + random.below(record.to - record.from);
  switch (random.below(8)) {
    case 0:
      erase();
      break;
    case 1:
      insert(elsewhere);
      break;
    case 2:
      erase();
      insert(elsewhere);
      break;
    case 3:
      bytes[record.from] =
          random.one_in(2) ? bytes[elsewhere] : static_cast<std::uint8_t>(random.number());
      break;
    case 4: {  // a number: its size in bytes, and the bytes
      const std::uint64_t value = random.interesting();
      const std::size_t size = std::min<std::size_t>(bytes[inside], 8);
      for (std::size_t i = 1; i <= size && inside + i < bytes.size(); ++i) {
        bytes[inside + i] = static_cast<std::uint8_t>(value >> (8 * (i - 1)));
      }
      break;
    }
    case 5: {  // a number of another size: the rest moves, the length fits
      if (record.to - record.from < 3) break;
      const std::size_t at = std::max(inside, record.from + 2);
      const std::size_t had = std::min<std::size_t>(bytes[at], record.to - at - 1),
                        has = random.below(9);
      Bytes number(1, static_cast<std::uint8_t>(has));
      for (std::size_t i = 0; i < has; ++i)
        number.push_back(static_cast<std::uint8_t>(random.number()));
      bytes.erase(bytes.begin() + static_cast<Offset>(at),
                  bytes.begin() + static_cast<Offset>(at + 1 + had));
      bytes.insert(bytes.begin() + static_cast<Offset>(at), number.begin(), number.end());
      bytes[record.from + 1] = static_cast<std::uint8_t>(bytes[record.from + 1] + has - had);
      break;
    }
    case 6:
      bytes[inside] = static_cast<std::uint8_t>(random.interesting());
      break;
    default:
      mutate_bytes(bytes, random);
  }
}

void mutate_archive_file(const std::string& name, Bytes& bytes, Random& random) {
  const bool events = name.ends_with(".evt");
  if (events || name.ends_with(".def")) {
    mutate_records(bytes, random, events);
  } else {
    mutate_bytes(bytes, random);
  }
}

}  // namespace latecomer::fuzz
