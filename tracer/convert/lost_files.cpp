// SPDX-License-Identifier: BSD-3-Clause
// Checks that the files of all locations in an archive are there and have their end.
#include "tracer/convert/lost_files.hpp"

#include <otf2/otf2.h>

#include "archive/otf2/anchor_check.hpp"
#include "archive/otf2/definition_records.hpp"
#include "archive/otf2/end_mark.hpp"
#include "archive/otf2/errors.hpp"

namespace latecomer::convert {
namespace {

namespace fs = std::filesystem;

// Locations that have events.
using Locations = std::vector<OTF2_LocationRef>;

OTF2_CallbackCode add_location(void* locations, OTF2_LocationRef id, OTF2_StringRef,
                               OTF2_LocationType, std::uint64_t events, OTF2_LocationGroupRef) {
  if (events > 0) static_cast<Locations*>(locations)->push_back(id);
  return OTF2_CALLBACK_SUCCESS;
}

bool read_locations(OTF2_Reader* reader, const fs::path& file, Locations& locations) {
  std::uint64_t event_chunk = 0, chunk = 0;
  OTF2_Reader_GetChunkSize(reader, &event_chunk, &chunk);
  if (!otf2::definitions_are_whole(file, otf2::DefinitionsOf::kAll, chunk)) return false;
  OTF2_GlobalDefReader* definitions = OTF2_Reader_GetGlobalDefReader(reader);
  if (definitions == nullptr) return false;
  OTF2_GlobalDefReaderCallbacks* callbacks = OTF2_GlobalDefReaderCallbacks_New();
  OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, add_location);
  OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks, &locations);
  OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
  std::uint64_t count = 0;
  return OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &count) == OTF2_SUCCESS;
}

}  // namespace

std::vector<std::string> lost_files(const fs::path& anchor, bool is_part) {
  const otf2::Errors silence;
  const std::string name = anchor.stem().string();
  Locations locations;
  bool known = false;
  OTF2_Reader* reader = otf2::check_anchor(anchor) ? OTF2_Reader_Open(anchor.c_str()) : nullptr;
  if (reader != nullptr) {
    OTF2_Reader_SetSerialCollectiveCallbacks(reader);
    known = read_locations(reader, anchor.parent_path() / (name + ".def"), locations);
    OTF2_Reader_Close(reader);
  }
  if (!known) return {name + ".def"};
  std::vector<std::string> lost;
  for (const OTF2_LocationRef id : locations) {
    for (const char* ending : {".evt", ".def"}) {
      const std::string file = name + '/' + std::to_string(id) + ending;
      const fs::path path = anchor.parent_path() / file;
      std::error_code ignored;
      const bool is_lost = fs::exists(path, ignored) ? !otf2::has_end_mark(path) : !is_part;
      if (is_lost) lost.push_back(file);
    }
  }
  return lost;
}

}  // namespace latecomer::convert
