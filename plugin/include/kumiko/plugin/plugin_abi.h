// What a plugin and the program that loads it agree on, in C: any compiler's classes may stand on
// either side. Authors of plugins include <kumiko/plugin/plugin.hpp> instead, which fills all of
// this from a class.
//
// A plugin is a shared object that exports one function, kumiko_plugin_entry(). All that it points
// to stays valid while the program runs: plugins are never unloaded. Functions may be called from
// any thread at once, must not suspend, and let no exception out: they return a status and, where
// it is KUMIKO_REFUSED or KUMIKO_FAILED, have written a message. The meaning of each function is
// that of the member of its name in <kumiko/amr/case.hpp> and <kumiko/amr/solver.hpp>.
//
// Structures with a `size` may get members at their end without a new version. Whoever fills one
// sets `size` to the bytes of it that are there. Who reads one takes what lies beyond for absent:
// a function for NULL, a fact for its default. A structure that the other side is handed to fill
// (kumiko_case_facts, kumiko_solver_traits) comes with the bytes that there is room for; who fills
// it writes no more than these, and sets `size` to what it has written. Structures without a size
// stay as they are within a version.
#ifndef KUMIKO_SOLVERS_PLUGIN_ABI_H
#define KUMIKO_SOLVERS_PLUGIN_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// NOLINTBEGIN(readability-identifier-naming): names as C has them.

// Changes with whatever is below, but for what `size` allows: a plugin is served by the version
// that it was built for. What changed from version to version: docs/reference/plugins.md.
#define KUMIKO_ABI_VERSION 2
#define KUMIKO_ENTRY_SYMBOL "kumiko_plugin_entry"
#define KUMIKO_MESSAGE_SIZE 508

typedef int32_t kumiko_status;
enum {
  KUMIKO_OK = 0,
  KUMIKO_UNKNOWN = 1,   // of a case: it does not know
  KUMIKO_REFUSED = 2,   // what is asked for is impossible: the request is wrong
  KUMIKO_FAILED = 3,    // something went wrong on the way
  KUMIKO_NO_MEMORY = 4  // without a message
};

// Whose failure a message tells of.
enum {
  KUMIKO_UNNAMED = 0,  // of who was called; the message does not say so
  KUMIKO_NAMED = 1,    // of whom the message names
  KUMIKO_OF_CASE = 2   // of the case that who was called has been handed; it does not say so
};

typedef struct kumiko_error {
  int32_t whose;
  char message[KUMIKO_MESSAGE_SIZE];
} kumiko_error;

// Parameters. The default's type is the parameter's.
enum {
  KUMIKO_FLAG = 0,
  KUMIKO_INTEGER = 1,
  KUMIKO_NUMBER = 2,
  KUMIKO_TEXT = 3,
  KUMIKO_INTEGERS = 4,
  KUMIKO_NUMBERS = 5
};

typedef struct kumiko_value {
  int32_t type;
  int32_t flag;             // 0 or 1
  int64_t integer;          // of KUMIKO_INTEGER
  double number;            // of KUMIKO_NUMBER
  const char* text;         // of KUMIKO_TEXT
  const int64_t* integers;  // of KUMIKO_INTEGERS
  const double* numbers;    // of KUMIKO_NUMBERS
  size_t count;             // of either list
} kumiko_value;

typedef struct kumiko_parameter {
  const char* name;
  const char* help;
  kumiko_value default_value;
  double minimum;
  double maximum;
  const char* const* choices;
  size_t choice_count;
} kumiko_parameter;

typedef struct kumiko_setting {
  const char* name;
  kumiko_value value;
} kumiko_setting;

// Fields. Views are those of <kumiko/amr/patch_view.hpp> and <kumiko/amr/face_fluxes.hpp>.
typedef struct kumiko_points {
  const double* x;
  const double* y;
  size_t count;
} kumiko_points;

typedef struct kumiko_vectors {  // one of each for every point
  double* x;
  double* y;
} kumiko_vectors;

typedef struct kumiko_state {
  const double* data;
  int32_t components;
  int32_t ghosts;
} kumiko_state;

typedef struct kumiko_field {
  double* data;
  int32_t components;
  int32_t ghosts;
} kumiko_field;

typedef struct kumiko_coefficients {
  const double* data;
  size_t count;
} kumiko_coefficients;

typedef struct kumiko_range {
  int32_t i0;
  int32_t i1;
  int32_t j0;
  int32_t j1;
} kumiko_range;

// Is told an equation: its name by one call, then each of its constants by another. Names last as
// long as the call.
typedef struct kumiko_equation_taker {
  size_t size;
  void (*name)(const struct kumiko_equation_taker* self, const char* name);
  void (*constant)(const struct kumiko_equation_taker* self, const char* name, double value);
  void* target;  // of whoever made the taker
} kumiko_equation_taker;

// Cases.
enum {
  KUMIKO_FIXED_VALUE = 0,
  KUMIKO_PERIODIC = 1,
  KUMIKO_OUTFLOW = 2,
  KUMIKO_REFLECTING = 3,
  KUMIKO_PRESCRIBED = 4  // by boundary_values()
};

enum { KUMIKO_LEFT = 0, KUMIKO_RIGHT = 1, KUMIKO_BOTTOM = 2, KUMIKO_TOP = 3 };

typedef struct kumiko_boundary {
  int32_t kind;
  double value;
} kumiko_boundary;

typedef struct kumiko_case_facts {  // as long as the case lives
  size_t size;
  int32_t dimensions;  // 2
  double extent_x;
  double extent_y;
  kumiko_boundary sides[4];  // by KUMIKO_LEFT .. KUMIKO_TOP
  double end_time;
  int32_t components;
  int32_t has_steady_velocity;
  int32_t observe_every;  // base steps; 0: observe() is not called
  int32_t has_velocity_factor;
  double unit_factor_time;
} kumiko_case_facts;

typedef struct kumiko_observed_patch {
  int32_t level;
  int32_t i;
  int32_t j;
  int32_t covered;  // bit q: whether finer patches cover quadrant q
  double x;
  double y;
  double spacing;
  kumiko_state state;
} kumiko_observed_patch;

typedef struct kumiko_observation {
  size_t size;
  int64_t step;
  double time;
  double dt;
  int32_t rank;
  int32_t ranks;
  const kumiko_observed_patch* patches;
  size_t patch_count;
} kumiko_observation;

typedef struct kumiko_refinement_patch {
  size_t size;
  int32_t level;
  double time;
  double spacing;
  kumiko_points points;
  kumiko_state field;
} kumiko_refinement_patch;

typedef struct kumiko_published_value {  // as long as the call that takes it lasts
  const char* name;
  const char* source;
  const char* norm;
  double value;
  int32_t points;
} kumiko_published_value;

typedef struct kumiko_case_functions {
  size_t size;
  void (*destroy)(void* self);
  kumiko_status (*facts)(const void* self, kumiko_case_facts* facts, kumiko_error* error);
  kumiko_status (*initial)(const void* self, kumiko_points points, int32_t component,
                           double* values, kumiko_error* error);
  kumiko_status (*boundary_values)(const void* self, int32_t side, kumiko_points points,
                                   int32_t component, double time, double* values,
                                   kumiko_error* error);
  kumiko_status (*velocity)(const void* self, kumiko_points points, double time,
                            kumiko_vectors velocity, kumiko_error* error);
  kumiko_status (*stream_function)(const void* self, kumiko_points points, double time,
                                   double* values, kumiko_error* error);
  kumiko_status (*exact_displacement)(const void* self, kumiko_points points, double time,
                                      double tau, kumiko_vectors displacement, kumiko_error* error);
  kumiko_status (*exact)(const void* self, kumiko_points points, int32_t component, double time,
                         double* values, kumiko_error* error);
  kumiko_status (*refinement_indicator)(const void* self, const kumiko_refinement_patch* patch,
                                        double* indicator, kumiko_error* error);
  // Calls take(taker, name) for each component; the name lasts as long as the call.
  kumiko_status (*component_names)(const void* self, void (*take)(void* taker, const char* name),
                                   void* taker, kumiko_error* error);
  // Calls take(taker, value) for each.
  kumiko_status (*published_values)(const void* self,
                                    void (*take)(void* taker, const kumiko_published_value* value),
                                    void* taker, kumiko_error* error);
  // May be NULL: the case is posed for advection then.
  kumiko_status (*equation)(const void* self, const kumiko_equation_taker* taker,
                            kumiko_error* error);
  // May be NULL where facts.observe_every is 0.
  kumiko_status (*observe)(const void* self, const kumiko_observation* observation,
                           kumiko_error* error);
  // May be NULL where facts.has_velocity_factor is 0.
  kumiko_status (*velocity_factor)(const void* self, double time, double* factor,
                                   kumiko_error* error);
} kumiko_case_functions;

typedef struct kumiko_case {
  const kumiko_case_functions* functions;
  void* self;
} kumiko_case;

// Solvers.
enum { KUMIKO_NODE = 0, KUMIKO_CELL = 1 };

typedef struct kumiko_vector_components {  // of one vector among the components
  int32_t x;
  int32_t y;
} kumiko_vector_components;

typedef struct kumiko_solver_traits {  // as long as the solver lives
  size_t size;
  int32_t dimensions;  // 2
  int32_t components;
  int32_t centring;
  int32_t ghosts;
  int32_t has_characteristic_ghosts;
  int32_t is_flux_form;
  int32_t has_tendency;
  int32_t is_nonlinear;
  double cfl_limit;
  double order;
  size_t coefficients;
  const kumiko_vector_components* vectors;  // vector_count of them; none: all are scalars
  size_t vector_count;
} kumiko_solver_traits;

typedef struct kumiko_patch {
  size_t size;
  kumiko_points points;
  double spacing;
  int32_t first_i;
  int32_t first_j;
} kumiko_patch;

typedef struct kumiko_patch_advance {  // of one patch, what advance() is handed
  kumiko_state before;
  kumiko_coefficients coefficients;
  kumiko_field after;
  double* fluxes;  // what advance_with_fluxes() is handed, or NULL where none are asked for
} kumiko_patch_advance;

typedef struct kumiko_solver_functions {
  size_t size;
  void (*destroy)(void* self);
  kumiko_status (*traits)(const void* self, kumiko_solver_traits* traits, kumiko_error* error);
  kumiko_status (*prepare)(const void* self, kumiko_case problem, const kumiko_patch* patch,
                           double time, double dt, double* coefficients, double* cfl,
                           kumiko_error* error);
  kumiko_status (*advance)(const void* self, kumiko_state before, kumiko_coefficients coefficients,
                           kumiko_field after, kumiko_error* error);
  kumiko_status (*advance_with_fluxes)(const void* self, kumiko_state before,
                                       kumiko_coefficients coefficients, kumiko_field after,
                                       double* fluxes, kumiko_error* error);
  kumiko_status (*tendency)(const void* self, kumiko_state state, kumiko_coefficients coefficients,
                            kumiko_range range, kumiko_field tendency, kumiko_error* error);
  kumiko_status (*state_cfl)(const void* self, kumiko_state state, kumiko_coefficients coefficients,
                             double* cfl, kumiko_error* error);
  kumiko_status (*displacement)(const void* self, kumiko_case problem, kumiko_points points,
                                double time, double tau, kumiko_vectors displacement,
                                kumiko_error* error);
  // Several patches of one level. May be NULL: they are advanced one by one then.
  kumiko_status (*advance_list)(const void* self, const kumiko_patch_advance* list, size_t count,
                                kumiko_error* error);
  // May be NULL: all patches have the weight 1 then.
  kumiko_status (*weight)(const void* self, kumiko_case problem, const kumiko_patch* patch,
                          double time, double* weight, kumiko_error* error);
  // May be NULL: the solver solves advection then.
  kumiko_status (*equation)(const void* self, const kumiko_equation_taker* taker,
                            kumiko_error* error);
  // Sets *found to 1 and the point, or *found to 0. May be NULL: all states are admissible then.
  kumiko_status (*inadmissible_point)(const void* self, kumiko_state state, int32_t* found,
                                      int32_t* i, int32_t* j, kumiko_error* error);
  // May be NULL: prepare() is called for each step then.
  kumiko_status (*rescale)(const void* self, kumiko_case problem, double time, double dt,
                           double* coefficients, double* cfl, kumiko_error* error);
} kumiko_solver_functions;

typedef struct kumiko_solver {
  const kumiko_solver_functions* functions;
  void* self;
} kumiko_solver;

// What can be made by name. `context` is the plugin's own and is handed to make().
typedef struct kumiko_solver_entry {
  size_t size;
  const char* name;
  const char* help;
  const kumiko_parameter* parameters;
  size_t parameter_count;
  const void* context;
  kumiko_status (*make)(const void* context, const kumiko_setting* settings, size_t count,
                        kumiko_solver* solver, kumiko_error* error);
} kumiko_solver_entry;

typedef struct kumiko_case_entry {
  size_t size;
  const char* name;
  const char* help;
  const kumiko_parameter* parameters;
  size_t parameter_count;
  const void* context;
  kumiko_status (*make)(const void* context, const kumiko_setting* settings, size_t count,
                        kumiko_case* made, kumiko_error* error);
} kumiko_case_entry;

typedef struct kumiko_plugin {
  // These three stay what and where they are in every version.
  uint32_t abi_version;
  const char* built_with;  // e.g. "Kumiko 0.1.0, GCC 12.2.0"
  const char* failure;     // why the rest is empty, or NULL

  size_t size;
  const kumiko_solver_entry* const* solvers;
  size_t solver_count;
  const kumiko_case_entry* const* cases;
  size_t case_count;
} kumiko_plugin;

// The type of the entry function, the same in every version. It does not fail.
typedef const kumiko_plugin* (*kumiko_plugin_entry_function)(void);

// NOLINTEND(readability-identifier-naming)

#ifdef __cplusplus
}
#endif

#endif
