// SPDX-License-Identifier: BSD-3-Clause
// Standard output of programs that print a result: a result that cannot be written is an error.
#pragma once

namespace latecomer {

// Has to be called first in main(): no file of the program takes the number of a closed stream.
// What is written to one that was closed fails, as it would without this.
void hold_streams();

// The status with which to end, after all output. If it cannot be written, a message says so, and
// the status of a success or partial result becomes kBadInput. A reader who has gone is no error.
[[nodiscard]] int checked_output(int status);

}  // namespace latecomer
