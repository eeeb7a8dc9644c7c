// Requests, counts and errors of MPI.
#pragma once

#include <array>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>

namespace kumiko::cluster::mpi {

/// The latest error of MPI.
class LastError {
 public:
  const char* text() const { return text_.c_str(); }
  void set(std::string text) { text_ = std::move(text); }

  /// Returns true if this call of MPI has failed, and keeps MPI's text.
  bool is_by(int result, const char* call) {
    if (result == MPI_SUCCESS) return false;
    std::array<char, MPI_MAX_ERROR_STRING> text{};
    int length = 0;
    MPI_Error_string(result, text.data(), &length);
    set(std::string(call) + ": " + std::string(text.data(), static_cast<std::size_t>(length)));
    return true;
  }

 private:
  std::string text_;
};

/// A frame or a body that MPI sends or receives.
struct Transfer {
  void* frame;  ///< nullptr for a body
  int peer;
  std::uint64_t body = 0;  ///< its number
};

/// Requests of MPI, each with its transfer, in no order.
class Transfers {
 public:
  bool empty() const { return requests_.empty(); }
  std::size_t size() const { return requests_.size(); }

  void add(MPI_Request request, Transfer transfer) {
    requests_.push_back(request);
    transfers_.push_back(transfer);
  }

  /// Cancels the transfers of bodies with this rank. take_ended() reports them once MPI has ended
  /// them.
  int cancel_bodies(int peer) {
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      if (transfers_[i].frame != nullptr || transfers_[i].peer != peer) continue;
      if (requests_[i] == MPI_REQUEST_NULL) continue;  // take_ended() reports it
      if (const int result = MPI_Cancel(&requests_[i]); result != MPI_SUCCESS) return result;
    }
    return MPI_SUCCESS;
  }

  /// Calls done(transfer) for those that have ended. Returns the result of MPI.
  template <class Done>
  int take_ended(Done done) {
    if (empty()) return MPI_SUCCESS;
    ended_.resize(size());
    int count = 0;
    const int result = MPI_Testsome(static_cast<int>(size()), requests_.data(), &count,
                                    ended_.data(), MPI_STATUSES_IGNORE);
    if (result != MPI_SUCCESS || count == MPI_UNDEFINED) return result;
    for (int i = 0; i < count; ++i) done(transfers_[static_cast<std::size_t>(ended_[i])]);
    // MPI has set the ended ones to null.
    std::size_t kept = 0;
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      if (requests_[i] == MPI_REQUEST_NULL) continue;
      requests_[kept] = requests_[i];
      transfers_[kept++] = transfers_[i];
    }
    requests_.resize(kept);
    transfers_.resize(kept);
    return result;
  }

 private:
  std::vector<MPI_Request> requests_;
  std::vector<Transfer> transfers_;
  std::vector<int> ended_;
};

/// A number of bytes as a count and a type for MPI. Counts of MPI are int, so more than INT_MAX
/// bytes are one element of a type of that size.
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

}  // namespace kumiko::cluster::mpi
