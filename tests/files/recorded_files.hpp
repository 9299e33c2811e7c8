// SPDX-License-Identifier: BSD-3-Clause
// Records of calls on files, as text.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace latecomer::test {

// Runs `work` in a thread that records, and returns a line per record, such as
//
//   enter open                 leave open
//   described out.bin POSIX 1 0x3 0x0     its mode, and flags of creation and status
//   created out.bin            destroyed out.bin
//   wrote out.bin 10 of 12     read out.bin ..., flushed out.bin ...
//   moved out.bin 5 from 0 to 5
//
// Names are without their directory.
[[nodiscard]] std::vector<std::string> recorded_files(const std::function<void()>& work);

// The same without lines that begin with "described".
[[nodiscard]] std::vector<std::string> recorded_calls(const std::function<void()>& work);

// Numbers of calls of that thread without a record.
struct Uncounted {
  std::uint64_t in_memory = 0, left_out = 0;
};
[[nodiscard]] Uncounted last_uncounted();

}  // namespace latecomer::test
