// SPDX-License-Identifier: BSD-3-Clause
// Follows the records of a run to its end, and prints how many each thread has.
//   follow_run EXPERIMENT FILES LOGS [late]
// FILES and LOGS are the numbers of record files and definition logs of the run. late: reads no
// record before all logs are complete.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <thread>

#include "tracer/follow/definition_follower.hpp"
#include "tracer/follow/record_follower.hpp"

using namespace latecomer;
namespace fs = std::filesystem;

namespace {

struct Thread {
  follow::RecordFollower records;
  std::uintmax_t first_size = 0;
};

class Run {
 public:
  Run(const std::string& experiment, bool late) : records_(experiment + "/records"), late_(late) {}

  void poll() {
    std::error_code error;
    for (fs::directory_iterator at(records_, error), end; !error && at != end;
         at.increment(error)) {
      const std::string path = at->path().string(), name = at->path().filename().string();
      if (name.ends_with(".def") && !logs_.contains(name)) {
        auto opened = follow::DefinitionFollower::open(path);
        if (opened) logs_.emplace(name, std::move(*opened));
      } else if (name.ends_with(".rec") && !threads_.contains(name)) {
        auto opened = follow::RecordFollower::open(path);
        if (opened) threads_.emplace(name, Thread{std::move(*opened), fs::file_size(path, error)});
      }
    }
    for (auto& [name, log] : logs_) {
      const auto batch = log.poll();
      complete_ += batch.definitions.complete ? 1 : 0;
      bad_lines_ += batch.definitions.bad_lines.size();
    }
    if (late_ && complete_ < logs_.size()) return;
    for (auto& [name, thread] : threads_) {
      while (thread.records.poll([](const record::Record&) {}).more) {
      }
    }
  }

  [[nodiscard]] bool ended(std::size_t files, std::size_t logs) const {
    return complete_ >= logs && threads_.size() >= files &&
           std::ranges::all_of(threads_, [](const auto& t) { return t.second.records.ended(); });
  }

  void print() const {
    for (const auto& [name, thread] : threads_) {
      std::error_code error;
      std::printf("%s seen=%llu lost=%llu damages=%llu first_size=%llu last_size=%llu\n",
                  name.c_str(), static_cast<unsigned long long>(thread.records.seen_records()),
                  static_cast<unsigned long long>(thread.records.lost_records()),
                  static_cast<unsigned long long>(thread.records.damages()),
                  static_cast<unsigned long long>(thread.first_size),
                  static_cast<unsigned long long>(fs::file_size(records_ + '/' + name, error)));
    }
    std::printf("logs complete=%zu bad_lines=%zu\n", complete_, bad_lines_);
  }

 private:
  std::string records_;
  bool late_;
  std::map<std::string, Thread> threads_;
  std::map<std::string, follow::DefinitionFollower> logs_;
  std::size_t complete_ = 0, bad_lines_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  Run run(argv[1], argc > 4 && std::strcmp(argv[4], "late") == 0);
  const auto files = std::strtoul(argv[2], nullptr, 10), logs = std::strtoul(argv[3], nullptr, 10);
  const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  for (;;) {
    run.poll();
    if (run.ended(files, logs)) break;
    if (std::chrono::steady_clock::now() > until) {
      run.print();
      return 1;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  run.print();
  return 0;
}
