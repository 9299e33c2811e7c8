// SPDX-License-Identifier: BSD-3-Clause
// Catches OTF2's errors instead of letting it print them.
#pragma once

#include <csignal>
#include <cstdarg>
#include <optional>
#include <string>

#include <otf2/OTF2_ErrorCodes.h>

#include "archive/result.hpp"

namespace latecomer::otf2 {

// Keeps errors of OTF2 during its lifetime; nothing is printed. Some functions of OTF2 return
// success after a failed write and report it only here. A file size limit is an error as well, not
// a signal that ends the program.
// MT: one at a time in a process.
class Errors {
 public:
  Errors();
  ~Errors();
  Errors(const Errors&) = delete;
  Errors& operator=(const Errors&) = delete;

  // Sets the file that the next calls write; OTF2 does not always name it.
  void about(std::string file) { file_ = std::move(file); }
  [[nodiscard]] const std::string& file() const { return file_; }

  // Adds an error from outside OTF2, an errno.
  void add(int error);

  // While paused, no error is kept; still nothing is printed.
  void pause(bool yes) { paused_ = yes; }

  // The first error, which is the closest to the cause.
  [[nodiscard]] Status status() const;

 private:
  static OTF2_ErrorCode keep(void* self, const char* file, std::uint64_t line, const char* function,
                             OTF2_ErrorCode code, const char* format, va_list arguments);

  std::string file_;
  bool paused_ = false;
  std::optional<std::string> first_;
  OTF2_ErrorCallback before_;
  struct sigaction limit_signal_ {};
};

}  // namespace latecomer::otf2
