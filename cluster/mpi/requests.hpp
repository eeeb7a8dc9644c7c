// Requests of MPI, and counts of bytes, as links by MPI use them.
#pragma once

#include <climits>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <mpi.h>

namespace kumiko_mpi {

/// A frame, or a body, whose sending or receiving MPI has not ended yet.
struct Passage {
  void* frame;  ///< nullptr for a body
  int peer;
  std::uint64_t body = 0;  ///< its number
};

/// Requests of MPI, each with its passage, in no order.
class Passages {
 public:
  bool empty() const { return requests_.empty(); }
  std::size_t size() const { return requests_.size(); }

  void add(MPI_Request request, Passage passage) {
    requests_.push_back(request);
    passages_.push_back(passage);
  }

  /// Has MPI end those of bodies with this rank, which are taken as ended then, if it can.
  int cancel_bodies(int peer) {
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      if (passages_[i].frame != nullptr || passages_[i].peer != peer) continue;
      if (requests_[i] == MPI_REQUEST_NULL) continue;  // take_ended() is about to tell of it
      if (const int result = MPI_Cancel(&requests_[i]); result != MPI_SUCCESS) return result;
    }
    return MPI_SUCCESS;
  }

  /// Calls done(passage) for those that have ended. Returns what MPI does.
  template <class Done>
  int take_ended(Done done) {
    if (empty()) return MPI_SUCCESS;
    ended_.resize(size());
    int count = 0;
    const int result = MPI_Testsome(static_cast<int>(size()), requests_.data(), &count,
                                    ended_.data(), MPI_STATUSES_IGNORE);
    if (result != MPI_SUCCESS || count == MPI_UNDEFINED) return result;
    for (int i = 0; i < count; ++i) done(passages_[static_cast<std::size_t>(ended_[i])]);
    // MPI has set the ended ones to null.
    std::size_t kept = 0;
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      if (requests_[i] == MPI_REQUEST_NULL) continue;
      requests_[kept] = requests_[i];
      passages_[kept++] = passages_[i];
    }
    requests_.resize(kept);
    passages_.resize(kept);
    return result;
  }

 private:
  std::vector<MPI_Request> requests_;
  std::vector<Passage> passages_;
  std::vector<int> ended_;
};

/// Bytes in MPI's counts, which are int: as they are, or as one element of a type that is as large.
class Count {
 public:
  explicit Count(std::size_t bytes) {
    if (bytes <= INT_MAX) {
      count_ = static_cast<int>(bytes);
      return;
    }
    constexpr std::size_t kBlock = std::size_t{1} << 20;
    MPI_Datatype block = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(static_cast<int>(kBlock), MPI_BYTE, &block);
    const std::size_t blocks = bytes / kBlock;
    int lengths[] = {static_cast<int>(blocks), static_cast<int>(bytes % kBlock)};
    MPI_Aint places[] = {0, static_cast<MPI_Aint>(blocks * kBlock)};
    MPI_Datatype types[] = {block, MPI_BYTE};
    MPI_Type_create_struct(2, lengths, places, types, &type_);
    MPI_Type_commit(&type_);
    MPI_Type_free(&block);
    count_ = 1;
  }
  Count(const Count&) = delete;
  Count& operator=(const Count&) = delete;
  /// Requests that use the type keep it.
  ~Count() {
    if (type_ != MPI_BYTE) MPI_Type_free(&type_);
  }

  int count() const { return count_; }
  MPI_Datatype type() const { return type_; }

 private:
  int count_ = 0;
  MPI_Datatype type_ = MPI_BYTE;
};

}  // namespace kumiko_mpi
