// SPDX-License-Identifier: BSD-3-Clause
// An environment variable that a test sets for a while.
#pragma once

#include <cstdlib>

namespace latecomer {

// Sets a variable for the length of a scope and then removes it.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Variable() { unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

}  // namespace latecomer
