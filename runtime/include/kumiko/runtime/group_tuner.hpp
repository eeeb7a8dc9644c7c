// Finds out which aggregation groups gain by being on, while their threads run.
#pragma once

#include <chrono>
#include <memory>
#include <vector>

namespace kumiko::runtime {

class Group;

/// What the maker of a GroupTuner may choose.
struct GroupTunerOptions {
  /// How long a group stays on, or off, while it is tried, at least: until it has had twenty turns.
  /// From 1 ms on.
  std::chrono::milliseconds epoch{20};
  /// How many epochs of each kind make a trial, from 1 to 1000. The median of the pairs decides.
  int pairs = 5;
  /// What passes between two trials, in which what won stays. 0: the next one begins at once.
  std::chrono::milliseconds rest{2000};
};

/// Switches groups on and off in alternating epochs, measures what a turn of their threads takes,
/// and leaves each as it was faster (Group::set_on); off where being on gains less than 3 %. Then
/// it rests, and tries again, since programs change. Groups are tried at the same time, each in an
/// order of its own, so that what one does to another averages out.
///
/// A group that does not get its turns for a hundred epochs stays as it was. A tuner costs an OS
/// thread, which sleeps but for a moment of each epoch, and two looks at the processor's clock at
/// each turn of a tuned group while a trial lasts; nothing where there is none.
class GroupTuner {
 public:
  /// Begins the first trial. The groups, and their Runtime, outlive the tuner; nobody else switches
  /// them on or off meanwhile, and each has one tuner. \throws std::invalid_argument for options
  /// outside their ranges, std::system_error if the system refuses an OS thread.
  explicit GroupTuner(std::vector<Group*> groups, GroupTunerOptions options = {});

  /// Ends; a trial that is not over changes nothing.
  ~GroupTuner();
  GroupTuner(const GroupTuner&) = delete;
  GroupTuner& operator=(const GroupTuner&) = delete;

  /// How many trials are over: each a trial of all groups.
  int trials() const;

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
};

}  // namespace kumiko::runtime
