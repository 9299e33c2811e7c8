// SPDX-License-Identifier: BSD-3-Clause
// Names for functions that were recorded by address.
#pragma once

#include <string>
#include <vector>

#include "archive/result.hpp"
#include "tracer/convert/definitions/unify.hpp"
#include "tracer/exchange/group.hpp"

namespace latecomer::convert {

// Rank 0 looks up the names in the files of the programs. Files that it cannot read, for example on
// another metahost, are read by the processes that ran them. Functions whose file no process can
// read are named by file and address.
//
// `mine` are the definitions of this process. `inputs`, on rank 0, are those of all processes by
// rank. Returns, on rank 0, sentences about files that no process could read. Does nothing if rank
// 0's `status` is a Problem. Collective.
std::vector<std::string> name_functions(exchange::Group& group, const record::Definitions& mine,
                                        std::vector<ProcessInput>& inputs, Status& status);

}  // namespace latecomer::convert
