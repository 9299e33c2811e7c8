// SPDX-License-Identifier: BSD-3-Clause
// Tables of words, indexed by OTF2's enumerators.
#include "analyzer/trace/definitions/report_words.hpp"

#include <otf2/otf2.h>

#include <array>
#include <utility>

namespace latecomer::trace {
namespace {

using Word = std::pair<std::uint8_t, const char*>;

constexpr std::array kParadigms = {
    Word{OTF2_PARADIGM_USER, "user"},       Word{OTF2_PARADIGM_COMPILER, "compiler"},
    Word{OTF2_PARADIGM_OPENMP, "openmp"},   Word{OTF2_PARADIGM_MPI, "mpi"},
    Word{OTF2_PARADIGM_CUDA, "cuda"},       Word{OTF2_PARADIGM_MEASUREMENT_SYSTEM, "measurement"},
    Word{OTF2_PARADIGM_PTHREAD, "pthread"}, Word{OTF2_PARADIGM_SHMEM, "shmem"},
    Word{OTF2_PARADIGM_OPENCL, "opencl"},   Word{OTF2_PARADIGM_SAMPLING, "sampling"},
    Word{OTF2_PARADIGM_OPENACC, "openacc"}, Word{OTF2_PARADIGM_HIP, "hip"},
};

constexpr std::array kRoles = {
    Word{OTF2_REGION_ROLE_FUNCTION, "function"},
    Word{OTF2_REGION_ROLE_WRAPPER, "wrapper"},
    Word{OTF2_REGION_ROLE_LOOP, "loop"},
    Word{OTF2_REGION_ROLE_CODE, "code"},
    Word{OTF2_REGION_ROLE_PARALLEL, "parallel"},
    Word{OTF2_REGION_ROLE_SECTIONS, "sections"},
    Word{OTF2_REGION_ROLE_SECTION, "section"},
    Word{OTF2_REGION_ROLE_WORKSHARE, "workshare"},
    Word{OTF2_REGION_ROLE_SINGLE, "single"},
    Word{OTF2_REGION_ROLE_SINGLE_SBLOCK, "single sblock"},
    Word{OTF2_REGION_ROLE_MASTER, "master"},
    Word{OTF2_REGION_ROLE_CRITICAL, "critical"},
    Word{OTF2_REGION_ROLE_CRITICAL_SBLOCK, "critical sblock"},
    Word{OTF2_REGION_ROLE_ATOMIC, "atomic"},
    Word{OTF2_REGION_ROLE_BARRIER, "barrier"},
    Word{OTF2_REGION_ROLE_IMPLICIT_BARRIER, "implicit barrier"},
    Word{OTF2_REGION_ROLE_FLUSH, "flush"},
    Word{OTF2_REGION_ROLE_ORDERED, "ordered"},
    Word{OTF2_REGION_ROLE_ORDERED_SBLOCK, "ordered sblock"},
    Word{OTF2_REGION_ROLE_TASK, "task"},
    Word{OTF2_REGION_ROLE_TASK_CREATE, "task create"},
    Word{OTF2_REGION_ROLE_TASK_WAIT, "taskwait"},
    Word{OTF2_REGION_ROLE_TASK_UNTIED, "untied task"},
    Word{OTF2_REGION_ROLE_COLL_ONE2ALL, "one2all"},
    Word{OTF2_REGION_ROLE_COLL_ALL2ONE, "all2one"},
    Word{OTF2_REGION_ROLE_COLL_ALL2ALL, "all2all"},
    Word{OTF2_REGION_ROLE_COLL_OTHER, "other collective"},
    Word{OTF2_REGION_ROLE_FILE_IO, "file io"},
    Word{OTF2_REGION_ROLE_FILE_IO_METADATA, "file io metadata"},
    Word{OTF2_REGION_ROLE_POINT2POINT, "point2point"},
    Word{OTF2_REGION_ROLE_RMA, "rma"},
    Word{OTF2_REGION_ROLE_ARTIFICIAL, "artificial"},
    Word{OTF2_REGION_ROLE_THREAD_CREATE, "thread create"},
    Word{OTF2_REGION_ROLE_THREAD_WAIT, "thread wait"},
    Word{OTF2_REGION_ROLE_ALLOCATE, "allocate"},
    Word{OTF2_REGION_ROLE_DEALLOCATE, "deallocate"},
    Word{OTF2_REGION_ROLE_REALLOCATE, "reallocate"},
};

template <typename Table>
std::string find(const Table& table, std::uint8_t key) {
  for (const auto& [id, word] : table) {
    if (id == key) return word;
  }
  return "unknown";
}

}  // namespace

std::string paradigm_word(std::uint8_t otf2_paradigm) { return find(kParadigms, otf2_paradigm); }
std::string role_word(std::uint8_t otf2_role) { return find(kRoles, otf2_role); }

}  // namespace latecomer::trace
