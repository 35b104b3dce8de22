"""What may be missing for an operation that depends on what runs with it (`judge`)."""

from typing import Final

NEEDS_MAXIMAL: Final = "needs-maximal"
NEEDS_SUBGROUP_UNIFORM: Final = "needs-subgroup-uniform"
UNITED: Final = "united"
VALUES_DIFFER: Final = "values"
FALLS_IN: Final = "falls-in"
HELPERS: Final = "helpers"
NATURAL: Final = "natural-helpers"
PART_OF_WORKGROUP: Final = "part-of-workgroup"
PART_OF_SUBGROUP: Final = "part-of-subgroup"
PART_OF_QUAD: Final = "part-of-quad"
NOT_UNIFORM: Final = "not-uniform"
UNSTRUCTURED: Final = "unstructured"
