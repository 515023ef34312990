"""Least squares in the function space of a kernel: ridge regression, projections, certificates."""

from tacit.solver.kernel._active_set import solve_active_set
from tacit.solver.kernel._certificate import PenalisedCertificate
from tacit.solver.kernel._features import KernelFeatures
from tacit.solver.kernel._fit import fit_kernel_ridge
from tacit.solver.kernel._projection import KernelProjection, KernelTable, project_kernel
from tacit.solver.kernel._ridge import BorderedSystem, Expansion
from tacit.solver.kernel._simplex_active_set import solve_simplex_active_set

__all__ = [
    "BorderedSystem",
    "Expansion",
    "KernelFeatures",
    "KernelProjection",
    "KernelTable",
    "PenalisedCertificate",
    "fit_kernel_ridge",
    "project_kernel",
    "solve_active_set",
    "solve_simplex_active_set",
]
