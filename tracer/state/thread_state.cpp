// SPDX-License-Identifier: BSD-3-Clause
// The state of each thread.
#include "tracer/state/thread_state.hpp"

namespace latecomer::session::detail {

thread_local constinit ThreadState thread_state [[gnu::tls_model("initial-exec")]];

}  // namespace latecomer::session::detail
