// SPDX-License-Identifier: BSD-3-Clause
// Serves one text at /metrics.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "archive/http/bounded_server.hpp"
#include "archive/result.hpp"

namespace latecomer::watch {

// MT: one thread; connections are served in run_for() only.
class MetricsServer {
 public:
  // Listens at an address of this machine; port 0: a free one.
  [[nodiscard]] static Result<std::unique_ptr<MetricsServer>> open(const std::string& address,
                                                                   std::uint16_t port);

  [[nodiscard]] std::uint16_t port() const { return server_->port(); }
  // The text from now on.
  void set(std::string text) { text_ = std::make_shared<const std::string>(std::move(text)); }
  // Serves for so long.
  void run_for(std::chrono::milliseconds time) { server_->run_for(time); }

 private:
  [[nodiscard]] http::Answer answer(std::string_view target) const;

  std::shared_ptr<const std::string> text_ = std::make_shared<const std::string>("# EOF\n");
  std::unique_ptr<http::BoundedServer> server_;
};

}  // namespace latecomer::watch
