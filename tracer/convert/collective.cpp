// SPDX-License-Identifier: BSD-3-Clause
// Logs to rank 0, maps back, everybody writes its locations, rank 0 the rest, of which the other
// parts get copies.
#include <algorithm>
#include <memory>
#include <optional>

#include "archive/layout.hpp"
#include "archive/settings.hpp"
#include "archive/shell_word.hpp"
#include "tracer/convert/archive_parts.hpp"
#include "tracer/convert/clocks/measured_clocks.hpp"
#include "tracer/convert/convert.hpp"
#include "tracer/convert/definitions/function_names.hpp"
#include "tracer/convert/definitions/guarded.hpp"
#include "tracer/convert/definitions/unify.hpp"
#include "tracer/convert/process_records.hpp"
#include "tracer/convert/run_summary.hpp"

namespace latecomer::convert {
namespace {

std::string packed(ProcessRecords& mine) {
  ByteWriter out;
  out.put_text(mine.take_log());
  out.put_all(mine.input().usage.regions);
  out.put_all(mine.input().usage.comms);
  out.put(mine.input().usage.call_paths);
  out.put_all(mine.input().usage.sampled_frames);
  out.put_all(mine.input().usage.sample_periods);
  out.put(mine.input().usage.kernel_use);
  out.put(mine.input().usage.counted);
  out.put(std::uint64_t{mine.input().usage.files.size()});
  for (const UsedFile& file : mine.input().usage.files) {
    out.put(file.about);
    out.put_text(file.name);
  }
  out.put(std::uint64_t{mine.input().usage.teams.size()});
  for (const auto& team : mine.input().usage.teams) out.put_all(team);
  out.put_all(mine.input().usage.posix_threads);
  out.put(mine.input().usage.wakes_threads);
  out.put_all(mine.input().usage.blocked_places);
  return out.take();
}

ProcessInput unpacked(std::uint32_t rank, std::string_view text) {
  ByteReader in(text);
  ProcessInput input;
  input.rank = rank;
  input.definitions = record::parse_definitions(in.get_text());
  input.usage.regions = in.get_all<std::uint32_t>();
  input.usage.comms = in.get_all<std::uint32_t>();
  input.usage.call_paths = in.get<bool>();
  input.usage.sampled_frames = in.get_all<std::uint32_t>();
  input.usage.sample_periods = in.get_all<std::uint32_t>();
  input.usage.kernel_use = in.get<bool>();
  input.usage.counted = in.get<bool>();
  for (auto count = in.get<std::uint64_t>(); count != 0 && in.ok(); --count) {
    const auto about = in.get<record::FileDescription>();
    input.usage.files.push_back({about, std::string(in.get_text())});
  }
  for (auto count = in.get<std::uint64_t>(); count != 0 && in.ok(); --count) {
    input.usage.teams.push_back(in.get_all<std::uint32_t>());
  }
  input.usage.posix_threads = in.get_all<std::uint32_t>();
  input.usage.wakes_threads = in.get<bool>();
  input.usage.blocked_places = in.get_all<BlockedPlace>();
  return input;
}

class Conversion {
 public:
  Conversion(exchange::Group& group, const Destination& where, std::string last_word)
      : group_(group),
        comm_(where.comm),
        directory_(where.directory),
        parts_(where.parts),
        last_word_(std::move(last_word)) {
    is_maker_ = group.rank() == where.maker;
    writer_ = {static_cast<std::uint32_t>(group.rank()), static_cast<std::uint32_t>(group.size())};
    scalasca25_ = setting_text(SettingId::kCompat) == "scalasca25";
  }

  Status run() {
    read();
    unify_all();
    open();
    write_locations();
    write_rest();
    if (archive_ != nullptr) archive_->close();
    keep(archive_ == nullptr ? success() : archive_->status());
    archive_.reset();
    if (parts_ > 1) copy_to_parts();
    agree_with_root();
    if (!status_ && is_maker_) otf2::remove_archive(directory_);
    return status_;
  }

  [[nodiscard]] Findings take_findings() { return {std::move(notes_), std::move(last_words_)}; }

 private:
  [[nodiscard]] bool is_root() const { return writer_.rank == 0; }

  void keep(const Status& status) {
    if (status_ && !status) status_ = status;
  }

  // Sets status_ to that of rank 0 on all processes. Collective.
  void agree_with_root() {
    const std::string text = group_.broadcast_text(status_ ? "" : status_.problem().what);
    status_ = success();
    if (!text.empty()) {
      const std::string repair =
          "`latecomer repair " + shell_word(directory_) + "` makes the archive";
      status_ =
          Problem{text, parts_ == 1 ? "the records are kept; with the cause removed, " + repair
                                    : "the records are kept in all " + std::to_string(parts_) +
                                          " parts; with the cause removed, `latecomer collect` "
                                          "brings them together and `latecomer repair` makes the "
                                          "archive"};
    }
  }

  // Rank 0 has the lowest process's problem; the others keep their own. Collective.
  void tell_root() {
    const std::vector<std::string> problems =
        group_.gather_texts(status_ ? "" : status_.problem().what);
    for (const std::string& problem : problems) {
      if (!problem.empty()) keep(Problem{problem, ""});
    }
  }

  void read() {
    guarded(status_, [this] {
      mine_.emplace(directory_ + '/' + layout::kRecords, writer_.rank,
                    std::vector<std::uint32_t>());
    });
  }

  void unify_all() {
    std::string records;
    guarded(status_, [&] { records = packed(*mine_); });
    ByteWriter mine;
    mine.put_text(last_word_);
    mine.put_text(records);
    mine.put_text(mine_ ? mine_->unreadable() : "");
    const std::vector<std::string> texts = group_.gather_texts(mine.take());
    guarded(status_, [&] {
      // All of them first: they are told to the user though a log cannot be read.
      for (const std::string& text : texts) last_words_.emplace_back(ByteReader(text).get_text());
      std::string unreadable;
      for (std::size_t rank = 0; rank < texts.size(); ++rank) {
        ByteReader in(texts[rank]);
        in.get_text();
        inputs_.push_back(unpacked(static_cast<std::uint32_t>(rank), in.get_text()));
        const std::string_view why = in.get_text();
        if (unreadable.empty()) unreadable = why;
      }
      // Each process has logged itself, so all of that is gone, or cannot be read.
      if (is_root() && std::ranges::none_of(inputs_, [](const ProcessInput& input) {
            return input.definitions.process.size != 0;
          })) {
        keep(Problem{unreadable.empty() ? "the records in " + directory_ + " are gone" : unreadable,
                     ""});
      }
    });
    notes_ = name_functions(group_, mine_ ? mine_->input().definitions : record::Definitions(),
                            inputs_, status_);
    std::vector<std::string> replies(texts.size());
    if (is_root()) {
      guarded(status_, [&] {
        unified_ = unify(inputs_, writer_.size, mpi_functions(), scalasca25_);
        clocks_ = Clocks(inputs_);
        for (std::size_t rank = 0; rank < replies.size(); ++rank) {
          ByteWriter out;
          out.put(scalasca25_);
          unified_.maps[rank].put(out);
          out.put_all(clocks_.offsets(static_cast<std::uint32_t>(rank)).points());
          replies[rank] = out.take();
        }
      });
    }
    const std::string reply = group_.scatter_texts(replies);
    guarded(status_, [&] {
      ByteReader in(reply);
      scalasca25_ = in.get<bool>();  // what holds on rank 0 holds for all
      map_ = ProcessMap::get(in);
      offsets_ = ClockOffsets(in.get_all<ClockOffsets::Point>());
    });
  }

  // The directories are created before anybody opens a file in them: OTF2 does it on rank 0.
  void open() {
    const auto open_here = [this] {
      guarded(status_, [this] {
        archive_ =
            std::make_unique<otf2::ArchiveWriter>(directory_, otf2::definition_chunk(writer_.size));
        archive_->begin(writer_);
        keep(archive_->status());
      });
    };
    if (is_root()) {
      open_here();
    } else if (is_maker_) {
      keep(make_archive_folder(directory_));
    }
    if (parts_ > 1) tell_root();
    all_are_open_ = group_.broadcast_text(is_root() && status_ ? "open" : "") == "open";
    if (!is_root() && all_are_open_) open_here();
  }

  void write_locations() {
    if (!all_are_open_) return;
    ProcessReport report;
    guarded(status_, [&] {
      report = mine_->write(*archive_, map_, offsets_, scalasca25_);
      keep(archive_->status());
      // The experiment is being removed.
      if (const std::string& path = mine_->vanished(); !path.empty()) {
        keep(Problem{path + " is gone", ""});
      }
    });
    ByteWriter out;
    out.put_text(status_ ? "" : status_.problem().what);
    report.put(out);
    const std::vector<std::string> texts = group_.gather_texts(out.take());
    guarded(status_, [&] {
      for (const std::string& text : texts) {
        ByteReader in(text);
        if (const auto problem = in.get_text(); !problem.empty()) {
          keep(Problem{std::string(problem), ""});
        }
        reports_.push_back(ProcessReport::get(in));
      }
    });
  }

  void write_rest() {
    if (!all_are_open_ || !is_root()) return;
    guarded(status_, [this] {
      RunSummary summary(writer_.size, std::move(reports_), unified_.unknown_comms);
      summary.is_in_parts(parts_);
      summary.read_logs(inputs_);
      for (const std::string& note : clocks_.notes()) notes_.push_back(note);
      for (const std::string& note : notes_) summary.note(note);
      summary.write(*archive_, unified_.global, clocks_, scalasca25_);
      keep(archive_->status());
      keep(write_manifest(directory_, summary.report(), setting_flag(SettingId::kKeepRecords)));
    });
  }

  // Files that rank 0 has written, for the directories that it does not see. Collective.
  void copy_to_parts() {
    MPI_Comm makers = MPI_COMM_NULL;
    PMPI_Comm_split(comm_, is_maker_ ? 0 : MPI_UNDEFINED, static_cast<int>(writer_.rank), &makers);
    if (makers != MPI_COMM_NULL) {
      keep(copy_definitions(makers, directory_, status_.ok()));
      PMPI_Comm_free(&makers);
    }
    tell_root();
  }

  exchange::Group& group_;
  MPI_Comm comm_;
  const std::string directory_;
  bool is_maker_ = false;
  const int parts_;
  const std::string last_word_;
  otf2::Writer writer_;
  bool scalasca25_ = false;
  bool all_are_open_ = false;
  Status status_ = success();

  std::optional<ProcessRecords> mine_;
  ProcessMap map_;
  ClockOffsets offsets_;
  std::unique_ptr<otf2::ArchiveWriter> archive_;

  // On rank 0.
  std::vector<ProcessInput> inputs_;
  std::vector<std::string> notes_;
  std::vector<std::string> last_words_;
  Unified unified_;
  Clocks clocks_;
  std::vector<ProcessReport> reports_;
};

}  // namespace

Status convert_collectively(exchange::Group& group, const Destination& where,
                            const std::string& last_word, Findings* found) {
  Conversion conversion(group, where, last_word);
  Status status = conversion.run();
  if (found != nullptr) *found = conversion.take_findings();
  return status;
}

}  // namespace latecomer::convert
