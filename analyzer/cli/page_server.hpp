// SPDX-License-Identifier: BSD-3-Clause
// Serves a page to browsers on this machine.
#pragma once

#include <memory>
#include <string>

#include "analyzer/view/html/served_page.hpp"
#include "archive/result.hpp"

namespace latecomer::cli {

// A server for one page. Any user of this machine, and any page in a browser, can connect. Only
// requests that name this machine and contain the secret path get an answer. Memory is bounded. At
// most 8 KiB of a request are read; there are no bodies and no ranges. If there are more than 256
// connections, the oldest is closed.
class PageServer {
 public:
  static constexpr const char* kHost = "127.0.0.1";

  // Listens; port 0: a free one. `served` must outlive the server.
  static Result<std::unique_ptr<PageServer>> open(int port, const view::ServedPage& served);
  virtual ~PageServer() = default;

  [[nodiscard]] virtual int port() const = 0;
  // Path of the page: "/", the secret, "/".
  [[nodiscard]] virtual const std::string& base() const = 0;
  // Serves until SIGINT, SIGTERM or SIGHUP.
  virtual void run() = 0;
};

}  // namespace latecomer::cli
