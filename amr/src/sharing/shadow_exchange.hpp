// Fills the shadows of others' patches, and sends what others' shadows need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <kumiko/amr/backend.hpp>
#include <kumiko/amr/collect.hpp>
#include <kumiko/amr/hierarchy.hpp>

#include "schedule/step_rules.hpp"
#include "schedule/window.hpp"
#include "sharing/mailbox.hpp"
#include "sharing/shared_reads.hpp"

namespace kumiko::amr {

/// Each rank holds its own patches, and of others' those points that its own read, in *shadows*,
/// one for each role in which a patch is read: ghosts, steps and refluxing read these as they would
/// read the patch.
///
/// When a piece of a patch is done, a message brings what is final by it to every rank that reads
/// it, and says so. What a message brings:
///
///   advance of step n   to finer patches: state n with its ghosts, and what else the interpolation
///                       reads; to siblings: the strips of state n + 1, unless children are to be
///                       restricted onto it and none of the siblings blends
///   blend of step n     to finer patches: the unrestricted state n + 1 with its ghosts
///   finish of step n    to siblings: the strips of state n + 1
///   last piece          at the end of a coarse step to coarser patches: its points, and the fluxes
///                       through its sides
///
/// That no message overwrites what is still read: it is sent by a piece that, were the readers
/// here, could not have begun before they had read what stood there (BlockGraph), and each role has
/// a shadow of its own, which every message for it fills whole. Messages may overtake each other:
/// whoever reads a shadow has waited for the message that has filled it. Where a step ends by a
/// blend, the strips have come with the advance; so siblings wait for both (Done::ends_in_two).
class ShadowExchange {
 public:
  /// Keeps references to all.
  /// \param sends_coefficients  whether finer patches' ghosts need those of the coarse patch
  ShadowExchange(Hierarchy& hierarchy, const StepRules& rules, Communicator& communicator,
                 bool sends_coefficients);

  /// Whether there is anybody else.
  bool is_shared() const { return communicator_.size() > 1; }
  Communicator& communicator() { return communicator_; }
  Mailbox& mailbox() { return mailbox_; }

  // By all ranks, in the same order; these suspend until the others' messages are here.

  /// Brings what the ghosts of a level's patches are filled from at the present time: states `now`,
  /// of the level below with ghosts. Nothing for a level without patches.
  void refresh(int level);
  /// Follows the mesh, or its ranks, when all levels have changed; before steps.
  void follow_mesh();
  /// A phase of a step is done here: brings what the others' phase has made. The first one of a
  /// window comes after begin_window().
  void exchange(PieceKind kind, const LevelStep& step);
  /// Brings the states from which a window's steps begin.
  void begin_window();

  // Without waiting: between mailbox().open() and close().

  /// A piece of patches is done: sends what others need by it.
  void send(PieceKind kind, const LevelStep& step, Slots slots);
  /// Sends the states from which a window's steps begin.
  void send_first();

  /// The event that a message reports: a piece of a patch is done, or its state 0 is here.
  struct Done {
    bool is_first;
    PieceKind kind;
    LevelStep step;
    std::size_t slot;
    /// In a message: state n + 1 is final when those of the advance and of the blend are here.
    bool ends_in_two = false;
  };
  /// Fills shadows from a message of a window, and calls done(Done) for each patch in it.
  template <class Tell>
  void read(const Window& window, std::span<const std::byte> text, Tell tell) {
    cluster::Reader reader(text);
    const auto header = cluster::Packing<Header>::unpack(reader);
    Done done{header.is_first != 0, static_cast<PieceKind>(header.kind),
              window.step(header.level, header.number), 0};
    for (std::uint32_t left = header.count; left > 0; --left) {
      done.slot = cluster::Packing<std::uint32_t>::unpack(reader);
      unpack(done, reader);
      tell(done);
    }
  }

  /// Bytes that are kept for the patches, shadows aside.
  std::size_t bytes() const;

 private:
  struct Header {
    std::int32_t number = 0;
    std::uint32_t count = 0;
    std::uint8_t level = 0;
    std::uint8_t kind = 0;
    std::uint8_t is_first = 0;
    std::uint8_t unused = 0;
  };

  class Text;
  class Texts;

  /// The values that an event of a patch brings to one reader.
  struct Content {
    bool is_told = false;  ///< whether there is an event for it at all
    bool siblings = false;
    bool coarse = false;
    bool coefficients = false;
    bool fine = false;
  };
  Content content(const Done& done, const SharedRead& read) const;
  PieceKind last_piece(int level, std::size_t slot) const;
  void pack(const Done& done, const SharedRead& read, const Content& content, Text& to) const;
  /// Sets done.ends_in_two.
  void unpack(Done& done, cluster::Reader& reader);
  void add(const Done& done, Texts& to) const;
  bool has_piece(PieceKind kind, int level, std::size_t slot) const;
  void read_all(Done done, std::size_t senders);
  void make_shadows(const std::vector<SharedReads>& reads, int level, ReadState role);

  Hierarchy& hierarchy_;
  const StepRules& rules_;
  Communicator& communicator_;
  bool sends_coefficients_;
  Mailbox mailbox_;
  std::vector<SharedReads> reads_;         ///< by level
  std::vector<std::vector<char>> blends_;  ///< whether each patch is interpolated from in time
};

}  // namespace kumiko::amr
