"""What is pushed, in which forms, and what a push that fails means: nothing (Docs/approvals.md)."""

import json
import pathlib
import queue
import subprocess
import tempfile
import unittest

from asking import LONG, PROGRAM, VARIABLES, Service, World, tell


class PushTests(unittest.TestCase):
    def test_ntfy_gets_a_line_and_the_link_and_no_arguments(self):
        world = World(self)
        service = Service(self)
        desk = world.desk("--push", world.file("ntfy.yaml", f"url: {service.url}/my-topic\nform: ntfy\n"))
        world.ask(timeout_ms=49_000, payload={"command": "echo SECRET"})
        path, headers, body = service.got.get(timeout=LONG)
        asked = desk.asked()
        self.assertEqual((path, body), ("/my-topic", "agent asks: tool.agent.Bash, 48 s left"))
        self.assertEqual(headers["Click"], asked["link"])
        self.assertTrue(headers["Content-Type"].startswith("text/plain"))

    def test_json_has_the_members_of_the_file(self):
        world = World(self)
        service = Service(self)
        desk = world.desk("--push", world.file("chat.yaml", f"url: {service.url}\nform: json\nbody: {{ chat_id: -100, name: '7', quiet: true }}\n"))
        world.ask(topic="tool.agent.<http://evil|click")
        _, headers, body = service.got.get(timeout=LONG)
        told = json.loads(body)
        link = desk.asked()["link"]
        self.assertEqual({name: told[name] for name in ("chat_id", "name", "quiet")}, {"chat_id": -100, "name": "7", "quiet": True})
        self.assertEqual(told["text"], f"agent asks: tool.agent.?http???evil?click, 599 s left {link}")
        self.assertEqual(headers["Content-Type"], "application/json")

    def test_each_question_is_pushed_once_to_each_service(self):
        world = World(self)
        services = [Service(self), Service(self)]
        desk = world.desk(*[word for number, each in enumerate(services) for word in
                            ("--push", world.file(f"{number}.yaml", f"url: {each.url}\nform: ntfy\n"))])
        for _ in range(3):
            world.ask()
        links = {desk.asked()["link"] for _ in range(3)}
        for service in services:
            self.assertEqual({service.got.get(timeout=LONG)[1]["Click"] for _ in range(3)}, links)
            self.assertTrue(service.got.empty())

    def test_three_tries_and_a_line_without_link_and_url(self):
        world = World(self)
        service = Service(self, 500, 503, 200)
        file = world.file("p.yaml", f"url: {service.url}/geheim\nform: ntfy\n")
        desk = world.desk("--push", file)
        world.ask()
        first = [service.got.get(timeout=LONG) for _ in range(3)]
        self.assertEqual(len({each[1]["Click"] for each in first}), 1)
        service.statuses[:] = [500]
        number = world.ask()
        complaint = desk.wait_complaint("push")
        self.assertIn(f"{file}: no push got through: the web service answered with status 500", complaint)
        asked = [desk.asked(), desk.asked()]
        for words in (asked[1]["secret"], service.url, "geheim"):
            self.assertNotIn(words, complaint)
        # It approves nothing, and hinders nobody.
        self.assertEqual(len(tell(world.peer("ann"), "list")["payload"]["waiting"]), 2)
        tell(world.peer("ann"), "decide", {"id": asked[1]["id"], "verdict": "approve"})
        self.assertEqual(world.result(number)["status"], "handled")

    def test_redirects_lead_nowhere(self):
        world = World(self)
        elsewhere = Service(self)
        service = Service(self, 302, headers=[("Location", elsewhere.url + "/caught")])
        desk = world.desk("--push", world.file("p.yaml", f"url: {service.url}\nform: ntfy\n"))
        world.ask()
        self.assertIn("status 302", desk.wait_complaint("push"))
        with self.assertRaises(queue.Empty):
            elsewhere.got.get_nowait()


class FileTests(unittest.TestCase):
    def complaint(self, *words):
        ran = subprocess.run([PROGRAM, "approvals", "--server", "127.0.0.1:1", *words], capture_output=True, text=True,
                             env=VARIABLES, timeout=LONG)
        self.assertEqual(ran.returncode, 64, ran.stderr)
        return ran.stderr

    def test_what_is_wrong_with_a_file_is_told_without_its_url(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "push.yaml")
            for text, words in (("url: http://ntfy.example/geheim\nform: ntfy\n", "write https:"),
                                ("url: http://10.0.0.1/geheim\nform: ntfy\n", "write https:"),
                                ("url: ftp://127.0.0.1/geheim\nform: ntfy\n", "http://"),
                                ("url: https://user:geheim@ntfy.example\n", "has a user in it"),
                                ("form: ntfy\n", "has no url"), ("# none\n", "has no url"), ("url: https://x.example/geheim\nform: slack\n", "ntfy or json"),
                                ("url: https://x.example/geheim\nform: json\nbody: { text: x }\n", "leave it out"),
                                ("url: https://x.example/geheim\nbody: { a: x }\n", "form: json"),
                                ("url: https://x.example/geheim\nurll: x\n", "no key \"urll\"")):
                file.write_text(text)
                file.chmod(0o600)
                told = self.complaint("--push", str(file))
                self.assertIn(words, told)
                self.assertNotIn("geheim", told)
            file.chmod(0o640)
            self.assertIn(f"chmod 600 {file}", self.complaint("--push", str(file)))
            self.assertIn("cannot be read", self.complaint("--push", f"{file}.none"))

    def test_a_pin_and_an_address_that_are_none(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "pin")
            for text in ("123", "12 34!", "", "x" * 65, "äöüß"):
                file.write_text(text)
                file.chmod(0o600)
                self.assertIn("4 to 64 digits or letters", self.complaint("--pin-file", str(file)))
            file.chmod(0o644)
            self.assertIn("chmod 600", self.complaint("--pin-file", str(file)))
        for address in ("http://baton.example", "baton.example", "https://baton.example/x", "http://10.0.0.1:22868", "ftp://127.0.0.1"):
            self.assertIn("--public", self.complaint("--public", address))
        self.assertIn("another", self.complaint("--chain", "approvals"))


if __name__ == "__main__":
    unittest.main()
