// SPDX-License-Identifier: BSD-3-Clause
// Serves one text at /metrics.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "archive/result.hpp"

namespace latecomer::watch {

// Bounded: 32 connections, the oldest is closed for a new one; 8 KiB of a request; one minute
// without a request or for an answer. At an address of this machine alone, only its names are
// answered. Requests with bodies are answered and closed. MT: one thread;
// connections are served in run_for() only.
class MetricsServer {
 public:
  // Listens at an address of this machine; port 0: a free one.
  [[nodiscard]] static Result<std::unique_ptr<MetricsServer>> open(const std::string& address,
                                                                   std::uint16_t port);
  virtual ~MetricsServer() = default;

  [[nodiscard]] virtual std::uint16_t port() const = 0;
  // The text from now on.
  virtual void set(std::string text) = 0;
  // Serves for so long.
  virtual void run_for(std::chrono::milliseconds time) = 0;
};

}  // namespace latecomer::watch
