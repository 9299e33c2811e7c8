// SPDX-License-Identifier: BSD-3-Clause
// The table of descriptors, and what children see of it.
#include "tracer/state/file_state.hpp"

#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

using latecomer::files::Descriptor;
using latecomer::files::DescriptorTable;

namespace {

// Exit code of a child that is forked without the handlers of pthread_atfork().
template <typename Work>
int in_child(Work&& work) {
  const auto child = static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, 0));
  if (child == 0) _exit(work());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEST_CASE("descriptors are unknown at first, and only those of the table exist") {
  DescriptorTable* const table = DescriptorTable::make();
  REQUIRE(table != nullptr);
  CHECK(table->is_alive());
  CHECK(table->is_of_this_process());
  CHECK(table->find(-1) == nullptr);
  CHECK(table->find(DescriptorTable::kDescriptors) == nullptr);
  CHECK(table->find(0)->id == Descriptor::kUnknown);
  CHECK(table->find(DescriptorTable::kDescriptors - 1)->id == Descriptor::kUnknown);
}

TEST_CASE("ids begin with 1 and end") {
  DescriptorTable* const table = DescriptorTable::make();
  for (std::uint32_t id = 1; id <= DescriptorTable::kMostIds; ++id) REQUIRE(table->next_id() == id);
  CHECK(table->next_id() == Descriptor::kUnknown);
  CHECK(table->next_id() == Descriptor::kUnknown);
}

TEST_CASE("a child has an empty table, a child of vfork() that of its parent") {
  DescriptorTable* const table = DescriptorTable::make();
  table->find(3)->id = 7;
  CHECK(in_child([&] { return table->is_alive() || table->find(3)->id != 0 ? 1 : 0; }) == 0);
  CHECK(table->find(3)->id == 7);
  const pid_t child = vfork();
  if (child == 0) _exit(table->is_alive() && !table->is_of_this_process() ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(status == 0);
  CHECK(table->is_of_this_process());
}
