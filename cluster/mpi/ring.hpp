// Receives the small frames of all ranks.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include <mpi.h>

#include "requests.hpp"

namespace kumiko::cluster::mpi {

/// The largest small frame: a bundle of messages fits, and MPIs send as much without asking the
/// receiver first.
constexpr std::size_t kSmallFrame = 4096;

/// A ring of receives that are posted before they are needed. Each is posted again once its frame
/// has been copied, at a time when no rank waits for that.
///
/// *Invariant.* All receives are posted, except for the one whose frame was taken last. order_
/// lists them in the order in which they were posted, in which frames come to them. One OS thread
/// at a time uses the ring: the poller.
class Ring {
 public:
  explicit Ring(LastError& error) : error_(error) {}

  /// Posts all receives.
  bool open(MPI_Comm communicator, int tag) {
    communicator_ = communicator;
    tag_ = tag;
    buffers_.resize(kReceives * kSmallFrame);
    std::iota(order_.begin(), order_.end(), 0);
    for (int place = 0; place < kReceives; ++place) {
      if (!post(place)) return false;
    }
    return true;
  }

  /// Calls take(source, bytes, size) for frames that have come, a limited number of times; returns
  /// false if MPI, or take(), fails. Almost always the oldest receive ends first, so looking at
  /// that one is enough most of the time. A frame that comes after a look in vain is usually alone.
  template <class Take>
  bool poll(Take take) {
    if (!post_emptied()) return false;
    const int most = std::exchange(was_in_vain_, false) ? 1 : kFramesPerPoll;
    for (int taken = 0; taken < most; ++taken) {
      bool has_ended = false;
      if (!take_if_ended(take, 0, &has_ended)) return false;
      if (has_ended) continue;
      was_in_vain_ = taken == 0;
      return taken != 0 || look_at_all(take);
    }
    return true;
  }

  /// Ends all receives. No frame is expected.
  bool close() {
    for (MPI_Request& request : requests_) {
      if (request == MPI_REQUEST_NULL) continue;
      // A cancelled receive ends by itself.
      if (error_.is_by(MPI_Cancel(&request), "MPI_Cancel")) return false;
      if (error_.is_by(MPI_Request_free(&request), "MPI_Request_free")) return false;
    }
    return true;
  }

 private:
  /// Frames that come when all receives are used up wait in MPI, at the cost of a copy.
  static constexpr int kReceives = 32;
  /// The number of looks at the oldest receive only between two looks at all receives.
  static constexpr unsigned kLooksBetweenAll = 64;
  /// Further frames wait for the next poll, before which the answers to these leave.
  static constexpr int kFramesPerPoll = 8;
  static_assert(kFramesPerPoll < kReceives, "a receive that is not posted yet is not looked at");

  std::byte* buffer(int place) {
    return buffers_.data() + static_cast<std::size_t>(place) * kSmallFrame;
  }

  bool post(int place) {
    return !error_.is_by(MPI_Irecv(buffer(place), kSmallFrame, MPI_BYTE, MPI_ANY_SOURCE, tag_,
                                   communicator_, &requests_[static_cast<std::size_t>(place)]),
                         "MPI_Irecv");
  }

  /// Posts the receive whose frame was taken last. It is not posted when its frame is taken, so
  /// that a thread that waits for the frame gets it sooner.
  bool post_emptied() { return emptied_ < 0 || post(std::exchange(emptied_, -1)); }

  /// The oldest receive may have a frame whose sender has stopped on the way; then the others make
  /// progress. The last place is looked at only if none was emptied before it, so it is posted.
  template <class Take>
  bool look_at_all(Take& take) {
    if (++empty_looks_ % kLooksBetweenAll != 0) return true;
    std::size_t at = 1;
    for (int look = 1; look < kReceives; ++look) {
      bool has_ended = false;
      if (!take_if_ended(take, at, &has_ended)) return false;
      if (!has_ended) ++at;
    }
    return true;
  }

  /// Takes the frame of the receive with this place by age, if it has come.
  template <class Take>
  bool take_if_ended(Take& take, std::size_t age, bool* has_ended) {
    const int place = order_[age];
    int is_done = 0;
    MPI_Status status;
    if (error_.is_by(MPI_Test(&requests_[static_cast<std::size_t>(place)], &is_done, &status),
                     "MPI_Test of a receive")) {
      return false;
    }
    *has_ended = is_done != 0;
    if (is_done == 0) return true;
    int size = 0;
    MPI_Get_count(&status, MPI_BYTE, &size);
    if (!take(status.MPI_SOURCE, buffer(place), static_cast<std::size_t>(size))) return false;
    std::rotate(order_.begin() + static_cast<std::ptrdiff_t>(age),
                order_.begin() + static_cast<std::ptrdiff_t>(age) + 1, order_.end());
    // First the receive that was emptied before, so that they are posted in this order.
    if (!post_emptied()) return false;
    emptied_ = place;
    return true;
  }

  LastError& error_;
  MPI_Comm communicator_ = MPI_COMM_NULL;
  int tag_ = 0;
  std::vector<std::byte> buffers_;
  std::array<MPI_Request, kReceives> requests_{};
  std::array<int, kReceives> order_{};  ///< places, from the oldest receive to the newest
  int emptied_ = -1;                    ///< a place that must be posted
  bool was_in_vain_ = false;            ///< the latest look at the oldest receive
  unsigned empty_looks_ = 0;
};

}  // namespace kumiko::cluster::mpi
