"""How many problems the properties are tried on.

`make test` tries the same ones every time, so that it says something about the change and not
about the day; `make properties` goes out and looks for new ones.
"""

import os

from hypothesis import HealthCheck, settings

# No deadline: machines differ, and a slow example is not a wrong one.
EVERYWHERE = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("same", EVERYWHERE, max_examples=60, derandomize=True)
settings.register_profile("new", EVERYWHERE, max_examples=500, print_blob=True)
settings.load_profile(os.environ.get("TACIT_PROPERTIES", "same"))
