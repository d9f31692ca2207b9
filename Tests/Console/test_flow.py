"""The picture of a chain: in the console, and as SVG by `baton chains --svg`. Both draw the same."""

import json
import re
import subprocess
import unittest
import xml.etree.ElementTree as XML

from kit import FILES, PROGRAM, ROOT, ConsoleTest, Keys, Server

PICTURE = ROOT / "Docs/pictures/flow.svg"

#: Draws the chains that standard input tells, with the console's own module.
DRAW = """
import {{ cardsOf, drawing }} from "{files}/flow.js";
const {{ chains }} = JSON.parse(await new Response(process.stdin).text());
console.log(JSON.stringify(chains.map(({{ links }}) => drawing(cardsOf(links, (link) => link.history)).flat()
	.map(([tag, {{ class: kind, ...more }}, words = ""]) => [tag, kind, Object.fromEntries(Object.entries(more)
		.map(([name, value]) => [name, String(value)])), words])))); """


class World:
    """A guard that takes, refuses and fails, a helper, a shadow, a mount, and an absent guard."""

    def __init__(self):
        self.server = Server("--guard", "moderation/policy")
        self.peers = []
        self.serve("words", self.words, on_failure="stop", accepts=["post.>"])
        self.serve("audit", lambda offer: {"op": "continue"}, shadow=True)
        self.serve("model", lambda offer: {"op": "failed"} if offer["topic"] == "post.odd" else {"op": "continue"})
        self.serve("clerk", lambda offer: {"op": "handled"}, accepts=["*.new"])
        web = self.peer("web")
        web.ask(op="mount", chain="main", on="moderation", accepts=["chat.>"])
        for topic, times in (("post.new", 9), ("post.spam", 3), ("post.stuck", 1), ("post.odd", 2), ("door.new", 4)):
            for _ in range(times):
                web.ask(op="send", topic=topic)

    @staticmethod
    def words(offer):
        return {"op": {"post.spam": "reject", "post.stuck": "failed"}.get(offer["topic"], "continue")}

    def peer(self, name):
        self.peers.append(self.server.peer(name))
        return self.peers[-1]

    def serve(self, name, verdict, **members):
        self.peer(name).serve(name, verdict, **members)

    def counted(self):
        """Waits until the sample with the messages is told, which the server does each ten seconds."""
        asker = self.peer("asker")
        while True:
            chains = asker.ask(op="inspect", history=True)["chains"]
            told = [sample["messages"] for chain in chains for link in chain["links"] for sample in link.get("history", [])]
            if sum(told) >= 15 + 15 + 11 and "handled" in json.dumps(chains):
                return

    def svg(self, *arguments):
        command = [PROGRAM, "chains", *arguments, "--svg", "--server", f"127.0.0.1:{self.server.ports[0]}"]
        return subprocess.run(command, capture_output=True, text=True, timeout=60)

    def inspection(self):
        command = [PROGRAM, "chains", "--json", "--server", f"127.0.0.1:{self.server.ports[0]}"]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout

    def end(self):
        for peer in self.peers:
            peer.close()
        self.server.end()


def shapes(svg):
    """The shapes of each picture of an SVG, as the console's module tells them."""
    space = "{http://www.w3.org/2000/svg}"
    pictures = []
    for picture in XML.fromstring(svg).findall(f"{space}g"):
        found = [each for each in picture.iter() if each.tag.removeprefix(space) in ("path", "rect", "text") and each.get("class") != "title"]
        pictures.append([[each.tag.removeprefix(space), each.get("class"),
                          {name: value for name, value in each.attrib.items() if name != "class"}, each.text or ""] for each in found])
    return pictures


class FlowTests(ConsoleTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.world = World()
        cls.addClassCleanup(cls.world.end)
        cls.world.counted()

    def test_the_command_draws_what_the_console_draws(self):
        told = self.world.inspection()
        drawn = subprocess.run(["node", "--input-type=module", "-e", DRAW.format(files=FILES.as_uri())], input=told, text=True,
                               capture_output=True, timeout=60)
        self.assertEqual(drawn.returncode, 0, drawn.stderr)
        made = shapes(self.world.svg().stdout)
        self.assertGreater(sum(map(len, made)), 40)
        self.assertEqual(made, json.loads(drawn.stdout))

    def test_the_numbers_are_those_of_the_messages(self):
        titles = re.findall(r"<title>(.*?)</title>", self.world.svg("main").stdout)
        self.assertEqual(titles[:4], ["words, guard, 15 offered, 3 refused, 1 failed, 11 passed on", "audit, shadow",
                                      "model, helper, 15 offered, 2 failed, 15 passed on", "clerk, helper, 13 offered, 13 taken, 0 passed on"])
        self.assertTrue(titles[4].startswith("moderation, mount"), titles)

    def test_the_picture_of_the_pages_is_of_today(self):
        self.assertEqual(self.world.svg("main").stdout, PICTURE.read_text(), "Tests/Console/pictures.py makes it anew")

    def test_what_does_not_go_with_it(self):
        for more in ("--watch", "--json"):
            self.assertEqual(self.world.svg(more).returncode, 64)
        self.assertEqual(self.world.svg("nobody").returncode, 1)

    def test_the_console_shows_each_chain(self):
        browser = self.browser
        browser.open(self.world.server, "flow")
        for scheme in ("light", "dark"):
            browser.media(scheme)
            browser.wait_text("refused", ".flows")
            self.assertEqual(browser.axe(), [])
        # The chain in trouble is the first one.
        self.assertEqual([each.text for each in browser.all(".flows h2")], ["moderation", "main"])
        self.assertIn("absent", browser.text(".flows"))
        self.assertIn(("link", "words, guard, 15 offered, 3 refused, 1 failed, 11 passed on"), browser.controls())

    def test_by_keyboard_to_the_link(self):
        browser = self.browser
        browser.open(self.world.server, "flow", chain="main")
        browser.wait_text("refused", ".flows")
        browser.run("document.querySelector('.flow a').focus()")
        browser.driver.switch_to.active_element.send_keys(Keys.ENTER)
        browser.wait_text("main/words", "aside")

    def test_the_same_as_a_table(self):
        browser = self.browser
        browser.open(self.world.server, "flow", chain="main")
        browser.wait_text("refused", ".flows")
        browser.run("document.querySelector('details').open = true")
        rows = browser.text("tbody").splitlines()
        self.assertIn("words\tguard\tserving\t15\t0\t3\t1\t11", rows)

    def test_a_long_chain_is_folded(self):
        server = self.serve()
        peer = self.peer(server, "many")
        for number in range(60):
            peer.ask(op="insert", chain="long", handler=f"link-{number}")
        browser = self.browser
        browser.open(server, "flow")
        browser.wait_text("36 more", ".flows")
        self.assertEqual(len(browser.all(".flow a")), 25)

    def test_who_may_not_see_chains_is_told(self):
        browser = self.browser
        browser.size(360, 740)
        browser.open(self.world.server, "flow", chain="nobody")
        browser.wait_text("There is no chain nobody now.")
        self.assertEqual(browser.outside(360), [])
        browser.go("flow")
        browser.wait_text("refused", ".flows")
        self.assertEqual(browser.outside(360), [])


if __name__ == "__main__":
    unittest.main()
