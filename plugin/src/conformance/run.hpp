// Runs checks in turn.
#pragma once

#include <chrono>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "conformance/subject.hpp"

namespace kumiko::plugin::conformance {

/// The finding of a check; an exception becomes a failed one.
template <class Function>
Finding guarded(Function function) {
  try {
    return function();
  } catch (const std::exception& error) {
    return failed({}, "stopped by an exception: {}", error.what());
  } catch (...) {
    return failed({}, "stopped by an exception that is not a std::exception; throw those");
  }
}

/// Runs checks in turn, tells the observer, and keeps what they find.
class Run {
 public:
  Run(std::vector<Finding>& findings, std::string of, const CheckObserver& observer)
      : findings_(findings), whose_(std::move(of)), observer_(observer) {}

  /// \param find  called with what goes on, in words
  template <class Find>
  void operator()(const char* check, Find find) {
    if (observer_.begins) observer_.begins(check);
    const auto start = std::chrono::steady_clock::now();
    const std::string activity = fmt::format("check {} of {}", check, whose_);
    const CheckNote note(activity);
    Finding& finding = findings_.emplace_back(find(activity));
    finding.check = check;
    finding.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (observer_.ends) observer_.ends(finding);
  }

 private:
  std::vector<Finding>& findings_;
  std::string whose_;
  const CheckObserver& observer_;
};

}  // namespace kumiko::plugin::conformance
