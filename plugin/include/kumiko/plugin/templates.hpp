// The texts of new solvers and cases, from plugin/templates and solvers/upwind1.
#pragma once

namespace kumiko::plugin::templates {

extern const char* const kBuild;  ///< CMakeLists.txt of either
extern const char* const kSolverSource;
extern const char* const kSolverConfiguration;
extern const char* const kSolverReadme;
extern const char* const kCaseSource;
extern const char* const kCaseConfiguration;
extern const char* const kCaseReadme;

}  // namespace kumiko::plugin::templates
