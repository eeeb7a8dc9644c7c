// Names the patch and the step that an OS thread works at when the process ends by a fault.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include <kumiko/amr/patch_id.hpp>
#include <kumiko/runtime/fault.hpp>

namespace kumiko::amr {

/// Exists while code of a case or a solver may run for a patch, which must not suspend. Cost: some
/// stores.
class PatchNote final : public runtime::FaultNote {
 public:
  static constexpr int kNoStep = -1;

  /// \param work  what is done, e.g. "the advance"; lives as long
  /// \param base_step  kNoStep if there is none
  PatchNote(const char* work, const PatchId& patch, int base_step, double time) noexcept
      : work_(work), patch_(patch), base_step_(base_step), time_(time) {
    begin();
  }

  std::size_t write(std::span<char> room) const noexcept override;
  /// The same, not for signal handlers: "the advance of level 0 patch (1, 2) at t = 0.5".
  std::string text() const;

 private:
  const char* work_;
  PatchId patch_;
  int base_step_;
  double time_;
};

}  // namespace kumiko::amr
