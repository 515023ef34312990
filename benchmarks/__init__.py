"""Side-by-side timings, as ratios measured in one run."""
