// SPDX-License-Identifier: BSD-3-Clause
// The part of an agent in the tree: tells other agents of operations, and gathers their states.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "archive/experiment/no_records.hpp"
#include "archive/result.hpp"
#include "sync/piecewise_linear.hpp"
#include "tracer/watch/gather/gather_options.hpp"
#include "tracer/watch/gather/operation_wire.hpp"
#include "tracer/watch/gather/sockets.hpp"
#include "tracer/watch/gather/tree_plan.hpp"
#include "tracer/watch/watcher.hpp"

namespace latecomer::watch {

// The run, as the agent of a host knows it. The numbers of communicators and call
// paths are those of this host.
class GatherRun {
 public:
  virtual ~GatherRun() = default;
  // All hosts of the run; nothing: they are not known yet.
  [[nodiscard]] virtual std::optional<std::vector<AgentHost>> hosts() = 0;
  [[nodiscard]] virtual std::string own_host() = 0;
  // Members of a communicator by what names it on all hosts; null: it is not known here yet.
  [[nodiscard]] virtual const std::vector<Rank>* members(std::uint32_t owner,
                                                         std::uint32_t number) = 0;
  [[nodiscard]] virtual CommId comm(std::uint32_t owner, std::uint32_t number) = 0;
  [[nodiscard]] virtual std::pair<std::uint32_t, std::uint32_t> owner_of(CommId comm) = 0;
  [[nodiscard]] virtual std::uint64_t hash_of(PathId path) = 0;
  [[nodiscard]] virtual PathId path_of(std::uint64_t hash) = 0;
  [[nodiscard]] virtual sync::PiecewiseLinear to_global() = 0;
  // Something was told of that is not known here yet.
  virtual void look_again() = 0;
};

// Everything is bounded: each neighbor has a queue of messages, and what does not fit is dropped
// and counted. The parts of operations have numbers, so others notice what is missing. Nothing
// waits for another agent. MT: one thread.
class Gathering {
 public:
  using Json = nlohmann::ordered_json;
  // Folder in an experiment with the key of the run and the addresses of the agents. scan makes it.
  static constexpr const char* kFolder = kAgents;
  static constexpr const char* kKey = "key";
  static constexpr const char* kFront = "front";  // address at which the root answers views

  // `folder`: of the agents of the run. Makes the key if there is none.
  [[nodiscard]] static Result<std::unique_ptr<Gathering>> begin(const std::string& folder,
                                                                const GatherOptions& options,
                                                                std::unique_ptr<GatherRun> run,
                                                                Watcher& watcher);
  ~Gathering();
  Gathering(const Gathering&) = delete;
  Gathering& operator=(const Gathering&) = delete;

  // Takes and sends messages, and waits for them at most so long. A Problem if this host can have
  // no agent.
  [[nodiscard]] Status step(std::chrono::milliseconds time);

  // The hosts of the run are known, and there are several.
  [[nodiscard]] bool is_tree() const { return self_.has_value() && plan_.hosts().size() > 1; }
  // The hosts are known, and this one needs no agent: it is the only one, or has no ranks.
  [[nodiscard]] bool is_needless() const { return planned_ && !is_tree(); }
  [[nodiscard]] bool has_other_hosts() const { return planned_ && plan_.hosts().size() > 1; }
  [[nodiscard]] bool is_root() const { return self_ == TreePlan::kRoot; }

  // True if the state of this host is to be set.
  [[nodiscard]] bool wants_state() const;
  // The state of the ranks of this host. `last`: it will not change any more.
  void set_state(Json state, bool last);
  // The state of the run, as far as it was told. Only at the root.
  [[nodiscard]] Json state() const;

  // All operations of this host were told.
  void end();
  // No other agent will tell of operations.
  [[nodiscard]] bool is_settled() const;
  // The last states of all were gathered, or those that are missing will not come.
  [[nodiscard]] bool is_done() const;
  // The last words to neighbors and views, before the end of this object.
  void say_goodbye();

  // Parts of operations that were dropped, since a neighbor did not take them, or nobody has
  // defined their communicators.
  [[nodiscard]] std::int64_t dropped() const { return dropped_; }
  // Lines for the user that are new: who was refused, and who has ended.
  [[nodiscard]] std::vector<std::string> notes() { return std::exchange(notes_, {}); }

 private:
  using Clock = std::chrono::steady_clock;
  struct Message {
    std::string bytes;
    std::int64_t operations = 0;
  };
  // A neighbor has told: an operation, or a word of it that comes after operations.
  struct Incoming {
    std::optional<NamedOperation> operation;
    Json word;
  };
  struct Neighbor {
    std::deque<Message> out;
    std::string open;  // operations that are in no message yet
    std::int64_t open_operations = 0;
    std::deque<Incoming> in;
    Clock::time_point heard, blocked_since;
    bool is_blocked = false, is_gone = false, was_heard = false;
    // Members for a child: its state, the number of the last message, and whether it is the last
    // one.
    Json state;
    std::int64_t seen = 0;
    bool has_state = false, is_last = false, needs_full = false;
    bool knows_end = false;        // it was told that its last state was taken, and may have ended
    std::set<std::size_t> behind;  // hosts on that side
  };
  struct View {
    Clock::time_point heard;
    Json sent;
    std::int64_t number = 0;
    bool has_all = false;
  };

  Gathering(std::string folder, const GatherOptions& options, std::unique_ptr<Sockets> sockets,
            std::unique_ptr<GatherRun> run, Watcher& watcher);
  [[nodiscard]] Status plan();
  void connect();
  void tell(const RemoteOperation& operation);
  void put(std::size_t to, const NamedOperation& operation);
  [[nodiscard]] bool goes(const Neighbor& neighbor, const NamedOperation& operation);
  void close(Neighbor& neighbor);
  void push(Neighbor& neighbor, Message message);
  void flush();
  [[nodiscard]] bool send(std::size_t to, const std::string& bytes);
  void take(std::size_t from, const std::string& bytes);
  void take_operations(std::size_t from);
  [[nodiscard]] bool handle(std::size_t from, const Incoming& incoming);
  void hear(std::size_t from, const Json& word);
  void take_state(Neighbor& child, const Json& message);
  void say_word();
  void send_state();
  void take_views();
  void send_views(bool is_last);
  void look_for_gone();
  void lose(std::size_t host, const std::string& why);
  [[nodiscard]] Json merged() const;

  std::string folder_;
  GatherOptions options_;
  std::unique_ptr<Sockets> sockets_;  // is ended after its clients and servers
  std::unique_ptr<GatherRun> run_;
  Watcher& watcher_;
  TreePlan plan_;
  bool planned_ = false;
  std::optional<std::size_t> self_, parent_;
  std::deque<RemoteOperation> early_;  // were told before the hosts were known
  std::unique_ptr<Server> server_, front_;
  std::unique_ptr<Client> client_;
  std::map<std::size_t, Neighbor> neighbors_;
  std::map<std::string, View> views_;
  sync::PiecewiseLinear to_global_, to_local_;
  std::set<std::size_t> finished_;           // hosts
  std::map<std::size_t, std::string> gone_;  // hosts, with the reason
  // Owner and number of communicators that nobody has defined in time.
  std::set<std::pair<std::uint32_t, std::uint32_t>> given_up_;
  Json own_;  // state
  bool own_is_last_ = false, has_new_state_ = false, has_own_ = false, last_was_sent_ = false;
  bool last_was_taken_ = false;  // by the parent
  Json sent_;                    // state, to the parent
  std::int64_t sent_number_ = 0;
  bool parent_has_all_ = false;
  bool is_asked_ = true;    // in pull mode
  std::int64_t asked_ = 0;  // how often views have asked
  Clock::time_point set_at_, said_at_, clock_at_, views_at_, state_at_, asked_at_;
  bool must_say_ = false;
  std::int64_t dropped_ = 0;
  std::vector<std::string> notes_;
};

// Address of this host that others can reach: that of its name, unless that is of this machine
// alone; then that of its first interface.
[[nodiscard]] std::string address_of_host();

}  // namespace latecomer::watch
