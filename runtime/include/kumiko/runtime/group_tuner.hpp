// Measures which aggregation groups are faster when they are on, while their threads run.
#pragma once

#include <chrono>
#include <memory>
#include <vector>

namespace kumiko::runtime {

class Group;

/// Options of a GroupTuner.
struct GroupTunerOptions {
  /// The time for which a group stays on, or off, during a trial; longer if the group has not had
  /// twenty turns by then. At least 1 ms.
  std::chrono::milliseconds epoch{20};
  /// The number of pairs of epochs, one on and one off, of a trial, from 1 to 1000. The median of
  /// the pairs decides.
  int pairs = 5;
  /// The time between two trials, in which groups stay on or off as the last trial decided. 0: the
  /// next trial begins immediately.
  std::chrono::milliseconds rest{2000};
};

/// Switches groups on and off in alternating epochs, measures the time of a turn of their threads,
/// and then leaves each group in the faster state (Group::set_on). If being on gains less than 3 %,
/// the group is left off. Then the tuner rests and tries again, since programs change. All groups
/// are tried at the same time, each in its own order, so that the effects of one group on another
/// average out.
///
/// A group that does not get its twenty turns within a hundred epochs stays as it was. Cost of a
/// tuner: an OS thread, which sleeps except for a moment in each epoch, and two readings of the
/// processor's clock at each turn of a tuned group during a trial. Without a tuner there is no
/// cost.
class GroupTuner {
 public:
  /// Begins the first trial. The groups and their Runtime must outlive the tuner. No other code may
  /// switch the groups on or off meanwhile, and each group may have only one tuner. \throws
  /// std::invalid_argument for options outside their ranges, std::system_error if the system
  /// refuses an OS thread.
  explicit GroupTuner(std::vector<Group*> groups, GroupTunerOptions options = {});

  /// Ends the tuner. A trial in progress changes nothing.
  ~GroupTuner();
  GroupTuner(const GroupTuner&) = delete;
  GroupTuner& operator=(const GroupTuner&) = delete;

  /// The number of completed trials, each of all groups.
  int trials() const;

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
};

}  // namespace kumiko::runtime
