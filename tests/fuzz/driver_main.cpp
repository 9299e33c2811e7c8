// SPDX-License-Identifier: BSD-3-Clause
// Runs a target without libFuzzer: first kept inputs, then a number of inputs made from its seeds.
//
//   fuzz_TARGET [--inputs N] [--first N] [FILE or DIRECTORY...]
//
// Input i is the same on every machine. A child process runs the inputs. When it dies, the parent
// makes the input again, stores it in a file, and continues after it with a new child.
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/fuzz/target.hpp"

namespace {

namespace fs = std::filesystem;
using namespace latecomer::fuzz;

constexpr int kProcessorSeconds = 20;  // for one input, which usually takes a millisecond
constexpr int kMostFinds = 5;

// No input of some kB needs this much memory. Sanitizers reserve more.
#ifndef LATECOMER_SANITIZED
constexpr rlim_t kMemory = rlim_t{1} << 30;
#endif

// The files of the targets are in memory if there is room. They are removed, even those of a child
// that died.
class Scratch {
 public:
  Scratch() {
    std::error_code error;
    const fs::path memory = "/dev/shm";
    const auto room = fs::space(memory, error).available;
    const bool fits = !error && room >= kScratch;
    std::string name = (fits ? memory : fs::temp_directory_path()) / "latecomer-fuzz.XXXXXX";
    if (mkdtemp(name.data()) == nullptr) std::exit(3);
    path_ = name;
    setenv("TMPDIR", name.c_str(), 1);
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

 private:
  static constexpr std::uintmax_t kScratch = 50 << 20;
  fs::path path_;
};

Bytes file_bytes(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

Bytes made_input(const std::vector<Bytes>& good, std::size_t number) {
  Random random(number);
  Bytes bytes = good[random.below(good.size())];
  // Often there is one change only, so that the rest of the input stays intact.
  for (std::size_t left = random.one_in(2) ? 1 : 1 + random.below(20); left > 0; --left) {
    if (random.one_in(3)) {
      mutate_bytes(bytes, random);
    } else {
      mutate(bytes, random);
    }
  }
  return bytes;
}

void limit_processor_time() {
  itimerval limit{};
  limit.it_value.tv_sec = kProcessorSeconds;
  setitimer(ITIMER_PROF, &limit, nullptr);  // SIGPROF ends the process
}

// Inputs by number: the kept ones, then those that are generated.
class Inputs {
 public:
  void keep(const fs::path& path) { kept_.push_back(path); }
  void make(std::size_t first, std::size_t count) {
    first_ = first;
    made_ = count;
  }
  [[nodiscard]] std::size_t size() const { return kept_.size() + made_; }
  [[nodiscard]] Bytes bytes(std::size_t i) const {
    return i < kept_.size() ? file_bytes(kept_[i]) : made_input(good_, number(i));
  }
  [[nodiscard]] std::string name(std::size_t i) const {
    return i < kept_.size() ? kept_[i].string() : "input " + std::to_string(number(i));
  }

 private:
  [[nodiscard]] std::size_t number(std::size_t i) const { return first_ + i - kept_.size(); }
  std::vector<fs::path> kept_;
  std::size_t first_ = 1, made_ = 0;
  const std::vector<Bytes> good_ = seeds();
};

[[noreturn]] void run_from(const Inputs& inputs, std::size_t from, std::atomic<std::size_t>& at) {
#ifndef LATECOMER_SANITIZED
  const rlimit memory{kMemory, kMemory};
  setrlimit(RLIMIT_AS, &memory);
#endif
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  for (std::size_t i = from; i < inputs.size(); ++i) {
    at = i;
    const Bytes bytes = inputs.bytes(i);
    limit_processor_time();
    run(bytes);
  }
  at = inputs.size();
  std::exit(0);
}

int usage() {
  std::fprintf(stderr, "usage: fuzz_TARGET [--inputs N] [--first N] [FILE or DIRECTORY...]\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  const Scratch scratch;
  Inputs inputs;
  std::size_t count = 0, first = 1;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--inputs" || word == "--first") {
      if (++i == argc) return usage();
      const std::string_view digits = argv[i];
      auto& number = word == "--inputs" ? count : first;
      if (std::from_chars(digits.data(), digits.data() + digits.size(), number).ptr !=
          digits.data() + digits.size()) {
        return usage();
      }
    } else if (fs::is_directory(word)) {
      std::vector<fs::path> files(fs::directory_iterator(word), fs::directory_iterator{});
      std::sort(files.begin(), files.end());
      for (const auto& file : files) inputs.keep(file);
    } else if (fs::exists(word)) {
      inputs.keep(word);
    } else {
      return usage();
    }
  }
  inputs.make(first, count);
  void* const shared = mmap(nullptr, sizeof(std::atomic<std::size_t>), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 3;
  auto& at = *new (shared) std::atomic<std::size_t>(0);
  int finds = 0;
  for (std::size_t from = 0; from < inputs.size() && finds < kMostFinds; from = at + 1) {
    std::fflush(nullptr);
    at = from;
    const pid_t child = fork();
    if (child == 0) run_from(inputs, from, at);
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) return 3;
    if (status == 0 && at == inputs.size()) break;
    ++finds;
    const std::string kept =
        fs::path(argv[0]).filename().string() + ".find" + std::to_string(finds);
    const Bytes bytes = inputs.bytes(at);
    std::ofstream(kept, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    std::printf("%s: %s %d; kept as %s\n", inputs.name(at).c_str(),
                WIFSIGNALED(status) ? "killed by signal" : "ended with",
                WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), kept.c_str());
  }
  std::printf("%zu inputs, %d finds\n", inputs.size(), finds);
  return finds == 0 ? 0 : 1;
}
