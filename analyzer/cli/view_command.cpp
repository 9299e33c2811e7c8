// SPDX-License-Identifier: BSD-3-Clause
// `latecomer view`: serves the page of a report on this machine until Ctrl-C.
#include <httplib.h>
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <thread>

#include "analyzer/cli/commands.hpp"
#include "analyzer/cli/progress_line.hpp"
#include "analyzer/view/html/served_page.hpp"
#include "analyzer/view/text.hpp"

namespace latecomer::cli {
namespace {

constexpr const char* kHere = "127.0.0.1";

// Others on this machine may connect as well, but do not know the address of the page.
std::string secret() {
  std::array<unsigned char, 12> bytes{};
  std::ifstream("/dev/urandom", std::ios::binary)
      .read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  std::string text;
  for (const auto byte : bytes) {
    std::array<char, 3> two{};
    std::snprintf(two.data(), two.size(), "%02x", byte);
    text += two.data();
  }
  return text;
}

std::string user_at_host() {
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) return "HOST";
  const char* user = std::getenv("USER");
  return (user != nullptr ? std::string(user) + "@" : "") + host.data();
}

// SIGINT and the like come to wait(), not to the threads that are made after this.
class Ending {
 public:
  Ending() {
    sigemptyset(&signals_);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals_, signal);
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  }
  void wait() const {
    int signal = 0;
    while (sigwait(&signals_, &signal) != 0) {
    }
  }

 private:
  sigset_t signals_{};
};

Result<view::ServedPage> prepare(const Call& call) {
  auto report = open_report(call.arguments[0]);
  if (!report) return report.problem();
  ProgressLine line(isatty(STDERR_FILENO) != 0, stderr);
  return view::served_page(*report, clocks_beside(*report), call.all("metric"),
                           [&](std::size_t done, std::size_t all) {
                             line.part("preparing the page", done, all, "metrics/s");
                           });
}

void answer(httplib::Server& server, const view::ServedPage& served, const std::string& base,
            int port) {
  // Pages of other sites must not get here by a name that they let mean this machine.
  const std::string number = ":" + std::to_string(port);
  server.set_pre_routing_handler(
      [number](const httplib::Request& request, httplib::Response& response) {
        const auto host = request.get_header_value("Host");
        if (host == kHere + number || host == "localhost" + number) {
          return httplib::Server::HandlerResponse::Unhandled;
        }
        response.status = 403;
        return httplib::Server::HandlerResponse::Handled;
      });
  server.set_default_headers({{"Cache-Control", "no-store"},
                              {"X-Content-Type-Options", "nosniff"},
                              {"Referrer-Policy", "no-referrer"}});
  server.Get(base, [&served](const httplib::Request&, httplib::Response& response) {
    response.set_content(served.page, "text/html; charset=utf-8");
  });
  server.Get(base + R"(values-(\d{1,6}))",
             [&served](const httplib::Request& request, httplib::Response& response) {
               const auto index = std::stoul(request.matches[1].str());
               if (index >= served.values.size() || served.values[index].empty()) {
                 response.status = 404;
                 return;
               }
               response.set_content(served.values[index], "application/octet-stream");
             });
}

}  // namespace

Status view_page(const Call& call) {
  int port = 0;
  if (call.has("port")) {
    const auto number = number_of(call.value("port"));
    if (!number || *number == 0 || *number > 65535) {
      return Problem{"--port " + call.value("port") + ": not a number from 1 to 65535",
                     "latecomer view --help", Exit::kUsage};
    }
    port = static_cast<int>(*number);
  }
  const auto served = prepare(call);
  if (!served) return served.problem();

  const Ending ending;
  httplib::Server server;
  // As it was made: no second server on the same port.
  server.set_socket_options([](socket_t socket) {
    const int yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  server.set_keep_alive_timeout(1);  // seconds that Ctrl-C waits for idle connections
  if (port == 0) {
    port = server.bind_to_any_port(kHere);
  } else if (!server.bind_to_port(kHere, port)) {
    return Problem{"cannot listen on port " + std::to_string(port) + " of " + kHere,
                   "another program may use it; without --port a free one is taken"};
  }
  if (port <= 0) return Problem{"cannot listen on any port of " + std::string(kHere), ""};
  const std::string base = "/" + secret() + "/", number = std::to_string(port);
  answer(server, *served, base, port);
  std::atomic<bool> failed = false;
  std::thread listener([&] { failed = !server.listen_after_bind(); });
  // A server that does not run yet cannot be stopped.
  while (!server.is_running() && !failed) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  if (failed) {
    listener.join();
    return Problem{"cannot listen on port " + number + " of " + kHere, "try it again"};
  }
  std::cout << "http://" << kHere << ":" << number << base << "\n"
            << "This is " << view::size_text(static_cast<double>(served->bytes()))
            << ", loaded as it is looked at; Ctrl-C ends it.\n"
            << "From another machine, first: ssh -N -L " << number << ":" << kHere << ":" << number
            << " " << user_at_host() << std::endl;
  ending.wait();
  server.stop();
  listener.join();
  return success();
}

}  // namespace latecomer::cli
