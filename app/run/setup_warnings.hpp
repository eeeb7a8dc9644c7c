// Warns of configurations that are allowed and may be wrong.
#pragma once

#include <string_view>

#include <kumiko/io/checkpoint.hpp>

#include "run/setup.hpp"

namespace kumiko::app {

/// Warns on stderr of keys that are set by earlier names, or twice on the command line; of a
/// setup, also of a solver that solves another equation than the one that the case is posed for.
void warn_of(const io::ConfigSource& source);
void warn_of(const Setup& setup);

/// Warns on stderr if all `output.times` are over at a restart, unless the run had them before and
/// has written their files.
void warn_of_past_times(const Setup& setup, const io::Checkpoint& from);

/// Warns on stderr if a mesh of several levels takes more point updates than the finest level's
/// grid would take everywhere. \param fraction  the updates over those of that grid \param who "the
/// run makes"
void warn_above_uniform(const Setup& setup, double fraction, std::string_view who);

}  // namespace kumiko::app
