// SPDX-License-Identifier: BSD-3-Clause
// Which definitions the records of a process refer to.
#pragma once

#include <cstdint>
#include <vector>

#include "tracer/record/reader.hpp"

namespace latecomer::convert {

// The first operation of the handle kind (CREATE_HANDLE): these are not communication.
inline constexpr std::uint32_t kFirstHandleOperation = 17;

// Local ids, ascending.
struct Usage {
  std::vector<std::uint32_t> regions;
  std::vector<std::uint32_t> comms;  // with messages or collectives that any reader knows
};

// Reads records before they are converted, so that only what is used gets defined. Ids that no
// process can have reached (damaged records) are not listed.
class UsageCollector {
 public:
  static constexpr std::uint64_t kMaxPlausibleId = std::uint64_t{1} << 22;

  void add(record::RecordReader reader);  // a copy: the caller's place stays
  [[nodiscard]] Usage usage() const;

 private:
  static void mark(std::vector<bool>& ids, std::uint64_t id);

  std::vector<bool> regions_;
  std::vector<bool> comms_;
};

}  // namespace latecomer::convert
