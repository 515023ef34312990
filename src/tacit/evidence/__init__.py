"""How far the labels support a geometry: leave-one-out, weights, the gate, and its account."""

from tacit.evidence._average import Average, Candidate, average, winners
from tacit.evidence._calibration import calibrated_temperature, probabilities
from tacit.evidence._evidence import Evidence, Weighing, weigh
from tacit.evidence._ridge import ALPHAS, RidgePath, kernel_scale, ridge_path

__all__ = [
    "ALPHAS",
    "Average",
    "Candidate",
    "Evidence",
    "RidgePath",
    "Weighing",
    "average",
    "calibrated_temperature",
    "kernel_scale",
    "probabilities",
    "ridge_path",
    "weigh",
    "winners",
]
