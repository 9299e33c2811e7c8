// SPDX-License-Identifier: BSD-3-Clause
// Programs of another MPI than the one for which this library was built. It is preloaded into them
// if their kind cannot be known before, for example if a script starts them.
#pragma once

namespace latecomer::mpi {

// True if the only MPI libraries of the process are those of the other family, whose handles have
// other types. From then on all MPI functions of this library lead to theirs, and a file tells
// scan. The first call decides if the case was not clear when this library was loaded; no other
// thread may be in MPI then.
bool steps_aside();

// Room at the beginning of functions that call steps_aside(). The jump must not overwrite the code
// to which they return.
#define LATECOMER_ASKS_FIRST [[gnu::patchable_function_entry(24)]]

// Result of a function that called steps_aside() when it became true. It calls itself again,
// through a volatile pointer, so that the call takes the jump at run time.
template <typename... Parameters>
int again(int (*function)(Parameters...), Parameters... arguments) {
  int (*volatile now)(Parameters...) = function;
  return now(arguments...);
}

}  // namespace latecomer::mpi
