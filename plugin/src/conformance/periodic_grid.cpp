#include "conformance/periodic_grid.hpp"

#include <algorithm>
#include <limits>

namespace kumiko::plugin::conformance {

using amr::kPatchSize;

PeriodicGrid::PeriodicGrid(const Subject& subject, const Flow& flow, int n, const Values& values)
    : subject_(subject), flow_(flow), n_(n) {
  for (int first_j = 0; first_j < n; first_j += kPatchSize) {
    for (int first_i = 0; first_i < n; first_i += kPatchSize) {
      const auto own = [&](int i, int j, int component) {
        return values((first_i + i + n) % n, (first_j + j + n) % n, component);
      };
      patches_.emplace_back(subject, Place(subject, first_i, first_j, 1.0 / n), own,
                            subject.run_components());
    }
  }
}

void PeriodicGrid::step(double target) {
  fill_ghosts();
  if (dt_ == 0.0 || subject_.traits.nonlinear) prepare(target);
  for (PatchStep& patch : patches_) patch.advance();
  for (PatchStep& patch : patches_) {
    for (int component = 0; component < patch.components(); ++component) {
      patch.before().interior(component) = patch.after().interior(component);
    }
  }
}

void PeriodicGrid::fill_ghosts() {
  const int across = n_ / kPatchSize;
  const int layers = patches_.front().layers();
  const auto source = [&](int i, int j, int component) {
    const int wrapped_i = (i + n_) % n_;
    const int wrapped_j = (j + n_) % n_;
    PatchStep& patch = patches_[static_cast<std::size_t>(wrapped_j / kPatchSize * across +
                                                         wrapped_i / kPatchSize)];
    return patch.before()(wrapped_i % kPatchSize, wrapped_j % kPatchSize, component);
  };
  for (std::size_t at = 0; at < patches_.size(); ++at) {
    const int first_i = static_cast<int>(at) % across * kPatchSize;
    const int first_j = static_cast<int>(at) / across * kPatchSize;
    for_view(patches_[at].before(), layers, [&](int i, int j, int component, double& value) {
      const bool is_ghost = std::min(i, j) < 0 || std::max(i, j) >= kPatchSize;
      if (is_ghost) value = source(first_i + i, first_j + j, component);
    });
  }
}

double PeriodicGrid::prepare(double target) {
  dt_ = std::numeric_limits<double>::infinity();
  for (PatchStep& patch : patches_) dt_ = std::min(dt_, patch.prepare_for(flow_, target));
  for (PatchStep& patch : patches_) patch.prepare(flow_, dt_);
  return dt_;
}

double PeriodicGrid::variance() {
  const double points = n_ * n_;
  double mean = 0.0;
  for (PatchStep& patch : patches_) mean += patch.after().interior().sum() / points;
  double sum = 0.0;
  for (PatchStep& patch : patches_) {
    sum += (patch.after().interior() - mean).square().sum() / points;
  }
  return sum;
}

}  // namespace kumiko::plugin::conformance
