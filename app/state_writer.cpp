#include "state_writer.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <iterator>
#include <system_error>

#include <fmt/core.h>

#include <kumiko/io/output_folder.hpp>

#include "terminal.hpp"

namespace kumiko::app {

namespace {

/// The figures of each patch would make a checkpoint five times as large, and no run needs them.
io::Checkpoint checkpoint_of(const Problem& problem, const amr::Simulation& simulation,
                             const RunFigures& figures, bool is_checkpoint) {
  io::Checkpoint checkpoint;
  checkpoint.attributes.time = simulation.time();
  checkpoint.attributes.dt = simulation.dt();
  checkpoint.attributes.subcycling = problem.options.subcycling;
  checkpoint.attributes.configuration = problem.config.to_toml();
  checkpoint.attributes.component_names = problem.the_case->component_names();
  checkpoint.attributes.initial_mass = figures.initial_mass;
  checkpoint.attributes.initial_absolute_mass = figures.initial_absolute_mass;
  checkpoint.attributes.wall_s = figures.wall_s;
  if (is_checkpoint || !problem.run.output_figures) {
    checkpoint.run = simulation.save();
    return checkpoint;
  }
  checkpoint.run = simulation.save_with_figures();
  std::vector<std::string>& names = checkpoint.attributes.component_names;
  names.insert(names.end(), amr::kFigureNames.begin(), amr::kFigureNames.end());
  return checkpoint;
}

/// Of the folder that the newest one is in. Those of later steps are of another run. What cannot be
/// removed stays.
void remove_old_checkpoints(const std::filesystem::path& newest, std::size_t keep) {
  auto there = io::OutputFolder::numbered(newest.parent_path(), kCheckpointFiles);
  const auto is_newest = [&](const auto& entry) { return entry.second == newest; };
  const auto end = std::find_if(there.begin(), there.end(), is_newest);
  if (end == there.end()) return;
  auto earlier = static_cast<std::size_t>(std::distance(there.begin(), end));
  for (auto oldest = there.begin(); earlier + 1 > keep; ++oldest, --earlier) {
    std::error_code ignored;
    std::filesystem::remove(oldest->second, ignored);
  }
}

}  // namespace

StateWriter::StateWriter(const Problem& problem, amr::Backend& backend)
    : problem_(problem), backend_(backend) {}

StateWriter::~StateWriter() {
  if (pending_.valid()) pending_.wait();
}

void StateWriter::write_state(const std::filesystem::path& file, const amr::Simulation& simulation,
                              const RunFigures& figures) {
  settle();
  is_checkpoint_ = false;
  start(file, simulation, figures);
}

void StateWriter::write_checkpoint(const std::filesystem::path& file,
                                   const amr::Simulation& simulation, const RunFigures& figures) {
  settle();
  is_checkpoint_ = true;
  try {
    start(file, simulation, figures);
  } catch (const std::exception&) {
    handle_failure();
  }
}

void StateWriter::start(const std::filesystem::path& file, const amr::Simulation& simulation,
                        const RunFigures& figures) {
  const auto begin = std::chrono::steady_clock::now();
  runtime::Runtime* runtime = backend_.runtime();
  if (runtime == nullptr) {
    if (own_ == nullptr) own_ = std::make_unique<runtime::Runtime>(runtime::Options{.workers = 1});
    runtime = own_.get();
  }
  file_ = file;
  pending_ = std::async(
      std::launch::async,
      [file, begin, runtime, compression = problem_.run.compression,
       geometry = simulation.hierarchy().geometry(),
       checkpoint = checkpoint_of(problem_, simulation, figures, is_checkpoint_)] {
        io::write_checkpoint(file, checkpoint, geometry, *runtime, compression);
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
  if (!is_checkpoint_) return;
  remove_old_checkpoints(file_, static_cast<std::size_t>(problem_.run.checkpoints_kept));
}

void StateWriter::handle_failure() const {
  try {
    throw;
  } catch (const std::exception& error) {
    const bool goes_on = is_checkpoint_ && problem_.run.on_failure == io::OnFailure::kContinue;
    if (!goes_on) throw;
    print_to_stderr("kumiko: warning: no checkpoint: {}\n", error.what());
  }
}

}  // namespace kumiko::app
