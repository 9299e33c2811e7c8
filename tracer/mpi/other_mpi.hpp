// SPDX-License-Identifier: BSD-3-Clause
// Programs of another MPI than the one that this library was built for: it is preloaded into them
// where nobody sees before what they are, as those that a script starts.
#pragma once

namespace latecomer::mpi {

// Whether the only MPI libraries of the process are those of the other family, whose handles have
// other types. If so, all MPI functions of this library lead to theirs from then on, and what it is
// is left for scan. The first call decides where it was not clear when this library was loaded; no
// other thread may be in MPI then.
bool steps_aside();

// The functions that call steps_aside() begin with this room: the jump must not be written over
// what they return to.
#define LATECOMER_ASKS_FIRST [[gnu::patchable_function_entry(24)]]

// What a function that was called before steps_aside() was true returns then. The call is made at
// run time: for the compiler the function would call itself.
template <typename... Parameters>
int again(int (*function)(Parameters...), Parameters... arguments) {
  int (*volatile now)(Parameters...) = function;
  return now(arguments...);
}

}  // namespace latecomer::mpi
