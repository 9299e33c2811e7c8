# SPDX-License-Identifier: BSD-3-Clause
"""Parts of scripts/bench: timed commands and the history of measured values."""
