#include "commands/print_summary.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "terminal/counted.hpp"

namespace kumiko::app {

namespace {

/// "-0.024113 .. 1.0000": five significant digits, or as many as distinguish the two ends in five.
std::string range_text(double minimum, double maximum) {
  constexpr int kDigits = 5;
  constexpr int kMostDigits = 17;
  const double largest = std::max(std::abs(minimum), std::abs(maximum));
  const double width = maximum - minimum;
  int digits = kDigits;
  if (width > 0.0 && width < largest) {
    digits += static_cast<int>(std::ceil(std::log10(largest / width)));
  }
  digits = std::min(digits, kMostDigits);
  return fmt::format("{:#.{}g} .. {:#.{}g}", minimum, digits, maximum, digits);
}

/// In an open domain mass may enter and leave without an error.
const char* drift_name(bool open_domain) { return open_domain ? "mass change" : "mass drift"; }

void print_load(const io::RunSummary& s) {
  const amr::WorkerLoad all = s.work.total();
  const double time = all.busy_s + all.wait_s;
  if (time > 0.0) fmt::print("workers busy         {:.1f} %\n", 100.0 * all.busy_s / time);
  if (s.work.longest_waits.empty()) return;
  const amr::PatchWait& wait = s.work.longest_waits.front();
  // In the order of the causes. Patches wait in blocks, which have the name of their first one.
  constexpr std::array kAwaited = {"a neighbouring block, from", "a coarser block, from",
                                   "the block of a parent,", "the block of a child,"};
  const bool is_of_level = wait.cause == amr::WaitCause::kLevel;
  const std::string waits = is_of_level
                                ? fmt::format("worker {}", wait.worker)
                                : fmt::format("the block from {} on", to_string(wait.patch));
  const std::string awaited =
      is_of_level ? "the level's last patch," : kAwaited[static_cast<std::size_t>(wait.cause)];
  fmt::print("longest wait         {:.2g} s in base step {}: {} waited for {} {}\n", wait.seconds,
             wait.step, waits, awaited, to_string(wait.awaited));
}

void print_component(const io::RunSummary& s, std::size_t at) {
  fmt::print("  {:<19}", s.component_names[at]);
  if (s.errors) {
    const amr::ErrorNorms& errors = s.errors->components[at];
    fmt::print("RMS {:.4e}, relative L1 {:.4e}, ", errors.rms, errors.l1_relative);
  }
  const amr::FieldFigures& field = s.field.components[at];
  fmt::print("range {}", range_text(field.minimum, field.maximum));
  const std::optional<double> drift = s.mass_drifts.at(at);
  if (drift) fmt::print(", {} {:.3e}", drift_name(s.open_domain), *drift);
  fmt::print("\n");
}

void print_mass_drift(const io::RunSummary& s) {
  const std::optional<double> drift = s.mass_drift();
  if (!drift) return;
  fmt::print("{:<20} {:.3e}  (over the initial integral of |u|{}{})\n", drift_name(s.open_domain),
             *drift, s.mass_drifts.size() > 1 ? "; the largest of the components" : "",
             s.open_domain ? "; the domain is open" : "");
}

void print_ranks(const io::RunSummary& s) {
  // A run without steps left has numbers of ranks that did nothing.
  if (s.ranks.empty() || !s.updates_per_core_s) return;
  io::RankSummary all;
  double least = 1.0;
  double most = 0.0;
  double largest_s = 0.0;
  for (const io::RankSummary& rank : s.ranks) {
    const double time = rank.load.busy_s + rank.load.wait_s;
    const double busy = time > 0.0 ? rank.load.busy_s / time : 0.0;
    least = std::min(least, busy);
    most = std::max(most, busy);
    largest_s = std::max(largest_s, rank.load.busy_s);
    all.load += rank.load;
    all.messages += rank.messages;
    all.bundles += rank.bundles;
    all.bytes += rank.bytes;
  }
  const double mean_s = all.load.busy_s / static_cast<double>(s.ranks.size());
  fmt::print(
      "ranks                {}, busy {:.1f} .. {:.1f} %; largest load {:.3f} of the mean; {} "
      "moved between them\n",
      s.ranks.size(), 100.0 * least, 100.0 * most, mean_s > 0.0 ? largest_s / mean_s : 0.0,
      counted(s.moved_patches, "patch", "patches"));
  const auto bundles = static_cast<double>(std::max<std::uint64_t>(all.bundles, 1));
  fmt::print("messages             {} in {} bundles of {:.0f} bytes\n", all.messages, all.bundles,
             static_cast<double>(all.bytes) / bundles);
  const auto [fewest, most_often] =
      std::ranges::minmax_element(s.ranks, {}, &io::RankSummary::preempted);
  fmt::print("preempted            {} .. {} times a rank  (another thread got the core)\n",
             fewest->preempted, most_often->preempted);
}

}  // namespace

void print_summary(const io::RunSummary& s) {
  fmt::print("case {}  solver {}  backend {}  workers {}  base steps {}\n", s.case_name, s.solver,
             s.backend, s.workers, s.steps);
  if (s.errors) {
    fmt::print("RMS error            {:.4e}\n", s.errors->rms);
    fmt::print("relative L1 error    {:.4e}\n", s.errors->l1_relative);
    fmt::print("largest error        {:.4e}\n", s.errors->linf);
  }
  fmt::print("range                {}\n", range_text(s.field.minimum, s.field.maximum));
  for (std::size_t at = 0; at < s.field.components.size(); ++at) print_component(s, at);
  print_mass_drift(s);
  fmt::print("largest CFL number   {:.3g}\n", s.work.largest_cfl);
  fmt::print("point updates        {}  ({:.2f} % of the uniform fine grid)\n", s.work.updates(),
             100.0 * s.fraction_of_uniform);
  fmt::print("patches per level    {}  ({})\n", fmt::join(s.patches_per_level, ", "),
             counted(s.work.regrids, "regrid"));
  if (s.unnested_patches > 0) {
    fmt::print(
        "patches left out     {} tagged one{} that would not nest; a larger amr.buffer lets {} "
        "in\n",
        s.unnested_patches, s.unnested_patches == 1 ? "" : "s",
        s.unnested_patches == 1 ? "it" : "them");
  }
  fmt::print("wall time            {:.2f} s", s.wall_s);
  if (s.updates_per_core_s) fmt::print("  ({:.3g} updates/s per core)", *s.updates_per_core_s);
  fmt::print("\n");
  fmt::print("imbalance            {:.3f}  (largest over mean work; 1 is perfect; {})\n",
             s.work.imbalance(), counted(s.work.total().steals, "steal"));
  print_load(s);
  print_ranks(s);
  fmt::print("memory               {:.0f} MB at most  (the patches: {:.1f} bytes per point)\n",
             static_cast<double>(s.peak_rss_bytes) * 1e-6, s.memory.bytes_per_point());
  fmt::print("state hash           {}\n", s.state_hash);
}

}  // namespace kumiko::app
