#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <kumiko/io/output_folder.hpp>
#include <kumiko/io/trace_file.hpp>

#include "files/part_file.hpp"
#include "trace/otf2_library.hpp"
#include "trace/trace_order.hpp"

namespace kumiko::io {

namespace {

namespace fs = std::filesystem;

using otf2::Complaints;

OTF2_FlushType always_flush(void* /*data*/, OTF2_FileType /*type*/, OTF2_LocationRef /*of*/,
                            void* /*caller*/, bool /*last*/) {
  return OTF2_FLUSH;
}

/// Attributes of a piece's enter event.
enum Attribute : OTF2_AttributeRef { kI, kJ, kBaseStep, kNumber, kSteals, kCause };
/// Metrics of a worker, each a class of its own since either may be unknown.
enum Metric : OTF2_MetricRef { kReady, kIoInFlight };
constexpr std::uint32_t kKinds = static_cast<std::uint32_t>(amr::PieceKind::kFinish) + 1;

/// Names that have numbers, in the order in which they come: as readers want definitions.
class Names {
 public:
  std::uint32_t operator()(const std::string& name) {
    const auto number = std::ranges::find(all_, name) - all_.begin();
    if (number == std::ssize(all_)) all_.push_back(name);
    return static_cast<std::uint32_t>(number);
  }
  const std::vector<std::string>& all() const { return all_; }

 private:
  std::vector<std::string> all_;  ///< a few dozen
};

/// The strings of other definitions and events, which are written before them.
class Strings {
 public:
  explicit Strings(const Complaints& complaints) : complaints_(complaints) {}

  OTF2_StringRef operator()(const std::string& text) {
    const OTF2_StringRef string = names_(text);
    if (writer_ != nullptr) write_new();
    return string;
  }

  /// Writes those that are known, and from now on every other one at once.
  void write_to(OTF2_GlobalDefWriter* writer) {
    writer_ = writer;
    write_new();
  }

 private:
  void write_new() {
    for (; written_ < names_.all().size(); ++written_) {
      complaints_.require(OTF2_GlobalDefWriter_WriteString(
          writer_, static_cast<OTF2_StringRef>(written_), names_.all()[written_].c_str()));
    }
  }

  const Complaints& complaints_;
  OTF2_GlobalDefWriter* writer_ = nullptr;
  Names names_;
  std::size_t written_ = 0;
};

/// Times of one location, which the format wants in order.
class Clock {
 public:
  OTF2_TimeStamp operator()(std::int64_t time_ns) {
    latest_ = std::max(latest_, time_ns);
    return static_cast<OTF2_TimeStamp>(latest_);
  }

 private:
  std::int64_t latest_ = 0;
};

/// Writes one archive, of a location per worker and one for the run.
class Archive {
 public:
  Archive(const fs::path& folder, const amr::Trace& trace, const Complaints& complaints)
      : trace_(trace),
        complaints_(complaints),
        anchor_(folder / "traces.otf2"),
        archive_(OTF2_Archive_Open(
            folder.c_str(), "traces", OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_EVENTS_DEFAULT,
            OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE)),
        attributes_(OTF2_AttributeList_New()) {}
  ~Archive() {
    OTF2_AttributeList_Delete(attributes_);
    if (archive_ != nullptr) OTF2_Archive_Close(archive_);
  }
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  void write() {
    static constexpr OTF2_FlushCallbacks kFlush = {always_flush, nullptr};
    complaints_.require(archive_);
    require(OTF2_Archive_SetFlushCallbacks(archive_, &kFlush, nullptr));
    require(OTF2_Archive_SetSerialCollectiveCallbacks(archive_));
    require(OTF2_Archive_SetCreator(archive_, "kumiko " KUMIKO_VERSION));
    write_events();
    write_local_definitions();
    write_definitions();
    require(OTF2_Archive_Close(std::exchange(archive_, nullptr)));
    otf2::require_whole(anchor_, events_, complaints_);
  }

 private:
  void require(OTF2_ErrorCode code) const { complaints_.require(code); }
  std::uint32_t locations() const { return static_cast<std::uint32_t>(trace_.workers) + 1; }
  OTF2_LocationRef run() const { return static_cast<OTF2_LocationRef>(trace_.workers); }

  static OTF2_RegionRef region_of(const amr::TracePhase& phase) {
    return static_cast<OTF2_RegionRef>(phase.level) * kKinds +
           static_cast<OTF2_RegionRef>(phase.kind);
  }
  /// The regions of the run's own location, numbered after those of pieces.
  OTF2_RegionRef region_of(const std::string& what) {
    return static_cast<OTF2_RegionRef>(trace_.levels) * kKinds + run_regions_(what);
  }

  void write_events() {
    require(OTF2_Archive_OpenEvtFiles(archive_));
    std::vector<std::vector<std::uint32_t>> of_worker(static_cast<std::size_t>(trace_.workers));
    for (const std::uint32_t at : by_time(trace_)) {
      of_worker[static_cast<std::size_t>(trace_.pieces[at].worker)].push_back(at);
    }
    for (std::size_t worker = 0; worker < of_worker.size(); ++worker) {
      write_location(worker, [&](OTF2_EvtWriter* writer) {
        Clock clock;
        for (const std::uint32_t at : of_worker[worker]) {
          write_piece(writer, clock, trace_.pieces[at]);
        }
      });
    }
    write_location(run(), [&](OTF2_EvtWriter* writer) { write_run(writer); });
    require(OTF2_Archive_CloseEvtFiles(archive_));
  }

  template <class Write>
  void write_location(OTF2_LocationRef location, Write write) {
    OTF2_EvtWriter* const writer =
        complaints_.require(OTF2_Archive_GetEvtWriter(archive_, location));
    write(writer);
    std::uint64_t events = 0;
    require(OTF2_EvtWriter_GetNumberOfEvents(writer, &events));
    events_.push_back(events);
    require(OTF2_Archive_CloseEvtWriter(archive_, writer));
  }

  void write_piece(OTF2_EvtWriter* writer, Clock& clock, const amr::TracePiece& piece) {
    const amr::PatchId& patch = trace_.patches[piece.patch];
    const amr::TracePhase& phase = trace_.phases[piece.phase];
    const OTF2_TimeStamp begin = clock(piece.begin_ns);
    write_metric(writer, begin, kReady, piece.runnable);
    write_metric(writer, begin, kIoInFlight, piece.io_in_flight);
    require(OTF2_AttributeList_AddInt32(attributes_, kI, patch.i));
    require(OTF2_AttributeList_AddInt32(attributes_, kJ, patch.j));
    require(OTF2_AttributeList_AddInt32(attributes_, kBaseStep, phase.base_step));
    require(OTF2_AttributeList_AddInt32(attributes_, kNumber, phase.number));
    if (piece.steals > 0) {
      require(OTF2_AttributeList_AddUint32(attributes_, kSteals, piece.steals));
    }
    if (piece.awaited != amr::kNoPiece) {
      const OTF2_StringRef cause = strings_(std::string(to_string(piece.cause)));
      require(OTF2_AttributeList_AddStringRef(attributes_, kCause, cause));
    }
    require(OTF2_EvtWriter_Enter(writer, attributes_, begin, region_of(phase)));
    require(OTF2_EvtWriter_Leave(writer, nullptr, clock(piece.end_ns), region_of(phase)));
  }

  void write_metric(OTF2_EvtWriter* writer, OTF2_TimeStamp time, Metric metric,
                    std::int32_t value) const {
    if (value < 0) return;
    const OTF2_Type type = OTF2_TYPE_INT64;
    OTF2_MetricValue number{};
    number.signed_int = value;
    require(OTF2_EvtWriter_Metric(writer, nullptr, time, metric, 1, &type, &number));
  }

  void write_run(OTF2_EvtWriter* writer) {
    struct Slice {
      std::int64_t begin_ns;
      std::int64_t end_ns;
      OTF2_RegionRef region;
      std::int32_t base_step;
    };
    std::vector<Slice> slices;
    for (const amr::TraceWindow& window : trace_.windows) {
      slices.push_back(
          {window.begin_ns, window.end_ns, region_of("base steps"), window.first_step});
    }
    for (const amr::TraceSpan& span : trace_.spans) {
      slices.push_back({span.begin_ns, span.end_ns, region_of(span.what), span.base_step});
    }
    std::ranges::stable_sort(slices, {}, &Slice::begin_ns);
    Clock clock;
    for (const Slice& slice : slices) {
      require(OTF2_AttributeList_AddInt32(attributes_, kBaseStep, slice.base_step));
      require(OTF2_EvtWriter_Enter(writer, attributes_, clock(slice.begin_ns), slice.region));
      require(OTF2_EvtWriter_Leave(writer, nullptr, clock(slice.end_ns), slice.region));
    }
  }

  /// Readers ask for them, though nothing is in them.
  void write_local_definitions() {
    require(OTF2_Archive_OpenDefFiles(archive_));
    for (OTF2_LocationRef location = 0; location < locations(); ++location) {
      OTF2_DefWriter* const writer =
          complaints_.require(OTF2_Archive_GetDefWriter(archive_, location));
      require(OTF2_Archive_CloseDefWriter(archive_, writer));
    }
    require(OTF2_Archive_CloseDefFiles(archive_));
  }

  void write_definitions() {
    constexpr std::uint64_t kPerSecond = 1'000'000'000;
    OTF2_GlobalDefWriter* const writer =
        complaints_.require(OTF2_Archive_GetGlobalDefWriter(archive_));
    require(OTF2_GlobalDefWriter_WriteClockProperties(writer, kPerSecond, 0,
                                                      static_cast<std::uint64_t>(trace_.end_ns) + 1,
                                                      OTF2_UNDEFINED_TIMESTAMP));
    strings_.write_to(writer);
    write_places(writer);
    write_regions(writer);
    write_attributes(writer);
    write_metrics(writer);
  }

  void write_places(OTF2_GlobalDefWriter* writer) {
    require(OTF2_GlobalDefWriter_WriteSystemTreeNode(
        writer, 0, strings_("machine"), strings_("node"), OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    const std::string group = fmt::format("{}, {}, {}, {}", trace_.case_name, trace_.solver,
                                          trace_.backend, trace_.schedule);
    require(OTF2_GlobalDefWriter_WriteLocationGroup(writer, 0, strings_(group),
                                                    OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                    OTF2_UNDEFINED_LOCATION_GROUP));
    for (OTF2_LocationRef location = 0; location < locations(); ++location) {
      const std::string name = location == run() ? "run" : fmt::format("worker {}", location);
      require(OTF2_GlobalDefWriter_WriteLocation(
          writer, location, strings_(name), OTF2_LOCATION_TYPE_CPU_THREAD, events_[location], 0));
    }
  }

  void write_region(OTF2_GlobalDefWriter* writer, OTF2_RegionRef region, const std::string& name,
                    const std::string& description) {
    require(OTF2_GlobalDefWriter_WriteRegion(
        writer, region, strings_(name), strings_(name), strings_(description),
        OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE, strings_(""), 0, 0));
  }
  void write_regions(OTF2_GlobalDefWriter* writer) {
    for (std::int32_t level = 0; level < trace_.levels; ++level) {
      for (std::uint32_t kind = 0; kind < kKinds; ++kind) {
        const auto known = static_cast<amr::PieceKind>(kind);
        const amr::TracePhase phase{.level = level, .kind = known};
        write_region(writer, region_of(phase), fmt::format("L{} {}", level, to_string(known)),
                     "work on a patch");
      }
    }
    for (const std::string& name : run_regions_.all()) {
      write_region(writer, region_of(name), name, "of the run");
    }
  }

  void write_attributes(OTF2_GlobalDefWriter* writer) {
    const auto define = [&](Attribute attribute, const char* name, const char* description,
                            OTF2_Type type) {
      require(OTF2_GlobalDefWriter_WriteAttribute(writer, attribute, strings_(name),
                                                  strings_(description), type));
    };
    define(kI, "i", "patch of its level, in x", OTF2_TYPE_INT32);
    define(kJ, "j", "patch of its level, in y", OTF2_TYPE_INT32);
    define(kBaseStep, "base step", "step of level 0", OTF2_TYPE_INT32);
    define(kNumber, "number", "step of the level since the window began", OTF2_TYPE_INT32);
    define(kSteals, "steals", "threads taken from other workers before", OTF2_TYPE_UINT32);
    define(kCause, "cause", "why it had to wait", OTF2_TYPE_STRING);
  }

  void write_metrics(OTF2_GlobalDefWriter* writer) {
    const auto define = [&](Metric metric, const char* name, const char* description,
                            const char* unit) {
      require(OTF2_GlobalDefWriter_WriteMetricMember(
          writer, metric, strings_(name), strings_(description), OTF2_METRIC_TYPE_OTHER,
          OTF2_METRIC_ABSOLUTE_POINT, OTF2_TYPE_INT64, OTF2_BASE_DECIMAL, 0, strings_(unit)));
      const OTF2_MetricMemberRef member = metric;
      require(OTF2_GlobalDefWriter_WriteMetricClass(
          writer, metric, 1, &member, OTF2_METRIC_ASYNCHRONOUS, OTF2_RECORDER_KIND_CPU));
    };
    define(kReady, "ready threads", "threads ready with this worker", "threads");
    define(kIoInFlight, "I/O in flight", "operations under way", "operations");
  }

  const amr::Trace& trace_;
  const Complaints& complaints_;
  fs::path anchor_;
  OTF2_Archive* archive_;
  OTF2_AttributeList* attributes_;
  Strings strings_{complaints_};
  Names run_regions_;
  std::vector<std::uint64_t> events_;  ///< by location
};

/// The folder's own path, whatever links lead to it, without a slash at its end.
fs::path target_of(const fs::path& folder) {
  fs::path target = fs::weakly_canonical(fs::absolute(folder));
  if (!target.has_filename()) target = target.parent_path();
  if (fs::exists(target) && !(fs::is_directory(target) && fs::is_empty(target))) {
    throw OutputError(
        fmt::format("the folder '{}' is in use; remove it, or name another one", folder.string()));
  }
  return target;
}

}  // namespace

bool otf2_available() { return true; }

void write_otf2(const fs::path& folder, const amr::Trace& trace) {
  const Complaints complaints;
  try {
    write_folder(target_of(folder), [&](const fs::path& part) {
      try {
        Archive(part, trace, complaints).write();
      } catch (const OutputError& error) {
        throw OutputError(fmt::format("cannot write '{}': {}", folder.string(), error.what()));
      }
    });
  } catch (const fs::filesystem_error& error) {
    throw OutputError(
        fmt::format("cannot write '{}': {}", folder.string(), error.code().message()));
  }
}

}  // namespace kumiko::io
