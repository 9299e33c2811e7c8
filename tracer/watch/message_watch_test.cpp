// SPDX-License-Identifier: BSD-3-Clause
// Messages: late senders, late receivers, the order of matching, and what is left out.
#include "tracer/watch/message_watch.hpp"

#include <catch2/catch.hpp>

#include "tests/support/watched_calls.hpp"

using namespace latecomer::watch;
using latecomer::patterns::CallKind;
using latecomer::patterns::SendMode;
using latecomer::test::tell;
using latecomer::test::wait_of;
using latecomer::test::WatchedCall;
using enum Operation::Kind;

namespace {

// Sends and receives are in exactly one of the counts.
void check_messages(const MessageCounts& c) {
  CHECK(c.sends + c.receives == 2 * c.matched + c.pending + c.held_back + c.left_out());
}

}  // namespace

TEST_CASE("watched late sender, whoever is seen first") {
  // send enters 5; receive enters 1, leaves 6: min(5, 6) - 1 = 4
  for (const bool receiver_first : {false, true}) {
    Watcher watcher;
    const WatchedCall send = WatchedCall(0, 5, 7).send(1);
    const WatchedCall receive = WatchedCall(1, 1, 6, 3).receive(0);
    if (receiver_first) tell(watcher, {receive, send});
    if (!receiver_first) tell(watcher, {send, receive});
    const WaitSums sums = watcher.waits();
    CHECK(wait_of(sums, 1, WaitKind::kLateSender) == 4);
    CHECK(sums.ranks()[0].caused == 4);
    CHECK(sums.places().at({3, WaitKind::kLateSender, 1}).count == 1);
    CHECK(watcher.messages().matched == 1);
    check_messages(watcher.messages());
  }
}

TEST_CASE("a call that completes several receives waits as long as the longest wait") {
  // MPI_Waitall from 10 to 30; senders enter at 15 and 22: 22 - 10 = 12, caused by rank 2
  Watcher watcher;
  tell(
      watcher,
      {WatchedCall(0, 1, 2).about(kReceiveBegins, 1), WatchedCall(0, 3, 4).about(kReceiveBegins, 2),
       WatchedCall(0, 10, 30, 0, CallKind::kWaitMultiple).receive(1, 0, 1).receive(2, 0, 2),
       WatchedCall(1, 15, 16).send(0)});
  CHECK(wait_of(watcher.waits(), 0, WaitKind::kLateSender) == 0);  // one of two is not known yet
  tell(watcher, {WatchedCall(2, 22, 23).send(0)});
  const WaitSums sums = watcher.waits();
  CHECK(wait_of(sums, 0, WaitKind::kLateSender) == 12);
  CHECK(sums.ranks()[2].caused == 12);
  CHECK(sums.ranks()[1].caused == 0);
  check_messages(watcher.messages());
}

TEST_CASE("receives match in the order in which they were posted") {
  // Two messages on one channel, sent at 5 and 25. The receive that was posted second ends first,
  // in a call from 20 to 21; the other one in a call from 22 to 30.
  //   posted first  <- sent at 5:  min(5, 30) - 22 < 0      0
  //   posted second <- sent at 25: min(25, 21) - 20         1
  Watcher watcher;
  tell(watcher,
       {WatchedCall(1, 5, 6).send(0), WatchedCall(1, 25, 26).send(0),
        WatchedCall(0, 1, 2).about(kReceiveBegins, 1),
        WatchedCall(0, 3, 4).about(kReceiveBegins, 2), WatchedCall(0, 20, 21).receive(1, 0, 2)});
  CHECK(watcher.messages().held_back == 1);
  check_messages(watcher.messages());
  tell(watcher, {WatchedCall(0, 22, 30).receive(1, 0, 1)});
  CHECK(wait_of(watcher.waits(), 0, WaitKind::kLateSender) == 1);
  check_messages(watcher.messages());
}

TEST_CASE("channels are told apart by tag and communicator") {
  Watcher watcher;
  tell(watcher, {WatchedCall(0, 5, 6).send(1, 7), WatchedCall(0, 15, 16).send(1, 8),
                 WatchedCall(1, 1, 20).receive(0, 8), WatchedCall(1, 21, 22).receive(0, 7)});
  CHECK(wait_of(watcher.waits(), 1, WaitKind::kLateSender) == 14);  // 15 - 1
}

TEST_CASE("watched late receiver: a synchronous send waits for its receive") {
  // send enters 1, leaves 8; receive posted at 5: 5 - 1 = 4
  Watcher watcher;
  tell(watcher, {WatchedCall(0, 1, 8).send(1, 0, 8, 0, SendMode::kSynchronous),
                 WatchedCall(1, 5, 9).receive(0)});
  const WaitSums sums = watcher.waits();
  CHECK(wait_of(sums, 0, WaitKind::kLateReceiver) == 4);
  CHECK(sums.ranks()[1].caused == 4);
}

TEST_CASE("the posting of a nonblocking receive counts, and the call that completes the send") {
  // Isend at 1, completed in a call from 10 to 30; Irecv posted at 17: 17 - 10 = 7
  Watcher watcher;
  tell(
      watcher,
      {WatchedCall(0, 1, 2).send(1, 0, 1000000, 5), WatchedCall(1, 17, 18).about(kReceiveBegins, 1),
       WatchedCall(1, 19, 30).receive(0, 0, 1), WatchedCall(0, 10, 30, 4).about(kSendEnds, 5)});
  const WaitSums sums = watcher.waits();
  CHECK(wait_of(sums, 0, WaitKind::kLateReceiver) == 7);
  CHECK(sums.places().at({4, WaitKind::kLateReceiver, 0}).time == 7);
  check_messages(watcher.messages());
}

TEST_CASE("sizes that were seen to be eager do not wait for receivers, also in earlier waits") {
  // Two sends of 100 bytes and one of 5000 seem to wait 4 each. Then a send of 200 bytes returns
  // before its receive is posted: 100 bytes are eager as well, so only the one of 5000 waited.
  Watcher watcher;
  const auto late = [&](Nanoseconds t, std::uint64_t bytes) {
    tell(watcher,
         {WatchedCall(0, t + 1, t + 8).send(1, 0, bytes), WatchedCall(1, t + 5, t + 9).receive(0)});
  };
  late(0, 100);
  late(10, 5000);
  CHECK(wait_of(watcher.waits(), 0, WaitKind::kLateReceiver) == 8);
  tell(watcher, {WatchedCall(0, 21, 22).send(1, 0, 200), WatchedCall(1, 30, 31).receive(0)});
  CHECK(wait_of(watcher.waits(), 0, WaitKind::kLateReceiver) == 4);
  late(40, 100);
  CHECK(wait_of(watcher.waits(), 0, WaitKind::kLateReceiver) == 4);
}

TEST_CASE("what a call waits for its late sender is no late receiver") {
  // MPI_Waitall from 10 to 40 of a receive sent at 15 (5) and of a send posted at 22 (12): 12 - 5 =
  // 7
  Watcher watcher;
  tell(watcher,
       {WatchedCall(0, 1, 2).about(kReceiveBegins, 1), WatchedCall(0, 3, 4).send(1, 0, 1 << 20, 2),
        WatchedCall(0, 10, 40, 0, CallKind::kWaitMultiple).receive(1, 0, 1).about(kSendEnds, 2),
        WatchedCall(1, 15, 16).send(0, 0, 8), WatchedCall(1, 22, 30).receive(0)});
  const WaitSums sums = watcher.waits();
  CHECK(wait_of(sums, 0, WaitKind::kLateSender) == 5);
  CHECK(wait_of(sums, 0, WaitKind::kLateReceiver) == 7);
  check_messages(watcher.messages());
}

TEST_CASE("a message to oneself is settled once") {
  // MPI_Sendrecv of rank 0 with itself: neither waits
  Watcher watcher;
  tell(watcher, {WatchedCall(0, 1, 9).send(0, 0, 8, 0, SendMode::kSendrecv).receive(0),
                 WatchedCall(0, 11, 19).send(0, 0, 8, 0, SendMode::kSendrecv).receive(0)});
  CHECK(watcher.messages().matched == 2);
  CHECK(watcher.waits().ranks()[0].waiting() == 0);
}

TEST_CASE("messages that were not recorded keep their places") {
  // The first of two sends was not recorded: the first receive has no partner.
  Watcher watcher;
  tell(watcher, {WatchedCall(0, 15, 16).missing(kSendsMissing, 1, 1).send(1),
                 WatchedCall(1, 1, 2).receive(0), WatchedCall(1, 11, 20).receive(0)});
  CHECK(wait_of(watcher.waits(), 1, WaitKind::kLateSender) == 4);  // 15 - 11
  CHECK(watcher.messages().not_recorded == 1);
  check_messages(watcher.messages());
}

TEST_CASE("a cancelled send has no place in its channel") {
  Watcher watcher;
  tell(watcher, {WatchedCall(0, 1, 2).send(1, 0, 8, 4), WatchedCall(0, 3, 4).about(kCancelled, 4),
                 WatchedCall(0, 15, 16).send(1), WatchedCall(1, 11, 20).receive(0)});
  CHECK(wait_of(watcher.waits(), 1, WaitKind::kLateSender) == 4);
  CHECK(watcher.messages().cancelled == 1);
  check_messages(watcher.messages());
}

TEST_CASE("unmatched messages are bounded, the oldest is left out with its call") {
  Limits limits;
  limits.unmatched = 2;
  Watcher watcher(limits);
  for (int i = 0; i < 4; ++i) tell(watcher, {WatchedCall(1, 10 * i, 10 * i + 9).receive(0)});
  CHECK(watcher.messages().pending == 2);
  CHECK(watcher.messages().no_room == 2);
  CHECK(watcher.messages().incomplete_calls == 2);
  for (int i = 0; i < 4; ++i) tell(watcher, {WatchedCall(0, 10 * i + 1, 10 * i + 5).send(1)});
  CHECK(watcher.messages().matched == 2);
  CHECK(wait_of(watcher.waits(), 1, WaitKind::kLateSender) == 2);
  check_messages(watcher.messages());
}

TEST_CASE("channels are bounded; those without open messages make room") {
  Limits limits;
  limits.channels = 2;
  Watcher watcher(limits);
  for (int tag = 0; tag < 10; ++tag) {
    tell(watcher, {WatchedCall(1, 0, 9).receive(0, tag), WatchedCall(0, 1, 5).send(1, tag)});
  }
  CHECK(watcher.messages().matched == 10);
  for (int tag = 0; tag < 3; ++tag) tell(watcher, {WatchedCall(0, 11, 12).send(1, tag)});
  CHECK(watcher.messages().no_room == 1);
  check_messages(watcher.messages());
}

TEST_CASE("after a loss the messages of a rank are left out, those of others go on") {
  Watcher watcher;
  tell(watcher, {WatchedCall(0, 1, 2).send(1), WatchedCall(2, 1, 9).receive(0)});
  watcher.lose(1);
  tell(watcher, {WatchedCall(1, 1, 9).receive(0), WatchedCall(0, 5, 6).send(2)});
  CHECK(watcher.messages().after_loss == 2);
  CHECK(wait_of(watcher.waits(), 2, WaitKind::kLateSender) == 4);
  check_messages(watcher.messages());
  const WaitSums sums = watcher.waits();
  CHECK(sums.ranks()[0].known() == 0);  // its first call sent to rank 1
  CHECK(sums.ranks()[1].known() == 0);
  CHECK(sums.ranks()[2].all_known());
}

TEST_CASE("the waits of a rank are known until it meets one whose records were lost") {
  // Rank 2 waits from 1 to 5, and from 31 to 35 for rank 0. In between, at 21, it receives from
  // rank 1, whose records were lost: known from 1 to 21, with 4 of waiting.
  Watcher watcher;
  tell(watcher, {WatchedCall(0, 5, 6).send(2), WatchedCall(2, 1, 9).receive(0)});
  watcher.lose(1);
  tell(watcher, {WatchedCall(2, 21, 25).receive(1), WatchedCall(0, 35, 36).send(2),
                 WatchedCall(2, 31, 39).receive(0)});
  const WaitSums sums = watcher.waits();
  CHECK(sums.ranks()[2].waiting() == 4);
  CHECK(sums.ranks()[2].known() == 20);
  CHECK(sums.after_loss() == 1);
  CHECK(sums.ranks()[0].known() == 31);  // 36 - 5: it did not meet rank 1
}

TEST_CASE("a nonblocking send after a loss counts once, and its call is left out") {
  Watcher watcher;
  watcher.lose(1);
  tell(watcher, {WatchedCall(0, 1, 2).send(1, 0, 8, 5), WatchedCall(0, 3, 9).about(kSendEnds, 5)});
  CHECK(watcher.messages().after_loss == 1);
  CHECK(watcher.messages().ends_without_begin == 0);
  CHECK(watcher.messages().incomplete_calls == 1);
  check_messages(watcher.messages());
}

TEST_CASE("messages with ranks whose calls are not told are left out and take no room") {
  // The channels to rank 1 would never be empty.
  Limits limits;
  limits.channels = 2;
  Watcher watcher(limits);
  tell(watcher, {WatchedCall(0, 1, 2).send(1, 100)});
  watcher.leave_out(1);
  for (int tag = 0; tag < 5; ++tag)
    tell(watcher, {WatchedCall(0, 1, 2).send(1, tag), WatchedCall(0, 3, 4).receive(1, tag)});
  tell(watcher, {WatchedCall(2, 11, 19).receive(0), WatchedCall(0, 14, 15).send(2)});
  CHECK(watcher.messages().elsewhere == 11);
  CHECK(watcher.messages().no_room == 0);
  CHECK(watcher.messages().pending == 0);
  CHECK(wait_of(watcher.waits(), 2, WaitKind::kLateSender) == 3);  // 14 - 11
  check_messages(watcher.messages());
}

TEST_CASE("of too many sends that do not end, the one that began first is forgotten") {
  // Two are remembered. Rank 1 began first, then rank 0, then rank 1 again.
  Limits limits;
  limits.unmatched = 2;
  Watcher watcher(limits);
  tell(watcher,
       {WatchedCall(1, 1, 2).send(0, 0, 8, 1), WatchedCall(0, 1, 2).receive(1),
        WatchedCall(0, 3, 4).send(1, 0, 8, 1), WatchedCall(1, 3, 4).receive(0),
        WatchedCall(1, 5, 6).send(0, 0, 8, 2), WatchedCall(0, 5, 6).receive(1),
        WatchedCall(0, 7, 8).about(kSendEnds, 1), WatchedCall(1, 7, 8).about(kSendEnds, 2)});
  CHECK(watcher.messages().ends_without_begin == 0);
  tell(watcher, {WatchedCall(1, 9, 10).about(kSendEnds, 1)});
  CHECK(watcher.messages().ends_without_begin == 1);
}

TEST_CASE("a receive whose end was not recorded has its place where it was posted") {
  // Two receives on one channel; messages are sent at 5 and 25. The second one ends in a call from
  // 20 to 30, the first one in a call that is not recorded: the second one belongs to the message
  // sent at 25, and waits 25 - 20 = 5.
  Operation missing;
  missing.kind = kReceivesMissing;
  missing.peer = 1;
  missing.count = 1;
  missing.request = 1;
  Watcher watcher;
  tell(watcher, {WatchedCall(1, 5, 6).send(0), WatchedCall(1, 25, 26).send(0),
                 WatchedCall(0, 1, 2).about(kReceiveBegins, 1),
                 WatchedCall(0, 3, 4).about(kReceiveBegins, 2),
                 WatchedCall(0, 20, 30).receive(1, 0, 2), WatchedCall(0, 31, 32).with(missing)});
  CHECK(watcher.messages().matched == 1);
  CHECK(wait_of(watcher.waits(), 0, WaitKind::kLateSender) == 5);
  CHECK(watcher.messages().not_recorded == 1);
  check_messages(watcher.messages());
}

TEST_CASE("a receive that never ends holds back only so many later ones") {
  Limits limits;
  limits.open_requests = 2;
  Watcher watcher(limits);
  tell(watcher, {WatchedCall(1, 0, 1).about(kReceiveBegins, 9)});
  for (int i = 0; i < 4; ++i)
    tell(watcher, {WatchedCall(1, 10 * i, 10 * i + 9).receive(0),
                   WatchedCall(0, 10 * i + 1, 10 * i + 2).send(1)});
  CHECK(watcher.messages().out_of_order == 1);
  CHECK(wait_of(watcher.waits(), 1, WaitKind::kLateSender) == 4);
  check_messages(watcher.messages());
}

TEST_CASE("at the end, calls with partners that never came count what is known") {
  Watcher watcher;
  tell(
      watcher,
      {WatchedCall(0, 1, 2).about(kReceiveBegins, 1), WatchedCall(0, 3, 4).about(kReceiveBegins, 2),
       WatchedCall(0, 10, 30).receive(1, 0, 1).receive(2, 0, 2), WatchedCall(1, 15, 16).send(0)});
  watcher.finish();
  CHECK(wait_of(watcher.waits(), 0, WaitKind::kLateSender) == 5);
  CHECK(watcher.messages().pending == 1);
  check_messages(watcher.messages());
}
