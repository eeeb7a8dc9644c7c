#include "sharing/shadow_exchange.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include "plan/ghost_region.hpp"
#include "sharing/plan_check.hpp"
#include "sharing/received_numbers.hpp"

namespace kumiko::amr {

namespace {

constexpr bool kComparesPlans = KUMIKO_COMPARES_PLANS != 0;

/// Calls visit(row, values) for each row of a range of a state, all components.
template <class View, class Visit>
void for_each_row(View state, const PointRange& range, Visit visit) {
  const auto values = static_cast<std::size_t>(range.i1 - range.i0);
  for (int component = 0; component < state.components(); ++component) {
    for (int j = range.j0; j < range.j1; ++j) visit(&state(range.i0, j, component), values);
  }
}

constexpr PointRange kWholePatch{0, kPatchSize, 0, kPatchSize};

/// Calls visit(range) for each strip of a patch that readers have as ghosts.
template <class Visit>
void for_each_strip(unsigned directions, int ghosts, Visit visit) {
  for (std::size_t d = 0; d < kDirections.size(); ++d) {
    if ((directions >> d & 1U) != 0) visit(GhostRegion(kDirections[d], ghosts).of_sibling());
  }
}

}  // namespace

/// A message that is being written.
class ShadowExchange::Text {
 public:
  explicit Text(const Done& about) {
    header_.number = about.step.number;
    header_.level = static_cast<std::uint8_t>(about.step.level);
    header_.kind = static_cast<std::uint8_t>(about.kind);
    header_.is_first = about.is_first ? 1 : 0;
    append(&header_, sizeof header_);
  }

  void begin_patch(std::size_t slot) {
    ++header_.count;
    std::memcpy(bytes_.data(), &header_, sizeof header_);
    const auto number = static_cast<std::uint32_t>(slot);
    append(&number, sizeof number);
  }
  void append(const void* values, std::size_t bytes) {
    const auto* const first = static_cast<const std::byte*>(values);
    bytes_.insert(bytes_.end(), first, first + bytes);
  }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  Header header_;
  std::vector<std::byte> bytes_;
};

/// Messages of one piece, or one phase, to those who need it.
class ShadowExchange::Texts {
 public:
  /// \param receivers  who get a message whatever is in it
  explicit Texts(const Done& about, const std::vector<std::int32_t>& receivers = {})
      : about_(about) {
    for (const std::int32_t receiver : receivers) to(receiver);
  }
  Text& to(std::int32_t receiver) { return texts_.try_emplace(receiver, about_).first->second; }
  void send(Mailbox& mailbox) const {
    for (const auto& [receiver, text] : texts_) mailbox.send(receiver, text.bytes());
  }

 private:
  Done about_;
  std::map<std::int32_t, Text> texts_;
};

ShadowExchange::ShadowExchange(Hierarchy& hierarchy, const StepRules& rules,
                               Communicator& communicator, bool sends_coefficients)
    : hierarchy_(hierarchy),
      rules_(rules),
      communicator_(communicator),
      sends_coefficients_(sends_coefficients),
      mailbox_(communicator) {}

PieceKind ShadowExchange::last_piece(int level, std::size_t slot) const {
  if (rules_.finishes(level, slot)) return PieceKind::kFinish;
  const bool blends = blends_[static_cast<std::size_t>(level)][slot] != 0;
  return blends ? PieceKind::kBlend : PieceKind::kAdvance;
}

ShadowExchange::Content ShadowExchange::content(const Done& done, const SharedRead& read) const {
  const bool reads_siblings = read.siblings != 0;
  Content brings;
  if (done.is_first) {
    brings.is_told = brings.siblings = reads_siblings;
    return brings;
  }
  const bool is_last = done.kind == last_piece(done.step.level, done.slot);
  brings.coarse = read.coarse && done.kind != PieceKind::kFinish;
  brings.coefficients = brings.coarse && sends_coefficients_ && done.kind == PieceKind::kAdvance;
  if (done.kind == PieceKind::kAdvance) {
    const bool is_restricted = rules_.finishes(done.step.level, done.slot);
    brings.siblings = reads_siblings && (!is_restricted || read.blending);
  } else {
    brings.siblings = reads_siblings && done.kind == PieceKind::kFinish;
  }
  brings.fine = read.fine && is_last && done.step.ends_coarse();
  brings.is_told = brings.siblings || brings.coarse || brings.fine ||
                   (is_last && (read.parent || reads_siblings)) ||
                   (done.kind == PieceKind::kBlend && reads_siblings);
  // A block that blends waits for the siblings of all its patches.
  brings.is_told = brings.is_told ||
                   (rules_.blends_in_time() && reads_siblings && done.kind == PieceKind::kAdvance);
  return brings;
}

void ShadowExchange::pack(const Done& done, const SharedRead& read, const Content& content,
                          Text& to) const {
  const Patch& patch = std::as_const(hierarchy_).level(done.step.level).patch(done.slot);
  const auto append = [&](const double* values, std::size_t count) {
    to.append(values, count * sizeof(double));
  };
  to.begin_patch(done.slot);
  const State made = done.is_first ? State::kNow : done.step.to();
  if (content.siblings) {
    for_each_strip(read.siblings, patch.now().ghosts(), [&](const PointRange& strip) {
      for_each_row(patch.state(made), strip, append);
    });
  }
  if (content.coarse) {
    const bool is_start = done.kind == PieceKind::kAdvance;
    append(patch.state(is_start ? done.step.from() : made).data(),
           hierarchy_.shape().field_values());
    if (content.coefficients) append(patch.coefficients().data(), patch.coefficients().size());
  }
  if (content.fine) {
    for_each_row(patch.state(made), kWholePatch, append);
    if (rules_.flux_form()) {
      append(patch.flux_register().side(Side::kLeft),
             FluxRegister::size(hierarchy_.shape().components));
    }
  }
}

/// Who writes to a shadow is alone with it: see the class.
void ShadowExchange::unpack(Done& done, cluster::Reader& reader) {
  const int level_index = done.step.level;
  const SharedRead* const read = reads_[static_cast<std::size_t>(level_index)].incoming(done.slot);
  if (read == nullptr) throw std::logic_error("a message of shadows is about a patch nobody reads");
  const Content content = this->content(done, *read);
  done.ends_in_two = !done.is_first && read->siblings != 0 && done.kind != PieceKind::kFinish &&
                     last_piece(level_index, done.slot) == PieceKind::kBlend;
  Level& level = hierarchy_.level(level_index);
  const auto take = [&](double* values, std::size_t count) {
    const std::size_t bytes = count * sizeof(double);
    if (bytes != 0) std::memcpy(values, reader.take(bytes), bytes);
  };
  const State made = done.is_first ? State::kNow : done.step.to();
  if (content.siblings) {
    Patch& shadow = level.shadow(ReadState::kSame, done.slot);
    for_each_strip(read->siblings, shadow.now().ghosts(),
                   [&](const PointRange& strip) { for_each_row(shadow.state(made), strip, take); });
  }
  if (content.coarse) {
    Patch& shadow = level.shadow(ReadState::kCoarse, done.slot);
    const bool is_start = done.kind == PieceKind::kAdvance;
    take(shadow.state(is_start ? done.step.from() : made).data(),
         hierarchy_.shape().field_values());
    if (content.coefficients) take(shadow.coefficients().data(), shadow.coefficients().size());
  }
  if (content.fine) {
    Patch& shadow = level.shadow(ReadState::kFine, done.slot);
    for_each_row(shadow.state(made), kWholePatch, take);
    if (rules_.flux_form()) {
      take(shadow.flux_register().side(Side::kLeft),
           FluxRegister::size(hierarchy_.shape().components));
    }
  }
}

void ShadowExchange::make_shadows(const std::vector<SharedReads>& reads, int level,
                                  ReadState role) {
  std::vector<std::uint32_t> slots;
  for (const SharedRead& read : reads[static_cast<std::size_t>(level)].incoming()) {
    const bool is_read = role == ReadState::kSame     ? read.siblings != 0
                         : role == ReadState::kCoarse ? read.coarse
                                                      : read.fine;
    if (is_read) slots.push_back(read.slot);
  }
  hierarchy_.set_shadows(level, role, slots);
}

void ShadowExchange::refresh(int level) {
  // Without patches there are no ghosts to fill: no rank has anything to tell.
  if (!is_shared() || level >= hierarchy_.used_levels()) return;
  const std::vector<SharedReads> reads =
      shared_ghost_reads(hierarchy_.mesh(), rules_.plan(), communicator_.rank(), level);
  if constexpr (kComparesPlans) compare_plans(communicator_, hierarchy_.mesh(), reads);
  make_shadows(reads, level, ReadState::kSame);
  if (level > 0) make_shadows(reads, level - 1, ReadState::kCoarse);
  std::map<std::int32_t, std::vector<double>> texts;
  std::set<std::int32_t> senders;
  for (const int at : {level - 1, level}) {
    if (at < 0) continue;
    const SharedReads& of_level = reads[static_cast<std::size_t>(at)];
    for (const SharedRead& read : of_level.incoming()) senders.insert(read.rank);
    for (const SharedRead& read : of_level.outgoing()) {
      const Patch& patch = std::as_const(hierarchy_).level(at).patch(read.slot);
      std::vector<double>& text = texts[read.rank];
      const auto append = [&](const double* values, std::size_t count) {
        text.insert(text.end(), values, values + count);
      };
      if (read.coarse) append(patch.now().data(), hierarchy_.shape().field_values());
      for_each_strip(read.siblings, patch.now().ghosts(),
                     [&](const PointRange& strip) { for_each_row(patch.now(), strip, append); });
    }
  }
  mailbox_.begin();
  for (const auto& [rank, text] : texts) {
    mailbox_.send(rank, std::as_bytes(std::span<const double>(text)));
  }
  ReceivedNumbers messages(mailbox_.collect(senders.size()));
  for (const int at : {level - 1, level}) {
    if (at < 0) continue;
    for (const SharedRead& read : reads[static_cast<std::size_t>(at)].incoming()) {
      const auto take = [&](double* values, std::size_t count) {
        std::ranges::copy(messages.take(read.rank, count), values);
      };
      if (read.coarse) {
        take(hierarchy_.level(at).shadow(ReadState::kCoarse, read.slot).now().data(),
             hierarchy_.shape().field_values());
      }
      if (read.siblings == 0) continue;
      Patch& shadow = hierarchy_.level(at).shadow(ReadState::kSame, read.slot);
      for_each_strip(read.siblings, shadow.now().ghosts(),
                     [&](const PointRange& strip) { for_each_row(shadow.now(), strip, take); });
    }
  }
}

void ShadowExchange::follow_mesh() {
  if (!is_shared()) return;
  const Mesh<2>& mesh = hierarchy_.mesh();
  blends_.clear();
  for (int level = 0; level < mesh.levels(); ++level) {
    blends_.emplace_back(mesh.size(level), 0);
    if (!rules_.blends_in_time() || level == 0) continue;
    for (std::size_t slot = 0; slot < mesh.size(level); ++slot) {
      for (const PlannedRead& read : rules_.plan().of(level, slot).coarser) {
        blends_[static_cast<std::size_t>(level) - 1][static_cast<std::size_t>(read.slot)] = 1;
      }
    }
  }
  reads_ = shared_reads(mesh, rules_, communicator_.rank(), blends_);
  if constexpr (kComparesPlans) compare_plans(communicator_, mesh, reads_);
  for (int level = 0; level < mesh.levels(); ++level) {
    for (const ReadState role : {ReadState::kSame, ReadState::kCoarse, ReadState::kFine}) {
      make_shadows(reads_, level, role);
    }
  }
}

/// Writes what others need of a patch when its piece is done.
void ShadowExchange::add(const Done& done, Texts& to) const {
  for (const SharedRead& read :
       reads_[static_cast<std::size_t>(done.step.level)].outgoing(done.slot)) {
    const Content brings = content(done, read);
    if (brings.is_told) pack(done, read, brings, to.to(read.rank));
  }
}

/// Whether a patch has a piece of a kind.
bool ShadowExchange::has_piece(PieceKind kind, int level, std::size_t slot) const {
  if (kind == PieceKind::kBlend) return blends_[static_cast<std::size_t>(level)][slot] != 0;
  return kind == PieceKind::kAdvance || rules_.finishes(level, slot);
}

void ShadowExchange::exchange(PieceKind kind, const LevelStep& step) {
  if (!is_shared()) return;
  const SharedReads& of_level = reads_[static_cast<std::size_t>(step.level)];
  mailbox_.begin();
  Done done{false, kind, step, 0};
  Texts texts(done, of_level.receivers());
  for (const std::uint32_t slot : hierarchy_.level(step.level).own()) {
    if (!has_piece(kind, step.level, slot)) continue;
    done.slot = slot;
    add(done, texts);
  }
  texts.send(mailbox_);
  read_all(done, of_level.senders().size());
}

/// Waits for messages of a round, and fills shadows from them.
void ShadowExchange::read_all(Done done, std::size_t senders) {
  for (const Mailbox::Message& message : mailbox_.collect(senders)) {
    cluster::Reader reader(message.text);
    for (auto left = cluster::Packing<Header>::unpack(reader).count; left > 0; --left) {
      done.slot = cluster::Packing<std::uint32_t>::unpack(reader);
      unpack(done, reader);
    }
  }
}

void ShadowExchange::begin_window() {
  if (!is_shared()) return;
  for (int level = 0; level < hierarchy_.used_levels(); ++level) {
    const SharedReads& of_level = reads_[static_cast<std::size_t>(level)];
    mailbox_.begin();
    Done done{true, PieceKind::kAdvance, {.level = level}, 0};
    Texts texts(done, of_level.receivers());
    for (const std::uint32_t slot : hierarchy_.level(level).own()) {
      done.slot = slot;
      add(done, texts);
    }
    texts.send(mailbox_);
    read_all(done, of_level.senders().size());
  }
}

void ShadowExchange::send(PieceKind kind, const LevelStep& step, Slots slots) {
  const SharedReads& of_level = reads_[static_cast<std::size_t>(step.level)];
  Done done{false, kind, step, 0};
  Texts texts(done);
  for (const std::uint32_t slot : slots) {
    if (of_level.outgoing(slot).empty()) continue;
    if (!has_piece(kind, step.level, slot)) continue;
    done.slot = slot;
    add(done, texts);
  }
  texts.send(mailbox_);
}

void ShadowExchange::send_first() {
  for (int level = 0; level < hierarchy_.used_levels(); ++level) {
    Done done{true, PieceKind::kAdvance, {.level = level}, 0};
    Texts texts(done);
    for (const std::uint32_t slot : hierarchy_.level(level).own()) {
      done.slot = slot;
      add(done, texts);
    }
    texts.send(mailbox_);
  }
}

std::size_t ShadowExchange::bytes() const {
  std::size_t bytes = 0;
  for (std::size_t level = 0; level < reads_.size(); ++level) {
    bytes +=
        (reads_[level].outgoing().size() + reads_[level].incoming().size()) * sizeof(SharedRead) +
        blends_[level].size();
  }
  return bytes;
}

}  // namespace kumiko::amr
