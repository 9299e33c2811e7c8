#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""latecomer view: access rights of requests, and the end of the server."""
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import unittest
import zlib

LATECOMER, EXAMPLES = (os.environ[name] for name in ("LATECOMER", "EXAMPLES"))
REPORT = os.path.join(EXAMPLES, "latecomer_heat_4_trace")


class Server:
    def __init__(self, *words):
        self.process = subprocess.Popen([LATECOMER, "view", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.lines = [self.process.stdout.readline() for _ in range(3)]
        self.port, self.base = re.fullmatch(r"http://127\.0\.0\.1:(\d+)(/[0-9a-f]{24}/)\n", self.lines[0]).groups()
        self.port = int(self.port)

    def get(self, path, host=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=200)
        connection.request("GET", path, headers={"Host": host} if host else {})
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer.status, body

    def connect(self, text):
        """Opens a connection and sends this text."""
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=200)
        connection.sendall(text.encode())
        return connection

    def start_of(self, method, path):
        return "%s %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n" % (method, path, self.port)

    def memory(self):
        """The largest memory of the server so far, in bytes."""
        with open("/proc/%d/status" % self.process.pid) as status:
            return 1024 * int(re.search(r"VmHWM:\s+(\d+) kB", status.read()).group(1))

    def end(self, by=signal.SIGINT):
        self.process.send_signal(by)
        out, errors = self.process.communicate(timeout=200)
        return self.process.returncode, out + errors


def bytes_of(text):
    """Decodes text that analyzer/view/html/seven_bits.hpp has encoded."""
    forbidden = b"\0\n\r\"&<>"
    bits = ""
    for character in map(ord, text):
        if character < 128:
            bits += f"{character:07b}"
        elif character < 0x500:
            bits += f"{forbidden[(character - 0x100) // 128]:07b}{character % 128:07b}"
        else:
            bits += f"{forbidden[character - 0x500]:07b}"
    return bytes(int(bits[i:i + 8], 2) for i in range(0, len(bits) - 7, 8))


class Serve(unittest.TestCase):
    def test_page_and_values(self):
        server = Server(REPORT)
        self.addCleanup(server.process.kill)
        status, page = server.get(server.base)
        self.assertEqual(status, 200)
        self.assertIn(b"connect-src 'self';", page)
        data = json.loads(zlib.decompress(bytes_of(re.search(rb'id="data">([^<]*)<', page).group(1).decode())))
        self.assertEqual(len(data["served"]), len(data["metrics"]))
        for number, has_values in enumerate(data["served"]):
            status, body = server.get(server.base + "values-%d" % number)
            self.assertEqual(status, 200 if has_values else 404)
            if has_values:
                self.assertIn(zlib.decompress(body)[0], (0, 1))
        self.assertIn("ssh -N -L %d:127.0.0.1:%d " % (server.port, server.port), server.lines[2])
        self.assertEqual(server.end(), (0, ""))

    def test_nobody_else_gets_it(self):
        server = Server(REPORT)
        self.addCleanup(server.process.kill)
        for path in ("/", "/values-0", "/" + "0" * 24 + "/", server.base + "values-99999", server.base + "../etc/passwd", server.base + "values-x"):
            self.assertEqual(server.get(path)[0], 404, path)
        self.assertEqual(server.get(server.base, host="stranger.example:%d" % server.port)[0], 403)
        self.assertEqual(server.get(server.base, host="localhost:%d" % server.port)[0], 200)
        with open("/proc/net/tcp") as table:  # only 127.0.0.1
            listening = [line.split()[1] for line in table if line.split()[3] == "0A" and line.split()[1].endswith(":%04X" % server.port)]
        self.assertEqual(listening, ["0100007F:%04X" % server.port])
        self.assertEqual(server.end(signal.SIGTERM), (0, ""))

    def test_what_is_sent_is_not_kept(self):
        server = Server(REPORT)
        self.addCleanup(server.process.kill)
        before, block = server.memory(), b"x" * 1000000
        for start in (server.start_of("POST", "/anything") + "Content-Length: 100000000\r\n\r\n",
                      server.start_of("POST", server.base) + "Transfer-Encoding: chunked\r\n\r\n5f5e100\r\n",
                      server.start_of("PUT", server.base) + "\r\n",
                      server.start_of("GET", server.base) + "Content-Length: 100000000\r\n\r\n",
                      "GET /", server.start_of("GET", server.base) + "X: "):
            with server.connect(start) as connection:
                try:
                    for _ in range(100):
                        connection.sendall(block)
                except (BrokenPipeError, ConnectionResetError):
                    pass
            self.assertEqual(server.get(server.base)[0], 200, start)
        self.assertLess(server.memory() - before, 20000000)
        self.assertEqual(server.end(), (0, ""))

    def test_requests_with_a_body_are_answered(self):
        server = Server(REPORT)
        self.addCleanup(server.process.kill)
        whole = server.get(server.base)[1]
        with server.connect(server.start_of("GET", server.base) + "Content-Length: 5\r\n\r\nhello") as connection:
            answer = b"".join(iter(lambda: connection.recv(1 << 20), b""))
        self.assertTrue(answer.startswith(b"HTTP/1.1 200 OK\r\n"), answer[:100])
        self.assertTrue(answer.endswith(whole))
        self.assertEqual(server.end(), (0, ""))

    def test_ranges_are_not_answered_one_by_one(self):
        server = Server(REPORT)
        self.addCleanup(server.process.kill)
        before, whole = server.memory(), server.get(server.base)[1]
        ranges = ",".join("0-" for _ in range(1500))
        with server.connect(server.start_of("GET", server.base) + "Connection: close\r\nRange: bytes=%s\r\n\r\n" % ranges) as connection:
            answer = b"".join(iter(lambda: connection.recv(1 << 20), b""))
        self.assertTrue(answer.startswith(b"HTTP/1.1 200 OK\r\n"), answer[:100])
        self.assertTrue(answer.endswith(whole))
        self.assertLess(server.memory() - before, 20000000)
        self.assertEqual(server.end(), (0, ""))

    def test_who_asks_for_nothing_keeps_nobody_waiting(self):
        server = Server(REPORT)
        self.addCleanup(server.process.kill)
        idle = [server.connect("GET /" if number % 2 else "") for number in range(400)]
        self.assertEqual(server.get(server.base)[0], 200)
        self.assertEqual(idle[0].recv(10), b"")  # the oldest was closed
        idle[-1].sendall((server.base[1:] + " HTTP/1.1\r\nHost: localhost:%d\r\n\r\n" % server.port).encode())
        self.assertEqual(idle[-1].recv(15), b"HTTP/1.1 200 OK")
        for connection in idle:
            connection.close()
        self.assertEqual(server.end(), (0, ""))

    def test_one_connection_has_many_answers(self):
        server = Server(REPORT)
        self.addCleanup(server.process.kill)
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=200)
        for method, path, status in (("GET", server.base, 200), ("HEAD", server.base, 200), ("GET", "/", 404), ("GET", server.base, 200)):
            connection.request(method, path)
            answer = connection.getresponse()
            body = answer.read()
            self.assertEqual((answer.status, len(body)), (status, 0 if method == "HEAD" or status == 404 else int(answer.headers["Content-Length"])))
            self.assertEqual(answer.headers["Cache-Control"], "no-store")
        connection.close()
        self.assertEqual(server.end(), (0, ""))

    def test_two_at_once_have_ports_and_secrets_of_their_own(self):
        one, two = Server(REPORT), Server(REPORT)
        self.assertNotEqual((one.port, one.base), (two.port, two.base))
        self.assertNotEqual(one.base, two.base)
        for server in (one, two):
            self.assertEqual(server.end(), (0, ""))

    def test_a_port_of_choice(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = str(taken.getsockname()[1])
            done = subprocess.run([LATECOMER, "view", "--port", port, REPORT], capture_output=True, text=True, timeout=200)
            self.assertEqual((done.returncode, done.stdout), (3, ""))
            self.assertIn("cannot listen on port " + port, done.stderr)
        server = Server("--port", port, "--metric", "mpi_latesender", REPORT)
        self.assertEqual(str(server.port), port)
        self.assertEqual(server.end(), (0, ""))

    def test_refusals(self):
        for words, status, text in ((["--port", "70000", REPORT], 2, "not a number from 1 to 65535"), (["missing"], 3, "there is no missing"),
                                    (["--metric", "mpi_latesendr", REPORT], 2, "nearest is mpi_latesender")):
            done = subprocess.run([LATECOMER, "view", *words], capture_output=True, text=True, timeout=200)
            self.assertEqual((done.returncode, done.stdout), (status, ""))
            self.assertIn(text, done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
