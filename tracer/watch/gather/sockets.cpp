// SPDX-License-Identifier: BSD-3-Clause
// Implements messages with the C interface of libzmq.
#include "tracer/watch/gather/sockets.hpp"

#include <zmq.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace latecomer::watch {
namespace {

constexpr const char* kZap = "inproc://zeromq.zap.01";  // RFC 27: who may connect is asked there
constexpr std::int64_t kMostBytes = std::int64_t{64} << 20;  // of a message
constexpr int kLinger = 1000, kHeartbeat = 2000, kSilence = 20000, kHandshake = 10000;  // ms
constexpr int kLongestRetry = 1000;                                                     // ms

struct Close {
  void operator()(void* socket) const { zmq_close(socket); }
};
using Socket = std::unique_ptr<void, Close>;
struct End {
  void operator()(void* context) const {
    while (zmq_ctx_term(context) != 0 && errno == EINTR) {
    }
  }
};
using Context = std::unique_ptr<void, End>;

bool set(void* socket, int option, int value) {
  return zmq_setsockopt(socket, option, &value, sizeof value) == 0;
}
bool set(void* socket, int option, const std::string& value) {
  return zmq_setsockopt(socket, option, value.data(), value.size()) == 0;
}

bool set_common(void* socket, int most) {
  return set(socket, ZMQ_LINGER, kLinger) && set(socket, ZMQ_SNDHWM, most) &&
         set(socket, ZMQ_RCVHWM, most) && set(socket, ZMQ_HEARTBEAT_IVL, kHeartbeat) &&
         set(socket, ZMQ_HEARTBEAT_TIMEOUT, kSilence) &&
         set(socket, ZMQ_HANDSHAKE_IVL, kHandshake) && set(socket, ZMQ_IPV6, 1) &&
         zmq_setsockopt(socket, ZMQ_MAXMSGSIZE, &kMostBytes, sizeof kMostBytes) == 0;
}

// One frame; nothing if there is none right now.
std::optional<std::string> frame(void* socket, bool* more = nullptr) {
  zmq_msg_t message;
  zmq_msg_init(&message);
  std::optional<std::string> read;
  if (zmq_msg_recv(&message, socket, ZMQ_DONTWAIT) >= 0) {
    read.emplace(static_cast<const char*>(zmq_msg_data(&message)), zmq_msg_size(&message));
    if (more != nullptr) *more = zmq_msg_more(&message) != 0;
  }
  zmq_msg_close(&message);
  return read;
}

bool send_frame(void* socket, const std::string& bytes, int flags) {
  return zmq_send(socket, bytes.data(), bytes.size(), ZMQ_DONTWAIT | flags) >= 0;
}

class ZmqClient final : public Client {
 public:
  ZmqClient(Socket socket, Socket monitor)
      : socket_(std::move(socket)), monitor_(std::move(monitor)) {}
  ~ZmqClient() override { zmq_socket_monitor(socket_.get(), nullptr, 0); }

  [[nodiscard]] bool send(const std::string& message) override {
    return send_frame(socket_.get(), message, 0);
  }
  [[nodiscard]] std::optional<std::string> receive() override { return frame(socket_.get()); }
  [[nodiscard]] State state() override {
    // Two frames per event: its number and a value, then the address.
    while (const auto event = frame(monitor_.get())) {
      static_cast<void>(frame(monitor_.get()));
      std::uint16_t number = 0;
      if (event->size() < sizeof number) continue;
      std::memcpy(&number, event->data(), sizeof number);
      switch (number) {
        case ZMQ_EVENT_CONNECTED:
          answered_ = true;
          break;
        case ZMQ_EVENT_HANDSHAKE_SUCCEEDED:
          state_ = State::kConnected;
          break;
        case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH:
        case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL:
        case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL:
          state_ = State::kRefused;
          break;
        case ZMQ_EVENT_DISCONNECTED:
          // A server that hangs up before the keys were exchanged refuses them.
          if (state_ != State::kRefused)
            state_ = answered_ && state_ == State::kNobody ? State::kRefused : State::kNobody;
          answered_ = false;
          break;
        default:
          break;
      }
    }
    return state_;
  }
  [[nodiscard]] void* socket() const { return socket_.get(); }

 private:
  Socket socket_, monitor_;
  State state_ = State::kNobody;
  bool answered_ = false;
};

class ZmqServer final : public Server {
 public:
  ZmqServer(Socket socket, std::string endpoint)
      : socket_(std::move(socket)), endpoint_(std::move(endpoint)) {}
  [[nodiscard]] const std::string& endpoint() const override { return endpoint_; }
  [[nodiscard]] bool send(const std::string& peer, const std::string& message) override {
    // The first frame fails if the peer is not there or cannot take more. Then nothing was sent.
    return send_frame(socket_.get(), peer, ZMQ_SNDMORE) && send_frame(socket_.get(), message, 0);
  }
  [[nodiscard]] std::optional<std::pair<std::string, std::string>> receive() override {
    bool more = false;
    const auto peer = frame(socket_.get(), &more);
    if (!peer) return {};
    std::string message;
    while (more) {
      auto next = frame(socket_.get(), &more);
      if (!next) break;
      message = std::move(*next);
    }
    return std::pair(*peer, std::move(message));
  }
  [[nodiscard]] void* socket() const { return socket_.get(); }

 private:
  Socket socket_;
  std::string endpoint_;
};

class ZmqSockets final : public Sockets {
 public:
  ZmqSockets(Context context, Socket zap, const RunKey& key)
      : context_(std::move(context)), zap_(std::move(zap)), key_(key) {
    std::array<std::uint8_t, 32> bytes{};
    static_cast<void>(zmq_z85_decode(bytes.data(), key_.public_key.c_str()));
    expected_.assign(bytes.begin(), bytes.end());
  }

  [[nodiscard]] Result<std::unique_ptr<Server>> serve(const std::string& address,
                                                      int most) override {
    Socket socket(zmq_socket(context_.get(), ZMQ_ROUTER));
    if (!socket || !set_common(socket.get(), most) || !set(socket.get(), ZMQ_CURVE_SERVER, 1) ||
        !set(socket.get(), ZMQ_CURVE_SECRETKEY, key_.secret_key) ||
        !set(socket.get(), ZMQ_ROUTER_MANDATORY, 1) || !set(socket.get(), ZMQ_ROUTER_HANDOVER, 1))
      return failed("cannot make a socket");
    const bool is_v6 = address.find(':') != std::string::npos;
    const std::string where = "tcp://" + (is_v6 ? '[' + address + ']' : address) + ":*";
    if (zmq_bind(socket.get(), where.c_str()) != 0) return failed("cannot listen at " + address);
    std::array<char, 256> bound{};
    std::size_t size = bound.size();
    if (zmq_getsockopt(socket.get(), ZMQ_LAST_ENDPOINT, bound.data(), &size) != 0)
      return failed("cannot listen at " + address);
    polled_.push_back(socket.get());
    return std::unique_ptr<Server>(std::make_unique<ZmqServer>(std::move(socket), bound.data()));
  }

  [[nodiscard]] Result<std::unique_ptr<Client>> connect(const std::string& endpoint,
                                                        const std::string& name, int most,
                                                        const std::string& server_key) override {
    Socket socket(zmq_socket(context_.get(), ZMQ_DEALER));
    if (!socket || !set_common(socket.get(), most) ||
        !set(socket.get(), ZMQ_CURVE_SERVERKEY,
             server_key.empty() ? key_.public_key : server_key) ||
        !set(socket.get(), ZMQ_CURVE_PUBLICKEY, key_.public_key) ||
        !set(socket.get(), ZMQ_CURVE_SECRETKEY, key_.secret_key) ||
        !set(socket.get(), ZMQ_RECONNECT_IVL_MAX, kLongestRetry) ||
        (!name.empty() && !set(socket.get(), ZMQ_ROUTING_ID, name)))
      return failed("cannot make a socket");
    const std::string events = "inproc://events" + std::to_string(++monitors_);
    Socket monitor(zmq_socket(context_.get(), ZMQ_PAIR));
    if (!monitor || zmq_socket_monitor(socket.get(), events.c_str(), ZMQ_EVENT_ALL) != 0 ||
        zmq_connect(monitor.get(), events.c_str()) != 0)
      return failed("cannot make a socket");
    set(monitor.get(), ZMQ_LINGER, 0);
    if (zmq_connect(socket.get(), endpoint.c_str()) != 0)
      return failed("cannot connect to " + endpoint);
    polled_.push_back(socket.get());
    return std::unique_ptr<Client>(
        std::make_unique<ZmqClient>(std::move(socket), std::move(monitor)));
  }

  void wait(std::chrono::milliseconds time) override {
    std::vector<zmq_pollitem_t> items = {{zap_.get(), 0, ZMQ_POLLIN, 0}};
    for (void* socket : polled_) items.push_back({socket, 0, ZMQ_POLLIN, 0});
    zmq_poll(items.data(), static_cast<int>(items.size()), static_cast<long>(time.count()));
    while (answer_one()) {
    }
  }

  [[nodiscard]] std::vector<std::string> refused() override { return std::exchange(refused_, {}); }

 private:
  static Problem failed(const std::string& what) {
    return {what + ": " + zmq_strerror(errno),
            "LATECOMER_WATCH_ADDRESS names the address of this host at which its agent listens"};
  }

  // Answers whether a client may connect: version, request, domain, address, identity, mechanism,
  // key.
  bool answer_one() {
    std::vector<std::string> request;
    bool more = true;
    while (more) {
      auto next = frame(zap_.get(), &more);
      if (!next) break;
      request.push_back(std::move(*next));
    }
    if (request.empty()) return false;
    constexpr std::size_t kKey = 6;
    const bool may = request.size() > kKey && request[5] == "CURVE" && request[kKey] == expected_;
    if (!may && request.size() > 3 && refused_.size() < kMostRefused) {
      constexpr std::string_view kMapped = "::ffff:";  // before IPv4
      std::string from = request[3];
      if (from.starts_with(kMapped)) from.erase(0, kMapped.size());
      refused_.push_back(std::move(from));
    }
    const std::string id = request.size() > 1 ? request[1] : "";
    for (const std::string& part :
         {std::string("1.0"), id, std::string(may ? "200" : "400"),
          std::string(may ? "OK" : "not the key of the run"), std::string("agent")})
      send_frame(zap_.get(), part, ZMQ_SNDMORE);
    return send_frame(zap_.get(), "", 0);
  }

  static constexpr std::size_t kMostRefused = 100;

  Context context_;  // is ended last
  Socket zap_;
  RunKey key_;
  std::string expected_;  // the public key, as bytes
  std::vector<void*> polled_;
  std::vector<std::string> refused_;
  int monitors_ = 0;
};

}  // namespace

Result<std::unique_ptr<Sockets>> Sockets::make(const RunKey& key) {
  const auto failed = [] {
    return Problem{std::string("cannot use ZeroMQ: ") + zmq_strerror(errno), ""};
  };
  if (zmq_has("curve") == 0)
    return Problem{"this libzmq has no CURVE", "install one with libsodium: libzmq3-dev of Debian"};
  Context context(zmq_ctx_new());
  if (!context) return failed();
  Socket zap(zmq_socket(context.get(), ZMQ_REP));
  if (!zap || zmq_bind(zap.get(), kZap) != 0) return failed();
  return std::unique_ptr<Sockets>(
      std::make_unique<ZmqSockets>(std::move(context), std::move(zap), key));
}

}  // namespace latecomer::watch
