// SPDX-License-Identifier: BSD-3-Clause
// State of tracer/sources/files: what is known of the descriptors of this process.
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace latecomer::files {

// A descriptor of the process. Ids are those of records; 0: not seen yet.
struct Descriptor {
  static constexpr std::uint32_t kUnknown = 0;
  static constexpr std::uint32_t kLeftOut =
      0xffffffff;  // a socket, or something else without bytes

  std::atomic<std::uint32_t> id{kUnknown};
  // The id before the descriptor was closed, and a hash of its description. A file that is opened
  // again and again with the same descriptor keeps its id.
  std::atomic<std::uint32_t> last_id{kUnknown};
  std::atomic<std::uint64_t> last_hash{0};
};

// Descriptors by number. All is lock-free, since functions on files may be called in signal
// handlers.
//
// A child that was forked finds nothing but zeros here, whichever way it was forked: the kernel
// wipes the table. So it never records, although it has the parent's memory. A child of vfork()
// shares the table, and is found by its process id where that matters.
class DescriptorTable {
 public:
  static constexpr std::size_t kDescriptors = std::size_t{1} << 16;
  static constexpr std::uint32_t kMostIds = 1U << 16;

  // Null if the kernel cannot wipe it in children (before Linux 4.14), or has no memory. It is
  // never destroyed.
  static DescriptorTable* make();

  // False in a child.
  [[nodiscard]] bool is_alive() const { return process_.load(std::memory_order_relaxed) != 0; }
  // False in a child of vfork(), too. Costs a system call.
  [[nodiscard]] bool is_of_this_process() const;

  // Null beyond the table.
  [[nodiscard]] Descriptor* find(int number) {
    return static_cast<unsigned>(number) < kDescriptors ? &descriptors_[number] : nullptr;
  }

  // An id that was not used yet; Descriptor::kUnknown if there are too many.
  std::uint32_t next_id() {
    if (last_id_.load(std::memory_order_relaxed) >= kMostIds) return Descriptor::kUnknown;
    return last_id_.fetch_add(1, std::memory_order_relaxed) + 1;
  }

 private:
  DescriptorTable() = default;

  std::atomic<pid_t> process_{0};
  std::atomic<std::uint32_t> last_id_{0};
  std::array<Descriptor, kDescriptors> descriptors_;
};

struct FileState {
  std::atomic<DescriptorTable*> table{nullptr};  // null: calls on files are not recorded
  // Addresses of the functions that the measurement library replaces (next_functions.hpp).
  std::array<std::atomic<void*>, 128> next{};
};

}  // namespace latecomer::files
