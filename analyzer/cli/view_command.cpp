// SPDX-License-Identifier: BSD-3-Clause
// Implements `latecomer view`: serves the page of a report on this machine until Ctrl-C.
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <iostream>

#include "analyzer/cli/commands.hpp"
#include "analyzer/cli/page_server.hpp"
#include "analyzer/cli/progress_line.hpp"
#include "analyzer/view/html/served_page.hpp"
#include "analyzer/view/text/text.hpp"

namespace latecomer::cli {
namespace {

std::string user_at_host() {
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) return "HOST";
  const char* user = std::getenv("USER");
  return (user != nullptr ? std::string(user) + "@" : "") + host.data();
}

Result<view::ServedPage> prepare(const Call& call) {
  auto report = open_report(call.arguments[0]);
  if (!report) return report.problem();
  ProgressLine line(isatty(STDERR_FILENO) != 0, stderr);
  return view::served_page(*report, clocks_beside(*report), call.all("metric"),
                           [&](std::size_t done, std::size_t all) {
                             line.part("preparing the page", done, all, "metrics/s");
                           });
}

}  // namespace

Status view_page(const Call& call) {
  std::uint16_t port = 0;
  if (call.has("port")) {
    const auto number = number_of(call.value("port"));
    if (!number || *number == 0 || *number > 65535) {
      return Problem{"--port " + call.value("port") + ": not a number from 1 to 65535",
                     "latecomer view --help", Exit::kUsage};
    }
    port = static_cast<std::uint16_t>(*number);
  }
  const auto served = prepare(call);
  if (!served) return served.problem();

  const auto server = PageServer::open(port, *served);
  if (!server) return server.problem();
  const std::string here = PageServer::kHost, number = std::to_string((*server)->port());
  std::cout << "http://" << here << ":" << number << (*server)->base() << "\n"
            << "This is " << view::size_text(static_cast<double>(served->bytes()))
            << ", loaded as it is looked at; Ctrl-C ends it.\n"
            << "From another machine, first: ssh -N -L " << number << ":" << here << ":" << number
            << " " << user_at_host() << std::endl;
  (*server)->run();
  return success();
}

}  // namespace latecomer::cli
