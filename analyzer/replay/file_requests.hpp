// SPDX-License-Identifier: BSD-3-Clause
// Calls that complete nonblocking file operations.
#pragma once

#include "analyzer/replay/booking.hpp"
#include "analyzer/replay/polls.hpp"

namespace latecomer::replay {

// Time in MPI_Wait, MPI_Test and their like that complete file operations, and in the tests in vain
// before, is that of file I/O: of collective one if one of the operations is. Calls that complete
// messages or collective operations as well stay where they are: how much of their time was for
// which of the requests is not known.
void book_file_requests(Booking& booking, const Polls& polls);

}  // namespace latecomer::replay
