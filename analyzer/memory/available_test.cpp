// SPDX-License-Identifier: BSD-3-Clause
// Available memory of the machine, and of the control groups that batch systems make.
#include "analyzer/memory/available.hpp"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdint>
#include <fstream>
#include <string>

using namespace latecomer;
namespace fs = std::filesystem;

namespace {

// A simulated machine that consists of files.
class Machine {
 public:
  Machine() {
    std::string name = (fs::temp_directory_path() / "latecomer_available_XXXXXX").string();
    root_ = mkdtemp(name.data());
  }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  ~Machine() { fs::remove_all(root_); }
  void write(const std::string& file, const std::string& text) const {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }
  [[nodiscard]] std::uint64_t available() const {
    return memory::available(root_ / "proc", root_ / "cgroup");
  }

 private:
  fs::path root_;
};

}  // namespace

TEST_CASE("without any information there is no limit") {
  CHECK(Machine().available() == UINT64_MAX);
}

TEST_CASE("what the machine has available") {
  Machine machine;
  machine.write("proc/meminfo", "MemTotal:  100 kB\nMemFree: 10 kB\nMemAvailable:   70 kB\n");
  CHECK(machine.available() == 70 * 1024);
}

TEST_CASE("control groups of version 2: the narrowest of all groups above") {
  Machine machine;
  machine.write("proc/meminfo", "MemAvailable: 1000000 kB\n");
  machine.write("proc/self/cgroup", "0::/slurm/job_7/step\n");
  machine.write("cgroup/slurm/job_7/step/memory.max", "max\n");
  machine.write("cgroup/slurm/job_7/memory.max", "5000000\n");
  machine.write("cgroup/slurm/job_7/memory.stat", "file 4000000\nanon 1000000\n");
  machine.write("cgroup/slurm/memory.max", "7000000\n");
  machine.write("cgroup/slurm/memory.stat", "anon 6500000\n");
  // job: 5,000,000 - 1,000,000, page cache counts as free; above it: 7,000,000 - 6,500,000
  CHECK(machine.available() == 500'000);
}

TEST_CASE("control groups of version 1, on the host and in a container") {
  Machine machine;
  machine.write("proc/meminfo", "MemAvailable: 1000000 kB\n");
  machine.write("proc/self/cgroup", "5:cpu,cpuacct:/a\n4:memory:/a/b\n0::/\n");
  const std::string stat = "cache 1\nhierarchical_memory_limit 3000\ntotal_rss 1000\n";
  machine.write("cgroup/memory/memory.stat", stat);
  CHECK(machine.available() == 2000);  // the path is that of the host
  machine.write("cgroup/memory/a/b/memory.stat",
                "hierarchical_memory_limit 2500\ntotal_rss 1000\n");
  CHECK(machine.available() == 1500);
  machine.write("cgroup/memory/a/b/memory.stat", "hierarchical_memory_limit 900\ntotal_rss 1000\n");
  CHECK(machine.available() == 0);
}
