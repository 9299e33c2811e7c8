// SPDX-License-Identifier: BSD-3-Clause
// Implements the server with Boost.Beast.
#include "tracer/watch/view/metrics_server.hpp"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <limits>
#include <list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tracer/watch/view/open_metrics.hpp"

namespace latecomer::watch {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using beast::error_code;

constexpr std::size_t kLongestRequest = 8192;  // bytes
constexpr std::uint16_t kPortOfHttp = 80;
constexpr std::size_t kMostConnections = 32;
constexpr std::chrono::seconds kPatience(60);

using Text = std::shared_ptr<const std::string>;

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  // `hosts`: names under which the server may be asked; empty: any.
  Connection(tcp::socket socket, const Text& text, const std::vector<std::string>& hosts)
      : stream_(std::move(socket)), text_(text), hosts_(hosts) {}

  void read() {
    parser_.emplace();
    parser_->header_limit(kLongestRequest);
    parser_->body_limit(std::numeric_limits<std::uint64_t>::max());  // bodies are not read
    stream_.expires_after(kPatience);
    http::async_read_header(stream_, buffer_, *parser_,
                            [self = shared_from_this()](error_code error, std::size_t) {
                              if (!error) self->answer();
                            });
  }
  void close() { stream_.close(); }

 private:
  void answer() {
    const auto& request = parser_->get();
    const bool only_header = request.method() == http::verb::head;
    response_ = {};
    response_.version(11);
    response_.set(http::field::content_type, "text/plain; charset=utf-8");
    // A page of another site may give its own name the address of this machine.
    const std::string host(request[http::field::host]);
    if (!hosts_.empty() && std::ranges::find(hosts_, host) == hosts_.end()) {
      response_.result(http::status::forbidden);
    } else if (request.method() != http::verb::get && !only_header) {
      response_.result(http::status::method_not_allowed);
    } else if (request.target() != "/metrics") {
      response_.result(http::status::not_found);
      response_.body() = "the metrics are at /metrics\n";
    } else {
      response_.result(http::status::ok);
      response_.set(http::field::content_type, std::string(OpenMetrics::kType));
      response_.body() = *text_;
    }
    response_.content_length(response_.body().size());
    if (only_header) response_.body().clear();
    // Data after the header of a request with a body is not the next request.
    response_.keep_alive(parser_->is_done() && request.keep_alive());
    stream_.expires_after(kPatience);
    serializer_.emplace(response_);
    const auto written = [self = shared_from_this()](error_code error, std::size_t) {
      if (error) return;
      if (self->response_.keep_alive()) return self->read();
      error_code ignored;
      self->stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    };
    if (only_header) {
      http::async_write_header(stream_, *serializer_, written);
    } else {
      http::async_write(stream_, *serializer_, written);
    }
  }

  beast::tcp_stream stream_;
  const Text& text_;
  const std::vector<std::string>& hosts_;
  beast::flat_buffer buffer_{kLongestRequest};
  std::optional<http::request_parser<http::empty_body>> parser_;
  http::response<http::string_body> response_;
  std::optional<http::response_serializer<http::string_body>> serializer_;
};

class BeastServer final : public MetricsServer {
 public:
  BeastServer(const asio::ip::address& address, std::uint16_t port, error_code& error) {
    const tcp::endpoint here(address, port);
    acceptor_.open(here.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(here, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (!error) port_ = acceptor_.local_endpoint(error).port();
    if (address.is_loopback()) {
      const std::string own =
          address.is_v6() ? '[' + address.to_string() + ']' : address.to_string();
      for (const std::string& name :
           {own, std::string("127.0.0.1"), std::string("localhost"), std::string("[::1]")}) {
        hosts_.push_back(name + ':' + std::to_string(port_));
        if (port_ == kPortOfHttp) hosts_.push_back(name);  // clients leave it out
      }
    }
    if (!error) accept();
  }
  [[nodiscard]] std::uint16_t port() const override { return port_; }
  void set(std::string text) override {
    text_ = std::make_shared<const std::string>(std::move(text));
  }
  void run_for(std::chrono::milliseconds time) override { context_.run_for(time); }

 private:
  void accept() {
    acceptor_.async_accept([this](error_code error, tcp::socket socket) {
      connections_.remove_if([](const auto& connection) { return connection.expired(); });
      if (error == boost::system::errc::too_many_files_open) close_oldest();
      if (!error) {
        if (connections_.size() >= kMostConnections) close_oldest();
        const auto connection = std::make_shared<Connection>(std::move(socket), text_, hosts_);
        connections_.push_back(connection);
        connection->read();
      }
      accept();
    });
  }
  void close_oldest() {
    if (connections_.empty()) return;
    if (const auto oldest = connections_.front().lock()) oldest->close();
    connections_.pop_front();
  }

  Text text_ = std::make_shared<const std::string>("# EOF\n");
  asio::io_context context_{1};
  tcp::acceptor acceptor_{context_};
  std::uint16_t port_ = 0;
  std::vector<std::string> hosts_;
  std::list<std::weak_ptr<Connection>> connections_;  // in the order in which they began
};

}  // namespace

Result<std::unique_ptr<MetricsServer>> MetricsServer::open(const std::string& address,
                                                           std::uint16_t port) {
  error_code error;
  const auto where = asio::ip::make_address(address, error);
  if (error) return Problem{address + " is no address of a network interface", "use 127.0.0.1"};
  auto server = std::make_unique<BeastServer>(where, port, error);
  if (!error) return std::unique_ptr<MetricsServer>(std::move(server));
  return Problem{
      "cannot listen on port " + std::to_string(port) + " of " + address + ": " + error.message(),
      "another program may use it: name another port, or 0 for a free one"};
}

}  // namespace latecomer::watch
