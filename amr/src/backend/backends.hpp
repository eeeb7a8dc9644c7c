// Makers of the backends with several workers; worker counts are as for make_backend(), already
// checked.
#pragma once

#include <memory>

#include <kumiko/amr/backend.hpp>

namespace kumiko::amr {

/// Makes backend `threads`: lightweight threads, spread by work stealing.
std::unique_ptr<Backend> make_threads_backend(int workers, runtime::IdlePolicy idle);
/// Makes backend `pthread`: equal strips in y, one OS thread each for the whole run, barriers
/// between phases; a patch belongs to the strip of its centre.
std::unique_ptr<Backend> make_pthread_backend(int workers);
/// Makes backend `openmp`: threads of OpenMP, an equal part of the level's patches for each.
std::unique_ptr<Backend> make_openmp_backend(int workers);

}  // namespace kumiko::amr
