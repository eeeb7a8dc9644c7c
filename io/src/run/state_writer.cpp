#include <algorithm>
#include <chrono>
#include <iterator>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <kumiko/amr/require.hpp>
#include <kumiko/io/output_folder.hpp>
#include <kumiko/io/state_writer.hpp>
#include <kumiko/runtime/runtime.hpp>

namespace kumiko::io {

namespace {

/// Removes all but the newest ones from their folder. Those of later steps are of another run.
/// Files that cannot be removed stay.
void remove_old_checkpoints(const std::filesystem::path& newest, std::size_t keep) {
  const std::filesystem::path folder = newest.has_parent_path() ? newest.parent_path() : ".";
  auto there = OutputFolder::numbered(folder, kCheckpointFiles);
  const auto end = std::ranges::find_if(
      there, [&](const auto& entry) { return entry.second.filename() == newest.filename(); });
  if (end == there.end()) return;
  auto earlier = static_cast<std::size_t>(std::distance(there.begin(), end));
  std::error_code ignored;
  for (auto oldest = there.begin(); earlier + 1 > keep; ++oldest, --earlier) {
    std::filesystem::remove(oldest->second, ignored);
  }
  for (const auto& [step, sidecar] : lone_sidecars(folder, kCheckpointSidecars)) {
    if (step < end->first) std::filesystem::remove(sidecar, ignored);
  }
}

}  // namespace

std::string checkpoint_name(std::int64_t step) { return fmt::format("checkpoint_{:06}.hdf", step); }

std::string state_name(std::int64_t step) { return fmt::format("state_{:06}.hdf", step); }

std::map<std::int64_t, std::filesystem::path> lone_sidecars(const std::filesystem::path& folder,
                                                            std::string_view pattern) {
  auto sidecars = OutputFolder::numbered(folder, pattern);
  std::erase_if(sidecars, [](const auto& entry) {
    std::string file = entry.second.string();
    file.replace(file.size() - kSidecarEnd.size(), kSidecarEnd.size(), ".hdf");
    std::error_code hidden;
    return std::filesystem::exists(file, hidden) || hidden;
  });
  return sidecars;
}

StateWriter::StateWriter(const amr::Case& problem, amr::Backend& backend,
                         StateWriterOptions options, const amr::Communicator& communicator)
    : problem_(problem), backend_(backend), options_(std::move(options)), shares_(communicator) {
  amr::require(options_.keep >= 1, "StateWriterOptions::keep is 0; it must be 1 or more");
}

StateWriter::~StateWriter() {
  if (pending_.valid()) pending_.wait();
}

void StateWriter::write_state(const std::filesystem::path& file, const amr::Simulation& simulation,
                              const RunHistory& history) {
  settle();
  is_checkpoint_ = false;
  start(file, simulation, history);
}

void StateWriter::write_checkpoint(const std::filesystem::path& file,
                                   const amr::Simulation& simulation, const RunHistory& history) {
  settle();
  is_checkpoint_ = true;
  try {
    start(file, simulation, history);
  } catch (const std::exception&) {
    handle_failure();
  }
}

StateWriter::Copy StateWriter::copy_of(const amr::Simulation& simulation,
                                       const RunHistory& history) const {
  const bool with_extras = !is_checkpoint_ && options_.extras;
  const bool is_shared = shares_.ranks() > 1 && options_.compression == Compression::kNone;
  std::optional<amr::SavedRecords> own;
  const auto save = [&] {
    if (!is_shared) return with_extras ? simulation.save_with_extras() : simulation.save();
    amr::SavedShare share = simulation.save_share(with_extras);
    own = std::move(share.records);
    return std::move(share.run);
  };
  RunAttributes attributes;
  attributes.time = simulation.time();
  attributes.dt = simulation.dt();
  attributes.subcycling = simulation.options().subcycling;
  attributes.configuration = options_.configuration;
  attributes.lineage = options_.lineage;
  attributes.begun_from = options_.begun_from;
  attributes.component_names = problem_.component_names();
  attributes.initial_masses = history.initial_masses;
  std::vector<std::string>& names = attributes.component_names;
  if (with_extras) names.insert(names.end(), amr::kExtraNames.begin(), amr::kExtraNames.end());
  Copy copy{{std::move(attributes), save(), options_.sidecar}, std::nullopt};
  copy.checkpoint.sidecar->wall_s = history.wall_s;
  copy.checkpoint.sidecar->reached = history.reached;
  copy.checkpoint.sidecar->backend = backend_.name();
  copy.checkpoint.sidecar->workers = simulation.workers();
  copy.own = std::move(own);
  return copy;
}

void StateWriter::start(const std::filesystem::path& file, const amr::Simulation& simulation,
                        const RunHistory& history) {
  const auto begin = std::chrono::steady_clock::now();
  runtime::Runtime* runtime = backend_.runtime();
  if (runtime == nullptr) {
    if (own_ == nullptr) own_ = std::make_unique<runtime::Runtime>(runtime::Options{.workers = 1});
    runtime = own_.get();
  }
  file_ = file;
  pending_ = std::async(
      std::launch::async, [file, begin, runtime, compression = options_.compression,
                           shares = &shares_, geometry = simulation.hierarchy().geometry(),
                           copied = copy_of(simulation, history)]() mutable {
        const Copy copy = std::move(copied);  // which goes when the file is there
        if (copy.own) {
          io::write_checkpoint(file, copy.checkpoint, *copy.own, geometry, *runtime, *shares);
        } else {
          io::write_checkpoint(file, copy.checkpoint, geometry, *runtime, compression);
        }
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      });
}

void StateWriter::settle() {
  if (!pending_.valid()) return;
  try {
    longest_s_ = std::max(longest_s_, pending_.get());
  } catch (const std::exception&) {
    handle_failure();
    return;
  }
  latest_ = file_;
  if (is_checkpoint_) remove_old_checkpoints(file_, options_.keep);
}

void StateWriter::settle_if_written() {
  const bool is_written =
      pending_.valid() && pending_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  if (is_written) settle();
}

void StateWriter::handle_failure() const {
  try {
    throw;
  } catch (const std::exception& error) {
    if (!is_checkpoint_ || !options_.on_failed_checkpoint) throw;
    options_.on_failed_checkpoint(error);
  }
}

}  // namespace kumiko::io
