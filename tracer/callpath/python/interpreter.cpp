// SPDX-License-Identifier: BSD-3-Clause
// Finds CPython by weak references, which the dynamic linker has bound when the program began. So
// nothing is looked up later, and dlerror() of the program keeps its value.
#include "tracer/callpath/python/interpreter.hpp"

#include <pthread.h>

#include "tracer/callpath/python/readable.hpp"

// Data of CPython; null if the program has none. The types are unimportant: only addresses are
// used, and the value of Py_Version.
#define LATECOMER_OF_PYTHON [[gnu::weak, gnu::visibility("default")]]
extern "C" {
LATECOMER_OF_PYTHON extern const char _PyRuntime[];
LATECOMER_OF_PYTHON extern const unsigned long Py_Version;  // from 3.11 on
LATECOMER_OF_PYTHON extern const char _PyEval_EvalFrameDefault[];
LATECOMER_OF_PYTHON extern const char PyCode_Type[];
LATECOMER_OF_PYTHON extern const char PyUnicode_Type[];
LATECOMER_OF_PYTHON extern const char PyBytes_Type[];
LATECOMER_OF_PYTHON extern const char PyExc_EncodingWarning[];  // from 3.10 on
LATECOMER_OF_PYTHON extern const char Py_GenericAliasType[];    // from 3.9 on
LATECOMER_OF_PYTHON extern const char PyPickleBuffer_Type[];    // from 3.8 on
LATECOMER_OF_PYTHON void* PyGILState_GetThisThreadState();
}

namespace latecomer::python {
namespace {

std::uintptr_t address_of(const void* symbol) { return reinterpret_cast<std::uintptr_t>(symbol); }

// The minor version of Python 3; 0 if it is too old to be known.
std::uint32_t minor_version() {
  if (&Py_Version != nullptr) return static_cast<std::uint32_t>(Py_Version >> 16 & 255);
  if (address_of(PyExc_EncodingWarning) != 0) return 10;
  if (address_of(Py_GenericAliasType) != 0) return 9;
  return address_of(PyPickleBuffer_Type) != 0 ? 8 : 0;
}

}  // namespace

std::uintptr_t Interpreter::thread() const {
  if (layout.runtime_key == 0) return thread_state == nullptr ? 0 : address_of(thread_state());
  // Py_tss_t: whether the key exists, and the key.
  const std::uintptr_t key = runtime + layout.runtime_key;
  if (read<std::int32_t>(key) == 0) return 0;
  return address_of(pthread_getspecific(read<pthread_key_t>(key + sizeof(std::int32_t))));
}

FoundInterpreter find_interpreter() {
  if (address_of(_PyRuntime) == 0) return {};
  const std::uint32_t minor = minor_version();
  const Types types{address_of(PyCode_Type), address_of(PyUnicode_Type), address_of(PyBytes_Type)};
  constexpr std::uint32_t kFirstDescribed = 13, kFirstWithFunction = 14;
  const auto layout = minor >= kFirstDescribed ? described_layout(_PyRuntime) : layout_of(minor);
  if (!layout || types.code == 0 || types.text == 0 || types.bytes == 0) {
    return {std::nullopt, minor == 0 ? "before 3.8" : "3." + std::to_string(minor)};
  }
  const Interpreter found{*layout, types, address_of(_PyRuntime),
                          address_of(_PyEval_EvalFrameDefault),
                          minor >= kFirstWithFunction ? PyGILState_GetThisThreadState : nullptr};
  // Builds for debugging, and those of others, may have other structures.
  const std::uintptr_t thread = found.thread();
  if (thread != 0 && !fits(*layout, thread, types.code)) {
    return {std::nullopt, "3." + std::to_string(minor) + " of an unusual build"};
  }
  return {found, ""};
}

}  // namespace latecomer::python
