// The size of a component of a field, as a saved run keeps it.
#pragma once

namespace kumiko::amr {

/// How large a component of the field is, in its units.
struct FieldScale {
  double now = 0.0;
  double largest = 0.0;  ///< that it has been

  bool operator==(const FieldScale&) const = default;
};

}  // namespace kumiko::amr
