// SPDX-License-Identifier: BSD-3-Clause
// Records of threads as text.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "tracer/sources/openmp/runtime_functions.hpp"

namespace latecomer::test {

// What threads record, one text for each; each step runs on the thread of its number, after the
// step before. The texts are like "fork begun! (barrier barrier) got:3 rel:3 arrived parallel) ":
//
//   begun!     the thread that makes the team begins its part; others have no "!"
//   got:3      it has a lock, as the holder with this number
//   awaited    the next task was created after the thread's last record
//   (x x)      enter and leave of `!$omp x`
struct Step {
  std::size_t thread = 0;
  std::function<void()> work;
};
[[nodiscard]] std::vector<std::string> recorded(std::size_t threads,
                                                const std::vector<Step>& steps);

// A function of the runtime that this program does not have.
template <typename Function>
void set_runtime_function(openmp::Symbol symbol, Function* function) {
  process().openmp.next[static_cast<std::size_t>(symbol)].store(reinterpret_cast<void*>(function));
}

}  // namespace latecomer::test
