// Names the functions that make the commands, each of which is in a file of its own.
#pragma once

#include "options/options.hpp"

namespace kumiko::app {

/// Declare a command's options. \return what runs it, which keeps their values
Action run_command(Options& options);
Action table_command(Options& options);
Action compare_command(Options& options);
Action scaling_command(Options& options);
Action simulate_command(Options& options);
Action inspect_command(Options& options);
Action export_command(Options& options);
Action report_command(Options& options);
Action serve_search_command(Options& options);
Action join_search_command(Options& options);
Action solver_list_command(Options& options);
Action solver_show_command(Options& options);
Action new_solver_command(Options& options);
Action solver_check_command(Options& options);
Action case_list_command(Options& options);
Action case_show_command(Options& options);
Action case_check_command(Options& options);
Action new_case_command(Options& options);

}  // namespace kumiko::app
