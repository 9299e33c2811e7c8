// SPDX-License-Identifier: BSD-3-Clause
// The Python interpreter of this process, found by the symbols of its data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tracer/callpath/python/python_code.hpp"

namespace latecomer::python {

// CPython in this process, of a version whose structures are known. MT: any thread.
struct Interpreter {
  Layout layout;
  Types types;
  std::uintptr_t runtime = 0;  // _PyRuntime
  std::uintptr_t loop = 0;     // _PyEval_EvalFrameDefault, the evaluation loop; 0: not known
  // PyGILState_GetThisThreadState, from 3.14 on: the value of a thread-local variable.
  void* (*thread_state)() = nullptr;

  // PyThreadState of the calling thread; 0 if it has none. Takes no lock, keeps errno.
  [[nodiscard]] std::uintptr_t thread() const;
};

// What the process has: no Python (both are empty), one that is known, or the name of another
// version.
struct FoundInterpreter {
  std::optional<Interpreter> interpreter;
  std::string unknown;
};

// Looks at the program, the libraries that it is linked with, and the frames of the calling thread.
// Changes errno.
[[nodiscard]] FoundInterpreter find_interpreter();

}  // namespace latecomer::python
