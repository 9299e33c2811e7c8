// SPDX-License-Identifier: BSD-3-Clause
// Synthetic records of a run, as its processes would have left them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "tests/support/temporary_directory.hpp"
#include "tracer/record/definition_lines.hpp"
#include "tracer/record/writer.hpp"

namespace latecomer::test {

inline void write_file(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

// Records and logs that a test writes. Ticks are nanoseconds.
class Experiment {
 public:
  explicit Experiment(std::uint32_t size = 1)
      : own_(std::in_place), directory_(own_->file("experiment")), size_(size) {
    std::filesystem::create_directories(directory_ / "records");
  }
  // Uses a directory that other processes use, too.
  Experiment(std::uint32_t size, std::filesystem::path directory)
      : directory_(std::move(directory)), size_(size) {
    std::filesystem::create_directories(directory_ / "records");
  }

  [[nodiscard]] std::uint32_t size() const { return size_; }
  [[nodiscard]] std::string path() const { return directory_.string(); }
  [[nodiscard]] std::string record_file(std::uint32_t rank, std::uint32_t thread = 0) const {
    return path() + "/records/" + std::to_string(rank) + "." + std::to_string(thread) + ".rec";
  }
  [[nodiscard]] std::string log_file(std::uint32_t rank) const {
    return path() + "/records/" + std::to_string(rank) + ".def";
  }

  // The writer of a thread. The first call makes its file and, for a process, the usual log.
  record::ThreadWriter& thread(std::uint32_t rank, std::uint32_t thread = 0) {
    auto& writer = writers_[{rank, thread}];
    if (writer == nullptr) {
      if (!logs_.contains(rank)) begin_log(rank);
      writer = std::make_unique<record::ThreadWriter>(thread, 4096, 0);
      writer->move_to(record_file(rank, thread), rank);
      if (thread != 0)
        add(rank, record::ThreadDefinition{thread, "Thread " + std::to_string(thread)});
    }
    return *writer;
  }

  // The writer of a location that is no thread. Without a name, its line is not in the log.
  record::ThreadWriter& location(std::uint32_t rank, std::uint32_t number,
                                 record::LocationKind kind, const std::string& name = "",
                                 const std::string& device = "") {
    auto& writer = writers_[{rank, number}];
    writer = std::make_unique<record::ThreadWriter>(number, 4096, 0);
    writer->set_kind(kind);
    writer->move_to(record_file(rank, number), rank);
    if (!name.empty()) add(rank, record::LocationDefinition{number, kind, name, device});
    return *writer;
  }

  template <typename Definition>
  void add(std::uint32_t rank, const Definition& definition) {
    logs_[rank] += record::to_line(definition);
  }
  void add_line(std::uint32_t rank, const std::string& line) { logs_[rank] += line; }

  // Begins a log with communicators 0 (world) and 1 (self), as the wrappers define them.
  void begin_log(std::uint32_t rank, const std::string& node = "node", std::int64_t metahost = 0,
                 const std::string& metahost_name = "machine") {
    logs_[rank].clear();
    add(rank, record::ProcessDefinition{rank, size_, 0});
    add(rank, record::NodeDefinition{node, "host"});
    add(rank, record::MetahostDefinition{metahost, metahost_name});
    add(rank, record::ProgramDefinition{"/bin/app", {"-x", "7"}});
    add(rank, record::ClockDefinition{"monotonic", 0, 0, 1.0});
    add(rank, record::CommDefinition{0, "world", 0, 0, {}, {}, {}});
    add(rank, record::CommDefinition{1, "self", rank, 1, {}, {}, {}});
  }

  // A measurement, in the log of the process that was measured.
  void add_measurement(const std::string& text) {
    const auto m = sync::parse_measurement(text).value();
    add(m.child, m);
  }

  // Closes all files, after the processes have reached MPI_Finalize.
  void finish() {
    for (auto& [rank, log] : logs_) log += record::end_line();
    stop();
  }
  // Closes all files as if the processes had been killed.
  void stop() {
    for (auto& [key, writer] : writers_) writer->close();
    for (const auto& [rank, log] : logs_) {
      std::ofstream(log_file(rank), std::ios::binary | std::ios::trunc) << log;
    }
  }

 private:
  std::optional<TemporaryDirectory> own_;
  std::filesystem::path directory_;
  std::uint32_t size_;
  std::map<std::uint32_t, std::string> logs_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::unique_ptr<record::ThreadWriter>> writers_;
};

}  // namespace latecomer::test
