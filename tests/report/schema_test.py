#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The documented schema of latecomer.json has the keys that the types of the report have, and no others.

  schema_test.py WRITE_FULL_EXTRAS SCHEMA

WRITE_FULL_EXTRAS prints statements of a report in which nothing is empty: every key that the types can write is there.
"""
import json
import subprocess
import sys
import unittest


def resolved(schema, root):
    """The schema that a reference names."""
    while "$ref" in schema:
        place = root
        for step in schema["$ref"].removeprefix("#/").split("/"):
            place = place[step]
        schema = place
    return schema


def differences(value, schema, root, path=""):
    """Sentences about keys that only the value or only the schema has. Other properties are jsonschema's matter."""
    schema = resolved(schema, root)
    if isinstance(value, dict):
        known = schema.get("properties", {})
        others = schema.get("additionalProperties")
        if isinstance(others, dict):  # keys are names
            known = {key: others for key in value}
        yield from ("the schema lacks %s/%s" % (path, key) for key in value if key not in known)
        yield from ("the types lack %s/%s" % (path, key) for key in known if key not in value)
        for key in value:
            if key in known:
                yield from differences(value[key], known[key], root, path + "/" + key)
    elif isinstance(value, list) and isinstance(schema.get("items"), dict):
        if not value:
            yield "nothing is in " + path
        for element in value:
            yield from differences(element, schema["items"], root, path + "/*")


class Schema(unittest.TestCase):
    def setUp(self):
        self.value = json.loads(subprocess.run([WRITE], capture_output=True, check=True, timeout=60).stdout)
        with open(SCHEMA, encoding="utf-8") as file:
            self.root = json.load(file)
        self.schema = self.root["properties"]["extras"]

    def test_types_and_schema_have_the_same_keys(self):
        self.assertEqual(list(differences(self.value, self.schema, self.root)), [])

    def test_values_follow_the_schema(self):
        try:
            import jsonschema
        except ImportError:
            self.skipTest("no jsonschema (package python3-jsonschema)")
        jsonschema.Draft202012Validator(dict(self.schema, **{"$defs": self.root["$defs"]})).validate(self.value)

    def test_differences_are_found(self):
        del self.value["clocks"]["scheme"]
        self.value["run"]["colour"] = "red"
        self.assertEqual(sorted(differences(self.value, self.schema, self.root)),
                         ["the schema lacks /run/colour", "the types lack /clocks/scheme"])


if __name__ == "__main__":
    SCHEMA = sys.argv.pop()
    WRITE = sys.argv.pop()
    unittest.main()
