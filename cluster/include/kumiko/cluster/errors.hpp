// Exceptions for errors between ranks.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace kumiko::cluster {

/// A rank cannot be reached any more: its process has ended, it has left the cluster, or it runs
/// another program. Calls that wait for it throw this, and so do later calls.
class RankLost : public std::runtime_error {
 public:
  /// The message is "rank N is lost: " and `reason`.
  RankLost(int rank, const std::string& reason)
      : std::runtime_error("rank " + std::to_string(rank) + " is lost: " + reason), rank_(rank) {}

  /// The rank that is lost.
  int rank() const noexcept { return rank_; }

 private:
  int rank_;
};

/// An exception that has escaped a function on another rank, with the rank, the name of its type
/// and its message.
class RemoteError : public std::runtime_error {
 public:
  /// The message is "rank N: " and `what`.
  RemoteError(int rank, std::string type, const std::string& what)
      : std::runtime_error("rank " + std::to_string(rank) + ": " + what),
        rank_(rank),
        type_(std::move(type)) {}

  /// The rank on which the function ran.
  int rank() const noexcept { return rank_; }

  /// The readable name of the exception's type; "unknown" if it was not a std::exception.
  const std::string& type() const noexcept { return type_; }

 private:
  int rank_;
  std::string type_;
};

/// The object of another rank for which a function was to be called is gone: see Twin.
class TwinGone : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace kumiko::cluster
