// SPDX-License-Identifier: BSD-3-Clause
// What OTF2 has to complain about, caught instead of printed.
#pragma once

#include <csignal>
#include <cstdarg>
#include <optional>
#include <string>

#include <otf2/OTF2_ErrorCodes.h>

#include "archive/result.hpp"

namespace latecomer::otf2 {

// While it lives, errors of OTF2 are kept here and nothing is printed. OTF2 reports a failed write
// only here in places where it returns success. A file size limit is an error as well, and not a
// signal that ends the program.
// MT: one at a time in a process.
class Errors {
 public:
  Errors();
  ~Errors();
  Errors(const Errors&) = delete;
  Errors& operator=(const Errors&) = delete;

  // The file that the following calls write; OTF2 does not always name it.
  void about(std::string file) { file_ = std::move(file); }
  [[nodiscard]] const std::string& file() const { return file_; }

  // An error of our own: an errno.
  void add(int error);

  // While paused nothing is kept; still nothing is printed.
  void pause(bool yes) { paused_ = yes; }

  // The first error; it is the closest to the cause.
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
