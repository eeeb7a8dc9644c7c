// Copies patches to a saved run and back, and checks that a saved run makes sense.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <kumiko/amr/hierarchy.hpp>
#include <kumiko/amr/partition.hpp>
#include <kumiko/amr/saved_run.hpp>
#include <kumiko/amr/simulation_options.hpp>

#include "refinement/criterion.hpp"
#include "sharing/mailbox.hpp"

namespace kumiko::amr {

/// Throws std::invalid_argument, naming what is wrong, unless a saved run of so many base steps
/// fits the shape of a hierarchy whose level 0 is there.
/// \param steps  of the whole run; 0 where it chooses them
void check(const SavedRun& saved, const Hierarchy& hierarchy, int steps);

/// Throws std::invalid_argument unless a saved run has level 0 of the options' grid; to be called
/// before there is memory for it.
void check_base(const SavedRun& saved, const SimulationOptions& options);

/// Throws std::invalid_argument unless patches of one level nest in the level below, which is
/// there.
void check_nesting(std::span<const PatchId> patches, const Hierarchy& hierarchy);

/// A patch's record that is to be filled.
using Record = std::span<double>;

/// Copies the values of one patch; by any thread.
void copy(const Patch& patch, Record to);
/// Copies the values of kExtraNames of one patch, for which there must be room; by any thread.
void copy_extras(const Patch& patch, int worker, double cost_s, const IndicatorField& indicator,
                 Record to);
void copy(std::span<const double> record, Patch& to);
void copy(const SavedRun& saved, std::size_t slot, Patch& to);

/// Brings records from the ranks of patches to those who are to have them. Where all has come from
/// and goes to, each rank knows from the mesh.
class RecordExchange {
 public:
  /// Makes room for the records of this rank's range, and for those of its own patches that
  /// others are to have.
  /// \param ranges  by rank, whose records each gets; all ranks give the same
  RecordExchange(const Mesh<2>& mesh, const Communicator& communicator,
                 std::vector<std::vector<PatchRange>> ranges, std::size_t record_size);
  RecordExchange(const RecordExchange&) = delete;

  /// Where the record of an own patch is to be put before swap(); by any thread.
  Record own(int level, std::size_t slot) {
    return {places_[static_cast<std::size_t>(level)][slot], records_.record_size};
  }

  /// Sends away what others are to have, and waits for what this rank is to have. Rank 0 gets the
  /// CFL numbers of all patches, too. All ranks call it, if there are several. Suspends. At most
  /// one message from each rank to each. Throws if a rank is lost.
  void swap(Mailbox& mailbox, SavedRun& saved);

  /// The records of this rank after swap().
  SavedRecords take() { return std::move(records_); }

 private:
  void make_room(const std::vector<PatchRange>& ranges);
  void make_room_for(const std::vector<PatchRange>& ranges, std::vector<double>& outgoing);
  double*& place(const PatchRange& range, std::size_t at) {
    return places_[static_cast<std::size_t>(range.level)][range.first + at];
  }
  void send(std::int32_t to, Mailbox& mailbox, const SavedRun& saved);
  void read(std::int32_t from, std::span<const std::byte> text, SavedRun& saved);

  const Mesh<2>& mesh_;
  const Communicator& communicator_;
  std::vector<std::vector<PatchRange>> ranges_;
  SavedRecords records_;
  std::vector<std::vector<double>> outgoing_;  ///< by rank
  ByPatch<double*> places_;                    ///< of records that are here
};

}  // namespace kumiko::amr
