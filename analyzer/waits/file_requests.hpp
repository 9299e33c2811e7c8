// SPDX-License-Identifier: BSD-3-Clause
// Calls that complete nonblocking file operations.
#pragma once

#include "analyzer/booking/booking.hpp"
#include "analyzer/waits/polls.hpp"

namespace latecomer::replay {

// Books the time of MPI_Wait, MPI_Test and the like as file I/O if they complete file operations.
// That includes the unsuccessful tests before. It is collective I/O if one of the operations is
// collective. Calls that also complete messages or collective operations are not changed, since it
// is not known how much of their time each request took.
void book_file_requests(Booking& booking, const Polls& polls);

}  // namespace latecomer::replay
