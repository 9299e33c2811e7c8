// SPDX-License-Identifier: BSD-3-Clause
// Passes operations along the tree, and adds up states on the way to its root.
#include "tracer/watch/gather/gathering.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <filesystem>
#include <system_error>
#include <thread>

#include "archive/plain_file.hpp"
#include "tracer/watch/gather/merge_states.hpp"

namespace latecomer::watch {
namespace {

using Json = Gathering::Json;
using std::chrono::milliseconds;
using std::chrono::seconds;

// First letters of messages.
constexpr char kOperations = 'O', kWord = 'W', kState = 'S', kView = 'V';
constexpr std::size_t kMessageBytes = std::size_t{32} << 10;
constexpr std::size_t kMostMessages = 256;      // that wait for a neighbor
constexpr std::size_t kMostEarly = 1 << 16;     // operations, before the hosts are known
constexpr std::size_t kMostIncoming = 1 << 17;  // operations of a neighbor
constexpr std::size_t kMostViews = 16;
constexpr std::size_t kMostAtOnce = 256;  // messages in a step
constexpr seconds kWordPause{1};
constexpr seconds kClockPause{1};
constexpr seconds kMostBlocked{10};  // by a communicator that is not known
constexpr seconds kViewPatience{10};
constexpr std::uint64_t kLongestAddress = 1000;

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string name_of(std::size_t host) { return "h" + std::to_string(host); }
std::optional<std::size_t> host_of_name(const std::string& name) {
  if (name.size() < 2 || name[0] != 'h' ||
      !std::all_of(name.begin() + 1, name.end(), [](char c) { return c >= '0' && c <= '9'; }) ||
      name.size() > 10)
    return {};
  return std::stoul(name.substr(1));
}

Status write_address(const std::string& file, const std::string& address) {
  const std::string part = file + ".part";
  const int failed = write_plain(part, address + '\n');
  std::error_code error(failed, std::generic_category());
  if (!error) std::filesystem::rename(part, file, error);
  if (!error) return success();
  return Problem{"cannot write " + file + ": " + error.message(),
                 "agents of other hosts find this one there"};
}

std::string address_in(const std::string& file) {
  std::string text = plain_content(file, kLongestAddress).value_or("");
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

bool needs_comm(RemoteOperation::Kind kind) {
  return kind != RemoteOperation::Kind::kLoss && kind != RemoteOperation::Kind::kEager;
}

std::string text_of(const sockaddr* address) {
  std::array<char, INET_ADDRSTRLEN> text{};
  sockaddr_in v4{};
  std::memcpy(&v4, address, sizeof v4);
  return inet_ntop(AF_INET, &v4.sin_addr, text.data(), text.size()) == nullptr ? "" : text.data();
}

}  // namespace

std::string address_of_host() {
  std::array<char, 256> name{};
  std::string found;
  if (gethostname(name.data(), name.size() - 1) == 0) {
    addrinfo wanted{};
    wanted.ai_family = AF_INET;
    addrinfo* all = nullptr;
    if (getaddrinfo(name.data(), nullptr, &wanted, &all) == 0) {
      if (all != nullptr) found = text_of(all->ai_addr);
      freeaddrinfo(all);
    }
  }
  if (!found.empty() && !found.starts_with("127.")) return found;
  ifaddrs* interfaces = nullptr;
  std::string first;
  if (getifaddrs(&interfaces) == 0) {
    for (const ifaddrs* one = interfaces; one != nullptr && first.empty(); one = one->ifa_next) {
      const bool is_usable = one->ifa_addr != nullptr && one->ifa_addr->sa_family == AF_INET &&
                             (one->ifa_flags & IFF_UP) != 0 && (one->ifa_flags & IFF_LOOPBACK) == 0;
      if (is_usable) first = text_of(one->ifa_addr);
    }
    freeifaddrs(interfaces);
  }
  return first.empty() ? "127.0.0.1" : first;
}

Result<std::unique_ptr<Gathering>> Gathering::begin(const std::string& folder,
                                                    const GatherOptions& options,
                                                    std::unique_ptr<GatherRun> run,
                                                    Watcher& watcher) {
  const std::string file = folder + '/' + kKey;
  std::error_code error;
  if (!std::filesystem::exists(file, error)) {
    if (const Status made = make_run_key(file); !made) return made.problem();
  }
  const auto key = read_run_key(file);
  if (!key) return key.problem();
  auto sockets = Sockets::make(*key);
  if (!sockets) return sockets.problem();
  return std::unique_ptr<Gathering>(
      new Gathering(folder, options, std::move(*sockets), std::move(run), watcher));
}

Gathering::Gathering(std::string folder, const GatherOptions& options,
                     std::unique_ptr<Sockets> sockets, std::unique_ptr<GatherRun> run,
                     Watcher& watcher)
    : folder_(std::move(folder)),
      options_(options),
      sockets_(std::move(sockets)),
      run_(std::move(run)),
      watcher_(watcher) {
  watcher_.tell_others([this](const RemoteOperation& operation) { tell(operation); });
}

Gathering::~Gathering() {
  watcher_.tell_others([](const RemoteOperation&) {});
}

Status Gathering::plan() {
  auto hosts = run_->hosts();
  if (!hosts) return success();
  plan_ = TreePlan(std::move(*hosts), options_.arity);
  planned_ = true;
  self_ = plan_.number_of(run_->own_host());
  const auto early = std::exchange(early_, {});
  if (!is_tree()) return success();
  const auto now = Clock::now();
  parent_ = plan_.parent(*self_);
  const auto below = plan_.below(*self_);
  const auto add = [&](std::size_t number, std::set<std::size_t> behind) {
    Neighbor& one = neighbors_[number];
    one.heard = now;
    one.behind = std::move(behind);
  };
  for (const std::size_t child : plan_.children(*self_)) {
    const auto behind = plan_.below(child);
    add(child, {behind.begin(), behind.end()});
  }
  if (parent_) {
    std::set<std::size_t> behind;
    for (std::size_t host = 0; host < plan_.hosts().size(); ++host) {
      if (!std::ranges::binary_search(below, host)) behind.insert(host);
    }
    add(*parent_, std::move(behind));
  }
  const std::string address = options_.address.empty() ? address_of_host() : options_.address;
  if (!plan_.children(*self_).empty()) {
    auto server = sockets_->serve(address);
    if (!server) return server.problem();
    server_ = std::move(*server);
    const std::string file = folder_ + "/agent-" + plan_.hosts()[*self_].host;
    if (const Status written = write_address(file, server_->endpoint()); !written) return written;
  }
  if (is_root()) {
    constexpr int kMostForView = 4;
    auto front = sockets_->serve(address, kMostForView);
    if (!front) return front.problem();
    front_ = std::move(*front);
    const Status written = write_address(folder_ + '/' + kFront, front_->endpoint());
    if (!written) return written;
  }
  to_global_ = run_->to_global();
  to_local_ = to_global_.inverse();
  clock_at_ = now;
  for (const RemoteOperation& operation : early) tell(operation);
  return success();
}

// The parent may begin later than its children.
void Gathering::connect() {
  if (!parent_ || client_) return;
  const std::string endpoint = address_in(folder_ + "/agent-" + plan_.hosts()[*parent_].host);
  if (endpoint.empty()) return;
  auto client = sockets_->connect(endpoint, name_of(*self_));
  if (client) client_ = std::move(*client);
}

void Gathering::tell(const RemoteOperation& operation) {
  if (!planned_) {
    if (early_.size() >= kMostEarly) {
      ++dropped_;
    } else {
      early_.push_back(operation);
    }
    return;
  }
  if (!is_tree()) return;
  NamedOperation named;
  named.operation = operation;
  if (needs_comm(operation.kind)) {
    std::tie(named.comm_owner, named.comm_number) = run_->owner_of(operation.comm);
    named.operation.time = to_global_(operation.time);
  }
  if (operation.kind == RemoteOperation::Kind::kCollective) {
    named.operation.end = to_global_(operation.end);
    named.path = run_->hash_of(operation.path);
  }
  for (auto& [number, neighbor] : neighbors_) {
    if (goes(neighbor, named)) put(number, named);
  }
}

bool Gathering::goes(const Neighbor& neighbor, const NamedOperation& named) {
  const RemoteOperation& operation = named.operation;
  if (!needs_comm(operation.kind)) return true;
  const auto is_behind = [&](Rank rank) {
    const auto host = plan_.host_of(rank);
    return host && neighbor.behind.contains(*host);
  };
  if (operation.kind != RemoteOperation::Kind::kCollective) return is_behind(operation.peer);
  const auto* members = run_->members(named.comm_owner, named.comm_number);
  return members != nullptr && std::ranges::any_of(*members, is_behind);
}

void Gathering::put(std::size_t to, const NamedOperation& named) {
  Neighbor& neighbor = neighbors_[to];
  if (neighbor.is_gone) {
    ++dropped_;
    return;
  }
  if (neighbor.open.empty()) neighbor.open = kOperations;
  append(neighbor.open, named);
  ++neighbor.open_operations;
  if (neighbor.open.size() >= kMessageBytes) close(neighbor);
}

void Gathering::close(Neighbor& neighbor) {
  if (neighbor.open.empty()) return;
  push(neighbor, {std::exchange(neighbor.open, {}), std::exchange(neighbor.open_operations, 0)});
}

void Gathering::push(Neighbor& neighbor, Message message) {
  // A word may always come after the last operations: it replaces an older one.
  const bool is_word = message.bytes.front() == kWord;
  if (is_word && !neighbor.out.empty() && neighbor.out.back().bytes.front() == kWord) {
    neighbor.out.back() = std::move(message);
    return;
  }
  if (!is_word && neighbor.out.size() >= kMostMessages) {
    dropped_ += message.operations;
    if (message.bytes.front() == kState) parent_has_all_ = false;
    return;
  }
  neighbor.out.push_back(std::move(message));
}

bool Gathering::send(std::size_t to, const std::string& bytes) {
  if (to == parent_) return client_ && client_->send(bytes);
  return server_ && server_->send(name_of(to), bytes);
}

void Gathering::flush() {
  for (auto& [number, neighbor] : neighbors_) {
    close(neighbor);
    while (!neighbor.out.empty() && send(number, neighbor.out.front().bytes))
      neighbor.out.pop_front();
    neighbor.knows_end = neighbor.knows_end || (neighbor.is_last && neighbor.out.empty());
  }
}

Status Gathering::step(milliseconds time) {
  if (!planned_) {
    if (Status planned = plan(); !planned) return planned;
  }
  if (!is_tree()) {
    std::this_thread::sleep_for(time);
    return success();
  }
  connect();
  flush();
  sockets_->wait(time);
  const auto now = Clock::now();
  if (now - clock_at_ >= kClockPause) {
    clock_at_ = now;
    to_global_ = run_->to_global();
    to_local_ = to_global_.inverse();
  }
  for (std::size_t i = 0; client_ && i < kMostAtOnce; ++i) {
    const auto message = client_->receive();
    if (!message) break;
    take(*parent_, *message);
  }
  for (std::size_t i = 0; server_ && i < kMostAtOnce; ++i) {
    const auto message = server_->receive();
    if (!message) break;
    const auto from = host_of_name(message->first);
    if (from && from != parent_ && neighbors_.contains(*from)) take(*from, message->second);
  }
  for (const auto& [number, neighbor] : neighbors_) take_operations(number);
  for (const std::string& from : sockets_->refused())
    notes_.push_back("refused a connection from " + from + ": it has not the key of the run");
  take_views();
  look_for_gone();
  send_state();
  if (must_say_ || now - said_at_ >= std::min<Clock::duration>(kWordPause, options_.patience / 4))
    say_word();
  if (now - views_at_ >= options_.rate) send_views(false);
  flush();
  return success();
}

void Gathering::take(std::size_t from, const std::string& bytes) {
  Neighbor& neighbor = neighbors_[from];
  neighbor.heard = Clock::now();
  neighbor.was_heard = true;
  if (neighbor.is_gone) {
    // Its statistics count again. Operations with them stay left out.
    neighbor.is_gone = false;
    for (const std::size_t host : neighbor.behind) gone_.erase(host);
    notes_.push_back("the agent of host " + plan_.hosts()[from].host + " is back");
    if (from == parent_) parent_has_all_ = false;
    neighbor.needs_full = from != parent_;
  }
  if (bytes.empty()) return;
  std::string_view rest(bytes);
  rest.remove_prefix(1);
  if (bytes.front() == kOperations) {
    while (auto operation = take_operation(rest)) {
      if (neighbor.in.size() >= kMostIncoming) {
        ++dropped_;
      } else {
        neighbor.in.push_back({std::move(operation), {}});
      }
    }
    return;
  }
  Json json = Json::parse(rest, nullptr, false);
  if (!json.is_object()) return;
  if (bytes.front() == kWord) neighbor.in.push_back({std::nullopt, std::move(json)});
  if (bytes.front() == kState && from != parent_) take_state(neighbor, json);
}

void Gathering::take_operations(std::size_t from) {
  Neighbor& neighbor = neighbors_[from];
  const auto now = Clock::now();
  while (!neighbor.in.empty()) {
    if (!handle(from, neighbor.in.front())) {
      if (!std::exchange(neighbor.is_blocked, true)) neighbor.blocked_since = now;
      if (now - neighbor.blocked_since < kMostBlocked) return;
      const NamedOperation& named = *neighbor.in.front().operation;
      given_up_.emplace(named.comm_owner, named.comm_number);
      ++dropped_;
    }
    neighbor.is_blocked = false;
    neighbor.in.pop_front();
  }
}

// False: its communicator is not known yet.
bool Gathering::handle(std::size_t from, const Incoming& incoming) {
  if (!incoming.operation) {
    hear(from, incoming.word);
    return true;
  }
  const NamedOperation& named = *incoming.operation;
  const std::vector<Rank>* members = nullptr;
  if (needs_comm(named.operation.kind)) {
    members = run_->members(named.comm_owner, named.comm_number);
    if (members == nullptr) {
      if (given_up_.contains({named.comm_owner, named.comm_number})) {
        ++dropped_;
        return true;
      }
      run_->look_again();
      return false;
    }
  }
  for (auto& [number, neighbor] : neighbors_) {
    if (number != from && goes(neighbor, named)) put(number, named);
  }
  RemoteOperation operation = named.operation;
  const auto is_here = [&](Rank rank) { return plan_.host_of(rank) == self_; };
  if (operation.kind == RemoteOperation::Kind::kCollective) {
    if (std::ranges::none_of(*members, is_here)) return true;
    operation.path = run_->path_of(named.path);
    operation.end = to_local_(operation.end);
  } else if (needs_comm(operation.kind) && !is_here(operation.peer)) {
    return true;
  }
  if (needs_comm(operation.kind)) {
    operation.comm = run_->comm(named.comm_owner, named.comm_number);
    operation.time = to_local_(operation.time);
  }
  watcher_.take(operation);
  return true;
}

void Gathering::hear(std::size_t from, const Json& word) try {
  Neighbor& neighbor = neighbors_[from];
  for (const Json& one : word.value("finished", Json::array())) {
    if (!one.is_number_unsigned()) continue;
    const auto host = one.get<std::size_t>();
    if (neighbor.behind.contains(host) && finished_.insert(host).second) must_say_ = true;
  }
  // A word names all that are gone on that side. So those that it does not name are back.
  std::set<std::size_t> named;
  for (const Json& one : word.value("gone", Json::array())) {
    const auto host = one.value("host", plan_.hosts().size());
    if (!neighbor.behind.contains(host)) continue;
    named.insert(host);
    if (gone_.contains(host)) continue;
    lose(host, one.value("why", ""));
    must_say_ = true;
  }
  const auto back = std::erase_if(gone_, [&](const auto& one) {
    return neighbor.behind.contains(one.first) && !named.contains(one.first);
  });
  must_say_ = must_say_ || back != 0;
  if (from != parent_) return;
  last_was_taken_ = last_was_taken_ || (last_was_sent_ && word.value("taken", false));
  if (word.value("full", false)) {
    parent_has_all_ = false;
    has_new_state_ = true;
  }
  if (const auto asked = word.value("asked", std::int64_t{0}); asked != asked_) {
    asked_ = asked;
    is_asked_ = must_say_ = true;
  }
} catch (const std::exception&) {
  // An agent has told nonsense, which counts as nothing.
}

void Gathering::say_word() {
  said_at_ = Clock::now();
  must_say_ = false;
  for (auto& [number, neighbor] : neighbors_) {
    close(neighbor);
    // Only what the other side does not know by itself.
    Json word = {{"finished", Json::array()}, {"gone", Json::array()}};
    for (const std::size_t host : finished_) {
      if (!neighbor.behind.contains(host)) word["finished"].push_back(host);
    }
    for (const auto& [host, why] : gone_) {
      if (!neighbor.behind.contains(host)) word["gone"].push_back({{"host", host}, {"why", why}});
    }
    if (number != parent_) {
      word["asked"] = asked_;
      word["taken"] = neighbor.is_last;
      word["full"] = std::exchange(neighbor.needs_full, false);
    }
    push(neighbor, {kWord + dump(word), 0});
  }
}

bool Gathering::wants_state() const {
  return is_tree() && !own_is_last_ && Clock::now() - set_at_ >= options_.rate &&
         (!options_.pull || is_asked_);
}

void Gathering::set_state(Json state, bool last) {
  own_ = std::move(state);
  has_own_ = has_new_state_ = true;
  own_is_last_ = own_is_last_ || last;
  set_at_ = Clock::now();
  is_asked_ = false;
}

Json Gathering::merged() const {
  std::vector<const Json*> parts;
  if (has_own_) parts.push_back(&own_);
  for (const auto& [number, neighbor] : neighbors_) {
    if (neighbor.has_state) parts.push_back(&neighbor.state);
  }
  return merge_states(parts);
}

Json Gathering::state() const try {
  Json all = merged();
  if (!all.contains("ranks")) return all;
  std::set<std::int64_t> there;
  for (const char* name : {"ranks", "not_watched"}) {
    for (const Json& one : all[name]) there.insert(one.value("rank", std::int64_t{-1}));
  }
  std::vector<std::pair<std::uint32_t, std::string>> missing;
  for (std::size_t host = 0; host < plan_.hosts().size(); ++host) {
    const auto gone = gone_.find(host);
    const std::string why =
        gone != gone_.end()
            ? gone->second
            : "the agent of its host, " + plan_.hosts()[host].host + ", has told nothing yet";
    for (const Rank rank : plan_.hosts()[host].ranks) {
      if (gone != gone_.end() || !there.contains(rank)) missing.emplace_back(rank, why);
    }
  }
  // The run has ended if it has ended on all hosts that still tell of it.
  complete_state(all, missing);
  return all;
} catch (const std::exception&) {
  return Json::object();  // an agent has told nonsense
}

void Gathering::take_state(Neighbor& child, const Json& message) try {
  const auto number = message.value("number", std::int64_t{0});
  if (const auto state = message.find("state"); state != message.end() && state->is_object()) {
    child.state = *state;
    child.has_state = true;
  } else if (const auto patch = message.find("patch");
             patch != message.end() && child.has_state && number == child.seen + 1) {
    child.state = child.state.patch(*patch);
  } else {
    child.needs_full = must_say_ = true;
    return;
  }
  child.seen = number;
  const bool is_last = message.value("last", false);
  must_say_ = must_say_ || (is_last && !child.is_last);
  child.is_last = is_last;
  has_new_state_ = true;
} catch (const std::exception&) {
  child.needs_full = must_say_ = true;
}

// Sends what has changed since the last time.
void Gathering::send_state() {
  const bool children_are_done = std::ranges::all_of(neighbors_, [&](const auto& one) {
    return one.first == parent_ || one.second.is_last || one.second.is_gone;
  });
  const bool is_last = own_is_last_ && children_are_done;
  const auto now = Clock::now();
  if (!parent_ || !client_ || !has_new_state_ || !has_own_) return;
  if (neighbors_.at(*parent_).is_gone) return;
  const bool must = is_last && (!last_was_sent_ || !parent_has_all_);
  if (!must && now - state_at_ < options_.rate) return;
  state_at_ = now;
  has_new_state_ = false;
  Json state;
  try {
    state = merged();
  } catch (const std::exception&) {
    state = own_;  // a child has told nonsense
  }
  Json message = {{"number", ++sent_number_}, {"last", is_last}};
  std::string text;
  if (parent_has_all_) {
    Json with_patch = message;
    with_patch["patch"] = Json::diff(sent_, state);
    text = dump(with_patch);
  }
  message["state"] = state;
  if (std::string full = dump(message); !parent_has_all_ || full.size() < text.size())
    text = std::move(full);
  parent_has_all_ = true;
  last_was_sent_ = is_last;
  sent_ = std::move(state);
  push(neighbors_[*parent_], {kState + text, 0});
}

void Gathering::take_views() {
  if (!front_) return;
  const auto now = Clock::now();
  for (std::size_t i = 0; i < kMostAtOnce; ++i) {
    const auto message = front_->receive();
    if (!message) break;
    if (message->second.empty() || message->second.front() != kView) continue;
    if (!views_.contains(message->first) && views_.size() >= kMostViews) {
      views_.erase(
          std::ranges::min_element(views_, {}, [](const auto& one) { return one.second.heard; }));
    }
    View& view = views_[message->first];
    view.heard = now;
    if (message->second.find("full") != std::string::npos) view.has_all = false;
    if (options_.pull && now - asked_at_ >= options_.rate) {
      asked_at_ = now;
      ++asked_;
      is_asked_ = must_say_ = true;
    }
  }
  std::erase_if(views_, [&](const auto& one) { return now - one.second.heard > kViewPatience; });
}

void Gathering::send_views(bool is_last) {
  views_at_ = Clock::now();
  if (views_.empty() || !has_own_) return;
  const Json now = state();
  for (auto& [peer, view] : views_) {
    Json message = {{"number", view.number + 1}, {"last", is_last}};
    std::string text;
    if (view.has_all) {
      Json with_patch = message;
      with_patch["patch"] = Json::diff(view.sent, now);
      text = dump(with_patch);
    }
    message["state"] = now;
    if (std::string full = dump(message); !view.has_all || full.size() < text.size())
      text = std::move(full);
    // A view that does not read gets all of the next state that it takes.
    view.has_all = front_->send(peer, kState + text);
    if (!view.has_all) continue;
    ++view.number;
    view.sent = now;
  }
}

void Gathering::look_for_gone() {
  const auto now = Clock::now();
  for (auto& [number, neighbor] : neighbors_) {
    if (neighbor.is_gone || neighbor.is_last || now - neighbor.heard < options_.patience) continue;
    neighbor.is_gone = true;
    dropped_ += neighbor.open_operations;
    for (const Message& message : neighbor.out) dropped_ += message.operations;
    neighbor.open.clear();
    neighbor.open_operations = 0;
    neighbor.out.clear();
    neighbor.in.clear();
    neighbor.is_blocked = false;
    const std::string& name = plan_.hosts()[number].host;
    const std::string why = (neighbor.was_heard ? "no word from the agent of host "
                                                : "no agent has answered on host ") +
                            name + " for " + std::to_string(options_.patience.count() / 1000) +
                            " s";
    notes_.push_back(why + "; what its ranks do is not known from now on");
    for (const std::size_t host : neighbor.behind) lose(host, why);
    must_say_ = has_new_state_ = true;
  }
}

void Gathering::lose(std::size_t host, const std::string& why) {
  if (!gone_.emplace(host, why).second || finished_.contains(host)) return;
  for (const Rank rank : plan_.hosts()[host].ranks) watcher_.leave_out(rank);
}

void Gathering::end() {
  if (!self_) return;
  finished_.insert(*self_);
  must_say_ = true;
}

bool Gathering::is_settled() const {
  if (!is_tree()) return true;
  for (std::size_t host = 0; host < plan_.hosts().size(); ++host) {
    if (!finished_.contains(host) && !gone_.contains(host)) return false;
  }
  return true;
}

bool Gathering::is_done() const {
  if (!is_tree()) return true;
  if (!own_is_last_) return false;
  const auto is_over = [&](const auto& one) {
    const auto& [number, neighbor] = one;
    if (neighbor.is_gone) return true;
    return number == parent_ ? last_was_taken_ : neighbor.knows_end;
  };
  return std::ranges::all_of(neighbors_, is_over);
}

void Gathering::say_goodbye() {
  if (!is_tree()) return;
  say_word();
  flush();
  if (front_) send_views(true);
}

}  // namespace latecomer::watch
