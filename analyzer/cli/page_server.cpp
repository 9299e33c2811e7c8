// SPDX-License-Identifier: BSD-3-Clause
// Implements the server for a page with Boost.Beast, in one thread.
#include "analyzer/cli/page_server.hpp"

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <limits>
#include <list>
#include <optional>
#include <string_view>

namespace latecomer::cli {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using beast::error_code;

constexpr std::size_t kLongestRequest = 8192;  // bytes
constexpr std::size_t kMostConnections = 256;
constexpr std::chrono::seconds kPatience(60);  // longest wait for a request

// A random part of the address. Other users of this machine can connect, but do not know it.
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

// The answer to a request: "not found" unless something else is set.
struct Answer {
  http::status status = http::status::not_found;
  const char* type = "text/plain";
  std::string_view body;
};

// The page and its values, below the secret part of the address.
class Site {
 public:
  Site(const view::ServedPage& served, int port)
      : served_(served), number_(":" + std::to_string(port)), base_("/" + secret() + "/") {}
  [[nodiscard]] const std::string& base() const { return base_; }

  [[nodiscard]] Answer operator()(const http::request_header<>& request) const {
    // Checks the host, because a page of another site may give its own name the address of this
    // machine.
    const auto host = request[http::field::host];
    if (host != PageServer::kHost + number_ && host != "localhost" + number_) {
      return {http::status::forbidden};
    }
    if (request.method() != http::verb::get && request.method() != http::verb::head) {
      return {http::status::method_not_allowed};
    }
    std::string_view path(request.target().data(), request.target().size());
    if (!path.starts_with(base_)) return {};
    path.remove_prefix(base_.size());
    if (path.empty()) return {http::status::ok, "text/html; charset=utf-8", served_.page};
    constexpr std::string_view kValues = "values-";
    if (!path.starts_with(kValues)) return {};
    path.remove_prefix(kValues.size());
    std::uint32_t index = 0;
    const auto end = path.data() + path.size();
    const auto read = std::from_chars(path.data(), end, index);
    const bool known = read.ec == std::errc() && read.ptr == end && index < served_.values.size();
    if (!known || served_.values[index].empty()) return {};
    return {http::status::ok, "application/octet-stream", served_.values[index]};
  }

 private:
  const view::ServedPage& served_;
  std::string number_, base_;
};

// A connection. It answers one request after the other until one side closes it.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(tcp::socket socket, const Site& site) : stream_(std::move(socket)), site_(site) {}

  void read() {
    parser_.emplace();
    parser_->header_limit(kLongestRequest);
    // Bodies are not read. Without any limit Boost 1.74 refuses requests that have one.
    parser_->body_limit(std::numeric_limits<std::uint64_t>::max());
    stream_.expires_after(kPatience);
    http::async_read_header(stream_, buffer_, *parser_,
                            [self = shared_from_this()](error_code error, std::size_t) {
                              if (!error) self->answer();
                            });
  }
  void close() { stream_.close(); }

 private:
  void answer() {
    const Answer answer = site_(parser_->get());
    response_ = {};
    response_.result(answer.status);
    response_.version(11);
    response_.set(http::field::cache_control, "no-store");
    response_.set("X-Content-Type-Options", "nosniff");
    response_.set("Referrer-Policy", "no-referrer");
    response_.set(http::field::content_type, answer.type);
    response_.content_length(answer.body.size());
    const bool only_header = parser_->get().method() == http::verb::head;
    if (!only_header) response_.body() = {answer.body.data(), answer.body.size()};
    // Data after the header of a request with a body is not the next request, so the connection
    // ends.
    response_.keep_alive(parser_->is_done() && parser_->get().keep_alive());
    serializer_.emplace(response_);
    stream_.expires_never();  // the network may be slow
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

  using Body = http::span_body<const char>;
  beast::tcp_stream stream_;
  const Site& site_;
  beast::flat_buffer buffer_{kLongestRequest};
  std::optional<http::request_parser<http::empty_body>> parser_;
  http::response<Body> response_;
  std::optional<http::response_serializer<Body>> serializer_;
};

// Accepts connections and limits their number.
class BeastServer final : public PageServer {
 public:
  BeastServer(const view::ServedPage& served, int port, error_code& error) {
    const tcp::endpoint here(asio::ip::make_address(kHost), static_cast<std::uint16_t>(port));
    acceptor_.open(here.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(here, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (!error) port_ = acceptor_.local_endpoint(error).port();
    site_.emplace(served, port_);
  }
  [[nodiscard]] int port() const override { return port_; }
  [[nodiscard]] const std::string& base() const override { return site_->base(); }
  void run() override {
    signals_.async_wait([this](error_code, int) { context_.stop(); });
    accept();
    context_.run();
  }

 private:
  void accept() {
    acceptor_.async_accept([this](error_code error, tcp::socket socket) {
      connections_.remove_if([](const auto& connection) { return connection.expired(); });
      // The oldest connection makes room if the process has no file descriptor left.
      if (error == boost::system::errc::too_many_files_open) close_oldest();
      if (!error) {
        if (connections_.size() >= kMostConnections) close_oldest();
        const auto connection = std::make_shared<Connection>(std::move(socket), *site_);
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

  asio::io_context context_{1};
  asio::signal_set signals_{context_, SIGINT, SIGTERM, SIGHUP};
  tcp::acceptor acceptor_{context_};
  int port_ = 0;
  std::optional<Site> site_;
  std::list<std::weak_ptr<Connection>> connections_;  // in the order in which they began
};

}  // namespace

Result<std::unique_ptr<PageServer>> PageServer::open(int port, const view::ServedPage& served) {
  error_code error;
  auto server = std::make_unique<BeastServer>(served, port, error);
  if (!error) return std::unique_ptr<PageServer>(std::move(server));
  const std::string where = port == 0 ? "any port" : "port " + std::to_string(port);
  return Problem{"cannot listen on " + where + " of " + kHost + ": " + error.message(),
                 port == 0 ? "" : "another program may use it; without --port a free one is taken"};
}

}  // namespace latecomer::cli
