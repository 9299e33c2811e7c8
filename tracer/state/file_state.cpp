// SPDX-License-Identifier: BSD-3-Clause
// Makes the table of descriptors.
#include "tracer/state/file_state.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <new>

#include "archive/mapping.hpp"

namespace latecomer::files {

DescriptorTable* DescriptorTable::make() {
  constexpr std::size_t kPage = 4096;
  constexpr std::size_t kBytes = (sizeof(DescriptorTable) + kPage - 1) / kPage * kPage;
  Mapping memory = Mapping::of_memory(kBytes, PROT_READ | PROT_WRITE);
  if (!memory || madvise(memory.data(), kBytes, MADV_WIPEONFORK) != 0) return nullptr;
  // Zeros are a table already; a constructor would touch all its pages.
  auto* const table = reinterpret_cast<DescriptorTable*>(memory.release());
  table->process_.store(getpid());
  return table;
}

bool DescriptorTable::is_of_this_process() const {
  return process_.load(std::memory_order_relaxed) == getpid();
}

}  // namespace latecomer::files
