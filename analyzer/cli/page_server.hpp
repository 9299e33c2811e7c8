// SPDX-License-Identifier: BSD-3-Clause
// Serves a page to browsers on this machine.
#pragma once

#include <memory>
#include <string>

#include "analyzer/view/html/served_page.hpp"
#include "archive/result.hpp"

namespace latecomer::cli {

// Anybody on this machine, and any page in a browser, may connect. Only requests that name this
// machine and know the secret path get something. Memory is bounded whatever the others send: of a
// request 8 KiB are read, there are no bodies and no ranges, and of more than 256 connections the
// oldest is closed.
class PageServer {
 public:
  static constexpr const char* kHost = "127.0.0.1";

  // Listens; port 0: a free one. `served` must live on.
  static Result<std::unique_ptr<PageServer>> open(int port, const view::ServedPage& served);
  virtual ~PageServer() = default;

  [[nodiscard]] virtual int port() const = 0;
  // Of the page: "/", the secret, "/".
  [[nodiscard]] virtual const std::string& base() const = 0;
  // Until SIGINT, SIGTERM or SIGHUP.
  virtual void run() = 0;
};

}  // namespace latecomer::cli
