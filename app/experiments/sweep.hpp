// What the commands share that run a case many times and compare the runs.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <kumiko/io/summary.hpp>

#include "problem.hpp"
#include "request.hpp"

namespace kumiko::app {

/// Runs a problem from its first state to its last step, and writes nothing. `label` stands beside
/// the progress bar. Throws as execute() does.
io::RunSummary measure(const Request& request, const Problem& problem, const std::string& backend,
                       const std::string& label);

/// Of one value or more.
double median(std::vector<double> values);

/// Whether files of these names may be put into a folder, without changing anything; an empty path
/// stands for none. `what` says what earlier ones are of. Throws RequestError.
void check_sweep_files(const std::filesystem::path& folder, std::span<const char* const> names,
                       bool overwrite, const std::string& what);

}  // namespace kumiko::app
