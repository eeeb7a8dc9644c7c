#include "conformance/periodic_grid.hpp"

#include <algorithm>
#include <limits>

namespace kumiko::plugin::conformance {

using amr::kPatchSize;

PeriodicGrid::PeriodicGrid(const Subject& subject, const Flow& flow, int n, const Values& values)
    : subject_(subject), flow_(flow), n_(n) {
  for (int first_j = 0; first_j < n; first_j += kPatchSize) {
    for (int first_i = 0; first_i < n; first_i += kPatchSize) {
      PatchStep& patch = patches_.emplace_back(subject, Place(subject, first_i, first_j, 1.0 / n),
                                               subject.run_components());
      patch.fill([&](int i, int j, int component) {
        return values((first_i + i + n) % n, (first_j + j + n) % n, component);
      });
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
    const amr::PatchView view = patches_[at].before();
    for (int component = 0; component < view.components(); ++component) {
      for (int j = -layers; j < kPatchSize + layers; ++j) {
        const bool is_outer_row = j < 0 || j >= kPatchSize;
        for (int i = -layers; i < kPatchSize + layers; ++i) {
          if (!is_outer_row && i == 0) i = kPatchSize;
          view(i, j, component) = source(first_i + i, first_j + j, component);
        }
      }
    }
  }
}

void PeriodicGrid::prepare(double target) {
  dt_ = std::numeric_limits<double>::infinity();
  for (PatchStep& patch : patches_) dt_ = std::min(dt_, patch.prepare_for(flow_, target));
  for (PatchStep& patch : patches_) patch.prepare(flow_, dt_);
}

double PeriodicGrid::variance() const {
  const double points = n_ * n_;
  double mean = 0.0;
  for (const PatchStep& patch : patches_) mean += patch.after().interior().sum() / points;
  double sum = 0.0;
  for (const PatchStep& patch : patches_) {
    sum += (patch.after().interior() - mean).square().sum() / points;
  }
  return sum;
}

}  // namespace kumiko::plugin::conformance
