"""Names for the array types that the whole package uses."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Index = NDArray[np.intp]
Mask = NDArray[np.bool_]
AnyArray = NDArray[Any]
