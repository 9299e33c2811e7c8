// SPDX-License-Identifier: BSD-3-Clause
// An error callback for OTF2, and SIGXFSZ ignored.
#include "tracer/convert/otf2_errors.hpp"

#include <array>
#include <cstdio>
#include <string_view>

namespace latecomer::convert {

Otf2Errors::Otf2Errors() : before_(OTF2_Error_RegisterCallback(keep, this)) {
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGXFSZ, &ignore, &limit_signal_);
}

Otf2Errors::~Otf2Errors() {
  sigaction(SIGXFSZ, &limit_signal_, nullptr);
  OTF2_Error_RegisterCallback(before_, nullptr);
}

OTF2_ErrorCode Otf2Errors::keep(void* self, const char*, std::uint64_t, const char*,
                                OTF2_ErrorCode code, const char* format, va_list arguments) {
  auto& first = static_cast<Otf2Errors*>(self)->first_;
  if (first || code == OTF2_SUCCESS) return code;
  std::array<char, 4096> text{};
  if (format != nullptr) std::vsnprintf(text.data(), text.size(), format, arguments);
  constexpr std::string_view kPrefix = "POSIX: ";
  std::string_view what = text.data();
  if (what.starts_with(kPrefix)) what.remove_prefix(kPrefix.size());
  first = std::string(what) + ": " + OTF2_Error_GetDescription(code);
  return code;
}

Status Otf2Errors::status() const {
  if (!first_) return success();
  return Problem{"cannot write the archive: " + *first_, "", Exit::kBadInput};
}

}  // namespace latecomer::convert
