"""The pictures of the documentation, each drawn from a computation of the library."""
