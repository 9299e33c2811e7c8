// SPDX-License-Identifier: BSD-3-Clause
// Serves short texts and files of memory over HTTP, with bounds on what clients can take.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "archive/result.hpp"

namespace latecomer::http {

constexpr unsigned kOk = 200, kNotFound = 404;

// The answer to GET and HEAD. `keeps` owns the bytes of the body; empty: they outlive the server.
struct Answer {
  unsigned status = kNotFound;
  std::string_view type = "text/plain";
  std::string_view body;
  std::shared_ptr<const void> keeps;
};

// Answers a request for a target, such as "/metrics".
using Site = std::function<Answer(std::string_view target)>;

// Limits of a server. `answer`: longest time for an answer; 0: no limit, the network may be slow.
struct Limits {
  std::size_t connections = 32;  // the oldest is closed for a new one
  std::chrono::seconds request{60};
  std::chrono::seconds answer{60};
};

// The server reads at most 8 KiB of a request. Requests with bodies are answered and closed. At an
// address of this machine alone, only requests that name this machine are answered: a page of
// another site may give its own name that address. MT: one thread; connections are served in the
// run functions only.
class BoundedServer {
 public:
  // Listens at an address of this machine; port 0: a free one. `site` answers from the first run
  // function on.
  [[nodiscard]] static Result<std::unique_ptr<BoundedServer>> open(const std::string& address,
                                                                   std::uint16_t port, Site site,
                                                                   const Limits& limits);
  virtual ~BoundedServer() = default;

  [[nodiscard]] virtual std::uint16_t port() const = 0;
  // Serves for so long.
  virtual void run_for(std::chrono::milliseconds time) = 0;
  // These signals end run() from now on.
  virtual void end_at(std::span<const int> signals) = 0;
  // Serves until one of them comes.
  virtual void run() = 0;
};

}  // namespace latecomer::http
