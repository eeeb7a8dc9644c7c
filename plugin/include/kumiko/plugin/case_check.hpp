// Checks that what a case says of flow, values and solution agrees.
#pragma once

#include <string>
#include <vector>

#include <kumiko/amr/case.hpp>
#include <kumiko/plugin/conformance.hpp>

namespace kumiko::plugin {

/// Checks that what the members of a case return fits together: the stream function and the
/// velocity, exact() and initial(), exact_displacement() and the velocity, the exact solution and
/// the flow that carries it, prescribed sides, periodic sides, values from several threads. Takes
/// 1024 points and five times of the run. A few points in a hundred may differ, since flows
/// and fields may jump: the finding is a note then.
///
/// An exception of the case becomes a failed finding, and the next check runs. A case that crashes
/// or never returns also crashes or blocks the caller; a FaultNote names case and check. Starts a
/// few temporary OS threads; call it from an OS thread.
/// \param name  of the case and its file, for fault reports
std::vector<Finding> check_case(const amr::Case& problem, const std::string& name,
                                const CheckObserver& observer = {});

}  // namespace kumiko::plugin
