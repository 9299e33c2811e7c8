# SPDX-License-Identifier: BSD-3-Clause
"""The parts of scan: options -> command line -> run -> analysis."""
