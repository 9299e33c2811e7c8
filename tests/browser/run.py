#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs scripts in headless Chromium: run.py --build DIR --mpiexec PROGRAM [--time [--limits] | --pictures DIR]

Installs playwright-core into the build directory (npm ci; package-lock.json has its checksum) and makes
the pages that the scripts open. Without Node, npm, or Chromium it says what is missing and ends with 77."""
import argparse
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from cube_reader import values_of  # noqa: E402
from launching import setting  # noqa: E402
from reference import NAMES, archive_of  # noqa: E402
SKIPPED = 77


def skip(why):
    print("skipped:", why)
    sys.exit(SKIPPED)


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, **options)
    if done.returncode != 0:
        sys.exit("%s: status %d\n%s" % (" ".join(map(str, command)), done.returncode, done.stdout))
    return done.stdout


def find_browser():
    for name in (os.environ.get("CHROMIUM", ""), "chromium", "chromium-browser", "google-chrome"):
        found = name and shutil.which(name)
        if found:
            return found
    skip("no Chromium (package chromium)")


def install(build):
    """A directory with the scripts and playwright-core beside them."""
    for tool, package in (("node", "nodejs"), ("npm", "npm")):
        if not shutil.which(tool):
            skip("no %s (package %s)" % (tool, package))
    place = os.path.join(build, "browser")
    os.makedirs(place, exist_ok=True)
    for name in os.listdir(HERE):
        if name.endswith((".mjs", ".json")):
            shutil.copy(os.path.join(HERE, name), place)
    # The page's sources are copied as modules that Node can load.
    shutil.rmtree(os.path.join(place, "page"), ignore_errors=True)
    shutil.copytree(os.path.join(HERE, "..", "..", "analyzer", "view", "html", "page"), os.path.join(place, "page"))
    with open(os.path.join(place, "page", "package.json"), "w") as file:
        file.write('{"type": "module"}\n')
    with open(os.path.join(HERE, "package-lock.json"), "rb") as file:
        wanted = hashlib.sha256(file.read()).hexdigest()
    stamp = os.path.join(place, "node_modules", ".installed")
    if not os.path.exists(stamp) or open(stamp).read() != wanted:
        try:
            done = subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--loglevel=error", "--fetch-retries=1"],
                                  cwd=place, env=dict(os.environ, PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD="1"),
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
        except subprocess.TimeoutExpired:
            skip("npm ci took more than two minutes to install playwright-core")
        if done.returncode != 0:
            skip("npm ci could not install playwright-core: " + (done.stdout.strip().splitlines() or ["?"])[0])
        with open(stamp, "w") as file:
            file.write(wanted)
    return place


def expected_values(report):
    """Expected values of the page, computed by a reader that is not ours."""
    out = {}
    for name, metric in values_of(report).items():
        paths = {path: sum(row) for path, row in metric["values"].items()}
        ranks = [sum(column) for column in zip(*metric["values"].values())]
        out[name] = {"seconds": metric["unit"] == "sec", "total": sum(ranks), "paths": paths, "ranks": ranks}
    return out


def write_empty(path):
    """Writes a report with a metric and nothing else, as a trace without events would give."""
    anchor = (b'<?xml version="1.0"?>\n<cube version="4.4"><metrics><metric id="0" type="EXCLUSIVE">'
              b'<disp_name>Time</disp_name><uniq_name>time</uniq_name><dtype>DOUBLE</dtype><uom>sec</uom>'
              b'</metric></metrics><program></program><system></system></cube>')
    with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT) as tar:
        member = tarfile.TarInfo("anchor.xml")
        member.size = len(anchor)
        tar.addfile(member, io.BytesIO(anchor))


def run_on_two_clocks(scratch, binaries, options):
    """Records two ranks whose clocks differ by 20 ms: the page shows how the clocks were compared."""
    models = os.path.join(scratch, "models")
    with open(models, "w") as file:
        file.write("exact offset=0s drift=0ppm\nslow offset=20ms drift=30ppm\n")
    program = [os.path.join(options.build, "apps", "compute_gsum"), "--sums", "10", "--ms", "1"]
    words = []
    for node in ("exact", "slow"):
        words += [":"] * bool(words) + ["-n", "1"] + setting(options.mpiexec, "LATECOMER_NODE", node) + program
    experiment = os.path.join(scratch, "two_clocks")
    run(os.path.join(binaries, "scan"), "-e", experiment, "--yield", options.mpiexec, *words,
        env=dict(os.environ, LATECOMER_TIMER_EMULATION=models))
    return experiment


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--mpiexec", default="mpiexec")
    parser.add_argument("--time", action="store_true", help="measure a large report")
    parser.add_argument("--limits", action="store_true", help="with --time: fail if it is slower or larger than was promised")
    parser.add_argument("--pictures", metavar="DIR", help="write the pictures of the documentation")
    parser.add_argument("--pages", nargs="*", default=[], help="pages for the pictures")
    options = parser.parse_args()
    binaries = os.path.join(os.path.abspath(options.build), "bin")
    environment = dict(os.environ, CHROMIUM=find_browser())
    place = install(options.build)

    with tempfile.TemporaryDirectory() as scratch:
        def page(report, name, *more):
            file = os.path.join(scratch, name + ".html")
            run(os.path.join(binaries, "latecomer"), "html", report, "-o", file, *more)
            return file

        environment["SCRATCH"] = scratch
        scripts = ["modules.test.mjs", "page.test.mjs", "views.test.mjs", "evaluated.test.mjs", "large.test.mjs",
                   "scaling.test.mjs", "values.test.mjs"]
        if options.pictures:
            done = subprocess.run(["node", "pictures.mjs", os.path.abspath(options.pictures)] +
                                  [os.path.abspath(name) for name in options.pages], cwd=place, env=environment)
            return done.returncode
        if options.time:
            def made_up(name, *words):
                report = os.path.join(scratch, name + ".cubex")
                run(os.path.join(binaries, "write_large_report"), report, *words)
                return page(report, name)

            if options.limits:
                environment.setdefault("LIMITS", "1")
            # This is the densest report that the documented limit covers; its size is what counts.
            densest = os.path.getsize(made_up("densest", 1000, 100, "worst")) / 1e6
            print("1,000 ranks, 100 call paths of the densest calls: %.2f MB" % densest, flush=True)
            if options.limits and densest > 10:
                sys.exit("that is more than 10 MB")
            return subprocess.run(["node", "timing.mjs", made_up("large")], cwd=place, env=environment).returncode

        run(os.path.join(binaries, "write_examples"), os.path.join(scratch, "examples"))
        examples = os.path.join(scratch, "examples")
        environment["HEAT"] = page(os.path.join(examples, "latecomer_heat_4_trace"), "heat")
        environment["COUPLED"] = page(os.path.join(examples, "coupled.cubex"), "coupled")
        less = os.path.join(scratch, "less.cubex")
        run(os.path.join(binaries, "latecomer"), "diff", os.path.join(examples, "latecomer_heat_4_trace"),
            os.path.join(examples, "changed.cubex"), "-o", less)
        environment["LESS"] = page(less, "less")
        environment["LATECOMER"] = os.path.join(binaries, "latecomer")
        environment["REPORT"] = os.path.join(examples, "latecomer_heat_4_trace")
        environment["DIFF"] = os.path.join(scratch, "diff.html")
        run(os.path.join(binaries, "latecomer"), "diff", os.path.join(examples, "latecomer_heat_4_trace"),
            os.path.join(examples, "changed.cubex"), "--html", environment["DIFF"])
        sampled = [os.path.join(examples, name) for name in ("sampled.cubex", "sampled_changed.cubex")]
        environment["SAMPLED"] = page(sampled[1], "sampled")
        environment["SAMPLED_DIFF"] = os.path.join(scratch, "sampled_diff.html")
        run(os.path.join(binaries, "latecomer"), "diff", *sampled, "--html", environment["SAMPLED_DIFF"])
        formulas = [os.path.join(examples, name) for name in ("formulas.cubex", "formulas_b.cubex")]
        environment["FORMULAS"], environment["FORMULAS_B"] = formulas
        environment["FORMULAS_PAGE"] = page(formulas[0], "formulas")
        environment["FORMULAS_DIFF"] = os.path.join(scratch, "formulas_diff.html")
        run(os.path.join(binaries, "latecomer"), "diff", *formulas, "--html", environment["FORMULAS_DIFF"])
        stencils = [os.path.join(examples, "stencil_%d.cubex" % ranks) for ranks in (2, 4, 8, 16, 32)]
        environment["STENCILS"] = json.dumps(stencils)
        for name, reports in (("SCALING", stencils), ("SCALING_TWO", stencils[:2])):
            environment[name] = os.path.join(scratch, name + ".html")
            run(os.path.join(binaries, "latecomer"), "scaling", *reports, "--html", environment[name])
        environment["QUIET"] = page(os.path.join(examples, "quiet.cubex"), "quiet")
        environment["THREADED"] = page(os.path.join(examples, "threaded.cubex"), "threaded")
        environment["CLOCKS"] = page(run_on_two_clocks(scratch, binaries, options), "clocks")
        environment["LARGE_REPORT"] = os.path.join(scratch, "large.cubex")
        run(os.path.join(binaries, "write_large_report"), environment["LARGE_REPORT"], 1024, 20)
        environment["LARGE"] = page(environment["LARGE_REPORT"], "large")
        environment["CHOSEN"] = page(os.path.join(examples, "latecomer_heat_4_trace"), "chosen",
                                     "--metric", "mpi_barrier_wait")
        write_empty(os.path.join(scratch, "nothing.cubex"))
        environment["EMPTY"] = page(os.path.join(scratch, "nothing.cubex"), "nothing")
        environment["FOREIGN"] = page(os.path.join(HERE, "..", "report", "data", "cube_example.cubex"), "foreign")
        cases = []
        for name in NAMES:
            report = os.path.join(scratch, name + ".cubex")
            run(options.mpiexec, "-n", 2, os.path.join(binaries, "latecomer-analyzer"), "-q", "-o", report,
                archive_of(name, scratch))
            values = os.path.join(scratch, name + ".json")
            with open(values, "w") as file:
                json.dump(expected_values(report), file)
            cases.append([page(report, name), values])
        environment["VALUES"] = json.dumps(cases)
        return subprocess.run(["node", "--test"] + scripts, cwd=place, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
