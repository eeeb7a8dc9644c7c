#include "run/run_parts.hpp"

#include <set>
#include <stdexcept>
#include <system_error>

#include <fmt/core.h>

#include <kumiko/amr/finite_check.hpp>
#include <kumiko/amr/memory_limit.hpp>
#include <kumiko/io/shell_word.hpp>
#include <kumiko/runtime/fault.hpp>
#include <kumiko/runtime/runtime.hpp>

#include "run/as_request.hpp"

namespace kumiko::app {

namespace {

/// The message of an error, with the plugins that it can be from, unless it names one, or keys of
/// the configuration.
std::string in_words(const std::exception& error, const Setup& setup) {
  std::string what = io::with_keys(error.what());
  if (what != error.what()) return what;
  for (const std::filesystem::path& file : {setup.case_file, setup.solver_file}) {
    if (what.find(fmt::format("'{}'", file.string())) != what.npos) return what;
  }
  return fmt::format("{} ({})", what, plugins_in_words(setup));
}
std::string in_words(const amr::DeclarationError& error, const Setup& setup) {
  return fmt::format("'{}': {}", setup.solver_file.string(), error.what());
}

/// Calls make(). Its errors name the place of the key, or the plugin to blame.
template <class Make>
auto blaming(const Setup& setup, Make make) {
  return as_request([&] {
    try {
      return make();
    } catch (const amr::OptionError& error) {
      throw setup.source.error(error);
    } catch (const amr::DeclarationError& error) {
      throw RequestError("{}", in_words(error, setup));
    } catch (const std::invalid_argument& error) {
      // An error of the case or the solver, or they do not fit each other.
      throw RequestError("{}", in_words(error, setup));
    } catch (const amr::MemoryLimitError& error) {
      throw RequestError("{}", io::with_keys(error.what()));  // for the first mesh
    } catch (const amr::BrokenValueError& error) {
      throw std::runtime_error(in_words(error, setup));
    }
  });
}

}  // namespace

void check_output(const std::filesystem::path& path, io::Earlier earlier) {
  as_request([&] { io::OutputFolder::check(path, earlier); });
}

io::OutputFolder open_output(const std::filesystem::path& path, io::Earlier earlier) {
  return as_request([&] { return io::OutputFolder(path, earlier); });
}

std::unique_ptr<amr::Backend> load_backend(const std::string& name, const Setup& setup) {
  return as_request([&] { return amr::make_backend(name, setup.workers, setup.run.idle); });
}

void check_writing(const amr::Backend& backend) {
  if (backend.runtime() != nullptr) return;
  // io::StateWriter makes the same one, after the folder has been taken.
  as_request([] { const runtime::Runtime trial({.workers = 1}); });
}

std::string plugins_in_words(const Setup& setup) {
  return fmt::format("case '{}' of '{}', solver '{}' of '{}'", setup.run.case_name,
                     setup.case_file.string(), setup.solver->traits().name,
                     setup.solver_file.string());
}

std::string plugin_options(const Setup& setup) {
  std::string words;
  for (const std::filesystem::path& file :
       std::set<std::filesystem::path>{setup.case_file, setup.solver_file}) {
    std::error_code hidden;
    if (std::filesystem::equivalent(file.parent_path(), plugin::shipped_plugins(), hidden))
      continue;
    words += fmt::format(" --plugin-path {}", io::shell_word(file.string()));
  }
  return words;
}

void rethrow_naming_plugins(const Setup& setup) {
  try {
    throw;
  } catch (const amr::BrokenValueError& error) {
    throw std::runtime_error(in_words(error, setup));
  } catch (const amr::DeclarationError& error) {
    throw std::runtime_error(in_words(error, setup));
  }
}

void check_parts(const Setup& setup, int ranks) {
  blaming(setup, [&] { amr::check(*setup.the_case, *setup.solver, setup.options, ranks); });
}

std::unique_ptr<amr::Simulation> make_simulation(const Setup& setup, amr::Backend& backend,
                                                 const io::Checkpoint* from,
                                                 amr::Communicator& communicator,
                                                 const amr::InitialState* initial) {
  runtime::set_fault_advice(fmt::format("  {}\n", plugins_in_words(setup)));
  return blaming(setup, [&] {
    const amr::Case& the_case = *setup.the_case;
    std::unique_ptr<amr::Simulation> simulation;
    const auto begin = [&](const auto&... with) {
      simulation = std::make_unique<amr::Simulation>(the_case, *setup.solver, backend,
                                                     setup.options, with..., communicator);
    };
    if (from != nullptr) {
      begin(from->run);
    } else if (initial != nullptr) {
      begin(*initial);
    } else {
      begin();
    }
    // An indicator that fails should fail before work starts.
    if (setup.run.output_extras && communicator.rank() == 0) simulation->save_with_extras();
    return simulation;
  });
}

}  // namespace kumiko::app
