// SPDX-License-Identifier: BSD-3-Clause
// Implements the server with Boost.Beast, in one thread.
#include "archive/http/bounded_server.hpp"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <limits>
#include <list>
#include <optional>
#include <utility>
#include <vector>

namespace latecomer::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using asio::ip::tcp;
using beast::error_code;

constexpr std::size_t kLongestRequest = 8192;  // bytes
constexpr std::uint16_t kPortOfHttp = 80;

// The connections of a server share this.
struct Shared {
  Site site;
  Limits limits;
  std::vector<std::string> hosts;  // names under which the server may be asked; empty: any
};

// A connection. It answers one request after the other until one side closes it.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(tcp::socket socket, const Shared& shared)
      : stream_(std::move(socket)), shared_(shared) {}

  void read() {
    parser_.emplace();
    parser_->header_limit(kLongestRequest);
    // Bodies are not read. Without any limit Boost 1.74 refuses requests that have one.
    parser_->body_limit(std::numeric_limits<std::uint64_t>::max());
    stream_.expires_after(shared_.limits.request);
    beast::http::async_read_header(stream_, buffer_, *parser_,
                                   [self = shared_from_this()](error_code error, std::size_t) {
                                     if (!error) self->answer();
                                   });
  }
  void close() { stream_.close(); }

 private:
  using Verb = beast::http::verb;
  using Field = beast::http::field;

  [[nodiscard]] Answer answer_to(const beast::http::request_header<>& request) const {
    using Status = beast::http::status;
    const auto as_number = [](Status status) { return static_cast<unsigned>(status); };
    const auto host = request[Field::host];
    const auto& hosts = shared_.hosts;
    if (!hosts.empty() && std::ranges::find(hosts, std::string(host)) == hosts.end()) {
      return {.status = as_number(Status::forbidden)};
    }
    if (request.method() != Verb::get && request.method() != Verb::head) {
      return {.status = as_number(Status::method_not_allowed)};
    }
    return shared_.site({request.target().data(), request.target().size()});
  }
  void answer() {
    const auto& request = parser_->get();
    answer_ = answer_to(request);
    response_ = {};
    response_.result(answer_.status);
    response_.version(11);
    response_.set(Field::cache_control, "no-store");
    response_.set("X-Content-Type-Options", "nosniff");
    response_.set("Referrer-Policy", "no-referrer");
    response_.set(Field::content_type, std::string(answer_.type));
    response_.content_length(answer_.body.size());
    const bool only_header = request.method() == Verb::head;
    if (!only_header) response_.body() = {answer_.body.data(), answer_.body.size()};
    // Data after the header of a request with a body is not the next request, so the connection
    // ends.
    response_.keep_alive(parser_->is_done() && request.keep_alive());
    serializer_.emplace(response_);
    if (shared_.limits.answer.count() > 0) {
      stream_.expires_after(shared_.limits.answer);
    } else {
      stream_.expires_never();
    }
    const auto written = [self = shared_from_this()](error_code error, std::size_t) {
      if (error) return;
      if (self->response_.keep_alive()) return self->read();
      error_code ignored;
      self->stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    };
    if (only_header) {
      beast::http::async_write_header(stream_, *serializer_, written);
    } else {
      beast::http::async_write(stream_, *serializer_, written);
    }
  }

  using Body = beast::http::span_body<const char>;
  beast::tcp_stream stream_;
  const Shared& shared_;
  beast::flat_buffer buffer_{kLongestRequest};
  std::optional<beast::http::request_parser<beast::http::empty_body>> parser_;
  Answer answer_;  // it keeps the bytes that are being sent
  beast::http::response<Body> response_;
  std::optional<beast::http::response_serializer<Body>> serializer_;
};

// Accepts connections and limits their number.
class BeastServer final : public BoundedServer {
 public:
  BeastServer(const asio::ip::address& address, std::uint16_t port, Site site, const Limits& limits,
              error_code& error)
      : shared_{std::move(site), limits, {}} {
    const tcp::endpoint here(address, port);
    acceptor_.open(here.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(here, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (!error) port_ = acceptor_.local_endpoint(error).port();
    if (address.is_loopback()) shared_.hosts = names_of_this_machine(address);
    if (!error) accept();
  }
  [[nodiscard]] std::uint16_t port() const override { return port_; }
  void run_for(std::chrono::milliseconds time) override { context_.run_for(time); }
  void end_at(std::span<const int> signals) override {
    for (const int signal : signals) signals_.add(signal);
    signals_.async_wait([this](error_code, int) { context_.stop(); });
  }
  void run() override { context_.run(); }

 private:
  [[nodiscard]] std::vector<std::string> names_of_this_machine(
      const asio::ip::address& address) const {
    const std::string own = address.is_v6() ? '[' + address.to_string() + ']' : address.to_string();
    std::vector<std::string> names;
    for (const std::string& name :
         {own, std::string("127.0.0.1"), std::string("localhost"), std::string("[::1]")}) {
      names.push_back(name + ':' + std::to_string(port_));
      if (port_ == kPortOfHttp) names.push_back(name);  // clients leave it out
    }
    return names;
  }
  void accept() {
    acceptor_.async_accept([this](error_code error, tcp::socket socket) {
      connections_.remove_if([](const auto& connection) { return connection.expired(); });
      // The oldest connection makes room if the process has no file descriptor left.
      if (error == boost::system::errc::too_many_files_open) close_oldest();
      if (!error) {
        if (connections_.size() >= shared_.limits.connections) close_oldest();
        const auto connection = std::make_shared<Connection>(std::move(socket), shared_);
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

  Shared shared_;  // connections refer to it, and end with `context_`
  asio::io_context context_{1};
  asio::signal_set signals_{context_};
  tcp::acceptor acceptor_{context_};
  std::uint16_t port_ = 0;
  std::list<std::weak_ptr<Connection>> connections_;  // in the order in which they began
};

}  // namespace

Result<std::unique_ptr<BoundedServer>> BoundedServer::open(const std::string& address,
                                                           std::uint16_t port, Site site,
                                                           const Limits& limits) {
  error_code error;
  const auto where = asio::ip::make_address(address, error);
  if (error) return Problem{address + " is no address of a network interface", "use 127.0.0.1"};
  auto server = std::make_unique<BeastServer>(where, port, std::move(site), limits, error);
  if (!error) return std::unique_ptr<BoundedServer>(std::move(server));
  const std::string which = port == 0 ? "any port" : "port " + std::to_string(port);
  return Problem{"cannot listen on " + which + " of " + address + ": " + error.message(),
                 port == 0 ? "" : "another program may use that port: name another one"};
}

}  // namespace latecomer::http
