// SPDX-License-Identifier: BSD-3-Clause
// Serves a page to browsers on this machine.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "analyzer/view/html/served_page.hpp"
#include "archive/http/bounded_server.hpp"
#include "archive/result.hpp"

namespace latecomer::cli {

// A server for one page. Any user of this machine, and any page in a browser, can connect. Only
// requests that name this machine and contain the secret path get an answer. There are no ranges.
class PageServer {
 public:
  static constexpr const char* kHost = "127.0.0.1";

  // Listens; port 0: a free one. `served` must outlive the server.
  static Result<std::unique_ptr<PageServer>> open(std::uint16_t port,
                                                  const view::ServedPage& served);
  explicit PageServer(const view::ServedPage& served);

  [[nodiscard]] std::uint16_t port() const { return server_->port(); }
  // Path of the page: "/", the secret, "/".
  [[nodiscard]] const std::string& base() const { return base_; }
  // Serves until SIGINT, SIGTERM or SIGHUP, also one that came after open().
  void run() { server_->run(); }

 private:
  [[nodiscard]] http::Answer answer(std::string_view path) const;

  const view::ServedPage& served_;
  std::string base_;
  std::unique_ptr<http::BoundedServer> server_;
};

}  // namespace latecomer::cli
