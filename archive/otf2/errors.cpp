// SPDX-License-Identifier: BSD-3-Clause
// Registers an error callback with OTF2, and ignores SIGXFSZ.
#include "archive/otf2/errors.hpp"

#include <cerrno>
#include <cstring>

namespace latecomer::otf2 {

Errors::Errors() : before_(OTF2_Error_RegisterCallback(keep, this)) {
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGXFSZ, &ignore, &limit_signal_);
}

Errors::~Errors() {
  sigaction(SIGXFSZ, &limit_signal_, nullptr);
  OTF2_Error_RegisterCallback(before_, nullptr);
}

OTF2_ErrorCode Errors::keep(void* self, const char*, std::uint64_t, const char*,
                            OTF2_ErrorCode code, const char*, va_list) {
  auto* const errors = static_cast<Errors*>(self);
  if (!errors->paused_ && !errors->first_ && code != OTF2_SUCCESS) {
    errors->first_ = "cannot write " + errors->file_ + ": " + OTF2_Error_GetDescription(code);
  }
  return code;
}

void Errors::add(int error) {
  const char* const why =
      error == EFBIG ? OTF2_Error_GetDescription(OTF2_ERROR_EFBIG) : std::strerror(error);
  if (!first_) first_ = "cannot write " + file_ + ": " + why;
}

Status Errors::status() const {
  if (!first_) return success();
  return Problem{*first_, ""};
}

}  // namespace latecomer::otf2
