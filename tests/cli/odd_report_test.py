#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""An untrusted report with texts that act on terminals, in Markdown and in spreadsheets, in all
places. Every view shows them as text."""
import csv
import html
import io
import json
import os
import re
import struct
import subprocess
import tarfile
import tempfile
import unittest

LATECOMER = os.environ["LATECOMER"]
ODD = "=1+2\n# All checks passed\r[a](http://b)<img src=x>|`c` \x1b[2J\x9b\x07\u202e\x7f"
IN_XML = "=1+2\n# All checks passed\r[a](http://b)<img src=x>|`c` \x9b\u202e\x7f"  # characters that XML 1.0 allows
CONTROL = re.compile("[\x00-\x08\x0b-\x1f]")
ACTS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]")


def report():
    odd = html.escape(IN_XML).replace("\r", "&#13;")
    metric = "<metric id='%d' type='EXCLUSIVE'><disp_name>%s</disp_name><uniq_name>%s</uniq_name><dtype>DOUBLE</dtype><uom>sec</uom><descr>%s</descr></metric>"
    anchor = ("<?xml version='1.0' encoding='UTF-8'?><cube version='4.4'><attr key='Creator' value='%s'/><metrics>%s%s</metrics><program>"
              "<region id='0' mod='%s' begin='1' end='2'><name>%s</name><mangled_name>%s</mangled_name></region>"
              "<cnode id='0' calleeId='0'></cnode></program><system><systemtreenode Id='0'><name>%s</name><class>machine</class>"
              "<systemtreenode Id='1'><name>%s</name><class>node</class><locationgroup Id='0'><name>%s</name><rank>0</rank><type>process</type>"
              "<location Id='0'><name>%s</name><rank>0</rank><type>thread</type></location></locationgroup></systemtreenode></systemtreenode></system></cube>"
              % (odd, metric % (0, odd, "time", odd), metric % (1, odd, odd, odd), odd, odd, odd, odd, odd, odd, odd))
    extras = {"schema_version": 1, "program": {"name": ODD, "arguments": [ODD]},
              "run": {"ranks": 1, "locations": 1, "nodes": 1, "metahosts": [ODD], "duration": 2.0, "events": 3, "launch": ODD},
              "quality": [{"name": ODD, "count": 1, "text": ODD, "partial": True, "files": [ODD], "file_notes": [ODD]}],
              "endings": [{"state": "in_call", "ranks": "0", "call_path": ODD, "since": 1.0}],
              "clocks": {"clocks": [{"node": ODD, "metahost": ODD}]}, "partial": True, ODD: ODD}
    values, index = b"CUBEX.DATA" + struct.pack("<d", 2), b"CUBEX.INDEX" + struct.pack("<IHBII", 1, 0, 1, 1, 0)
    return {"anchor.xml": anchor.encode(), "latecomer.json": json.dumps(extras).encode(), "0.data": values, "0.index": index,
            "1.data": values, "1.index": index}


class OddReport(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.place = scratch.name
        self.write("odd.cubex", report())
        members = report()
        members["anchor.xml"] = members["anchor.xml"].replace(b"<metrics>", b"<metrics><metric>")
        self.write("damaged.cubex", members)

    def write(self, name, members):
        with tarfile.open(os.path.join(self.place, name), "w", format=tarfile.USTAR_FORMAT) as tar:
            for member, content in members.items():
                header = tarfile.TarInfo(member)
                header.size = len(content)
                tar.addfile(header, io.BytesIO(content))

    def run_view(self, *words):
        done = subprocess.run([LATECOMER, *words], capture_output=True, cwd=self.place, timeout=100)
        self.assertIn(done.returncode, (0, 1, 2, 3, 4), words)
        text = (done.stdout + done.stderr).decode()  # UTF-8, or an exception
        # JSON is for programs: it only escapes what it must.
        found = (CONTROL if "json" in words or "--json" in words else ACTS).search(text)
        self.assertIsNone(found, "%s: %r" % (words, found and text[max(0, found.start() - 60):found.end() + 20]))
        return done.stdout.decode(), done.stderr.decode()

    def test_nothing_acts_on_a_terminal(self):
        for words in (["show"], ["show", "--json"], ["show", "--metric", "time"], ["show", "--by", "metric"], ["show", "--by", "rank"],
                      ["show", "--by", "node"], ["show", "--metric", ODD], ["json"], ["csv"], ["check", "--fail", "time>1s"], ["check", "--fail", "nothing>1s"],
                      ["diff", "odd.cubex"], ["explain", ODD]):
            for name in ("odd.cubex", "damaged.cubex"):
                out, errors = self.run_view(*words, name)
                for line in (out + errors).splitlines():
                    self.assertFalse(line.startswith("# All"), (words, line))

    def test_what_is_made_of_it(self):
        self.run_view("cut", "--metric", "time", "odd.cubex", "-o", "cut.cubex")
        self.run_view("show", "cut.cubex")
        self.run_view("html", "odd.cubex", "-o", "page.html")

    def test_markdown(self):
        out, _ = self.run_view("check", "--fail", "time>1s", "odd.cubex")
        self.assertEqual([line[:3] for line in out.splitlines() if line.startswith("#")], ["###"])
        for part in (r"(?<!\\)\[a\]", r"(?<!\\)<img", r"(?<!\\)`c", r"\.[^\\]\|`c"):
            self.assertIsNone(re.search(part, out), (part, out))

    def test_spreadsheet(self):
        out, _ = self.run_view("csv", "odd.cubex")
        rows = list(csv.reader(line for line in out.splitlines() if not line.startswith("#")))
        self.assertEqual(len(rows), 3)
        for row in rows[1:]:
            self.assertEqual(len(row), 8)
            for cell in row:
                self.assertNotIn(cell[:1], ("=", "+", "@"))

    def test_arguments_are_told_as_they_are(self):
        out, _ = self.run_view("json", "odd.cubex")
        self.assertEqual(json.loads(out)["context"]["program"], {"name": ODD, "arguments": [ODD]})


if __name__ == "__main__":
    unittest.main(verbosity=2)
