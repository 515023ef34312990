from hypothesis import HealthCheck, settings

# No deadline: machines differ, and a slow example is not a wrong one.
settings.register_profile(
    "tacit", deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("tacit")
