// SPDX-License-Identifier: BSD-3-Clause
// Records of threads in memory, converted to text. The session is told that it runs, though there
// is no MPI.
#include "tests/openmp/recorded_teams.hpp"

#include <catch2/catch.hpp>
#include <condition_variable>
#include <cstdlib>
#include <map>
#include <mutex>
#include <thread>

#include "tests/support/temporary_directory.hpp"
#include "tracer/record/extended.hpp"
#include "tracer/record/reader.hpp"
#include "tracer/session/process/session.hpp"

namespace latecomer::test {
namespace {

// Records have neither call paths nor samples.
[[gnu::constructor]] void set_up() {
  setenv("LATECOMER_CALLPATH", "0", 1);
  setenv("LATECOMER_SAMPLE", "off", 1);
}

std::map<std::uint64_t, std::string> region_names() {
  static const TemporaryDirectory directory;
  static const int moved = process().session.definitions.move_to(directory.file("log"));
  REQUIRE(moved == 0);
  const auto bytes = read_file(directory.file("log"));
  const auto all =
      record::parse_definitions({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  REQUIRE(all.bad_lines.empty());
  const std::string directive = "!$omp ";
  std::map<std::uint64_t, std::string> names;
  for (const auto& region : all.regions) {
    names[region.id] =
        region.name.starts_with(directive) ? region.name.substr(directive.size()) : region.name;
  }
  return names;
}

std::string number_of(const record::Record& r) { return std::to_string(r.words[0] >> 32); }

std::string text_of(const std::vector<std::byte>& bytes,
                    const std::map<std::uint64_t, std::string>& names) {
  auto reader = record::RecordReader::over(bytes);
  REQUIRE(reader.ok());
  std::string text;
  for (record::Record r; reader->next(r);) {
    const auto known = names.find(r.id);
    const std::string name = known != names.end() ? known->second : "?";
    if (r.kind == record::Kind::kEnter) text += "(" + name + " ";
    if (r.kind == record::Kind::kLeave) text += name + ") ";
    if (r.kind != record::Kind::kExtended) continue;
    const record::ExtendedKind kind = r.extended();
    if (kind == record::kFork) text += "fork ";
    if (kind == record::kTeamBegun) {
      if (record::maker_word(r.words[1]).forks) text += "fork ";
      text += r.words[1] != 0 ? "begun! " : "begun ";
    }
    if (kind == record::kTeamArrived) text += "arrived ";
    if (kind == record::kTaskAwaited) text += "awaited ";
    if (kind == record::kLockAcquired) text += "got:" + number_of(r) + " ";
    if (kind == record::kLockReleased) text += "rel:" + number_of(r) + " ";
  }
  return text;
}

}  // namespace

std::vector<std::string> recorded(std::size_t threads, const std::vector<Step>& steps) {
  using session::detail::Phase;
  std::vector<session::ThreadWriter*> writers(threads);
  std::mutex mutex;
  std::condition_variable changed;
  std::size_t ready = 0, next = 0;
  std::vector<std::thread> all;
  for (std::size_t i = 0; i < threads; ++i) {
    all.emplace_back([&, i] {
      std::unique_lock lock(mutex);
      writers[i] = session::writer();
      ++ready;
      changed.notify_all();
      changed.wait(lock, [&] { return ready > threads; });
      while (next < steps.size()) {
        if (steps[next].thread != i) {
          changed.wait(lock);
          continue;
        }
        steps[next++].work();
        changed.notify_all();
      }
      // A thread that ends while the session runs would look for a directory.
      changed.wait(lock, [&] { return process().session.phase.load() == Phase::kEarly; });
    });
  }
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return ready == threads; });
    process().openmp.is_recorded.store(true);
    process().session.phase.store(Phase::kRunning);
    ++ready;
  }
  changed.notify_all();
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return next == steps.size(); });
    process().session.phase.store(Phase::kEarly);
  }
  changed.notify_all();
  for (auto& thread : all) thread.join();
  std::vector<std::string> texts;
  const auto names = region_names();
  for (session::ThreadWriter* const w : writers) {
    const TemporaryDirectory directory;
    REQUIRE(w->save_to(directory.file("a"), 0) == 0);
    texts.push_back(text_of(read_file(directory.file("a")), names));
  }
  return texts;
}

}  // namespace latecomer::test
