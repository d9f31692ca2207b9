"""What can be done from the console: each shows what it means, asks, and says what the server said."""

import os
import pathlib
import shlex
import subprocess
import tempfile
import unittest

from kit import PROGRAM, ConsoleTest, Keys


def names(peer, chain="main"):
    return [link.get("handler", link.get("mount")) for each in peer.ask(op="inspect", chain=chain)["chains"] for link in each["links"]]


class ActionTests(ConsoleTest):
    expected = ("WebSocket connection to",)

    def setUp(self):
        super().setUp()
        self.server = self.serve()
        for name in ("words", "model", "human"):
            policy = {"on_failure": "stop"} if name == "words" else {}
            self.peer(self.server, name).serve(name, lambda offer: {"op": "continue"}, accepts=["chat.>"], **policy)
        self.ann = self.peer(self.server, "ann")

    def open(self, link, chain="main"):
        self.browser.open(self.server, "chains", chain=chain, link=link)
        self.browser.wait_text(f"{chain}/{link}", "aside h2")
        self.browser.button("take out")

    def test_take_out_shows_before_and_after_and_asks(self):
        browser = self.browser
        self.open("words")
        browser.press("take out")
        browser.wait_text("after", "dialog")
        browser.wait(lambda: browser.button("confirm").is_enabled(), "confirm")
        before, after = [[each.text for each in part.find_elements("css selector", "li bdi")] for part in browser.all("dialog .two > div")]
        self.assertEqual((before, after), (["words", "model", "human"], ["model", "human"]))
        dialog = browser.text("dialog")
        self.assertIn("Messages will pass unguarded", dialog)
        self.assertIn("This cannot be undone", dialog)
        self.assertEqual(names(self.ann), ["words", "model", "human"])
        browser.press("back", "dialog")
        browser.wait(lambda: not browser.all("dialog"), "no question")
        self.assertEqual(names(self.ann), ["words", "model", "human"])
        browser.press("take out")
        browser.press("confirm")
        browser.wait_text("main/words is taken out", "#said")
        self.assertEqual(names(self.ann), ["model", "human"])
        browser.wait_text("is not there now", "aside")

    def test_earlier_and_later(self):
        browser = self.browser
        self.open("model")
        browser.press("earlier")
        browser.wait_text("what model handles never comes to words", "dialog")
        browser.press("confirm")
        browser.wait_text("main/model stands earlier", "#said")
        self.assertEqual(names(self.ann), ["model", "words", "human"])
        browser.wait_text("it is the first", "aside")
        self.assertFalse(browser.button("earlier").is_enabled())
        browser.press("later")
        browser.press("confirm")
        browser.wait_text("main/model stands later", "#said")
        self.assertEqual(names(self.ann), ["words", "model", "human"])

    def test_a_mounted_chain_is_moved_and_taken_out_with_its_links(self):
        self.ann.ask(op="insert", chain="side", handler="aide")
        self.ann.ask(op="mount", chain="main", on="side")
        browser = self.browser
        self.open("side")
        browser.press("earlier")
        browser.wait_text("aide", "dialog")
        after = [each.text for each in browser.all("dialog .two > div:last-child li bdi")]
        self.assertEqual(after, ["words", "model", "side", "aide", "human"])
        browser.press("confirm")
        browser.wait_text("main/side stands earlier", "#said")
        self.assertEqual(names(self.ann), ["words", "model", "side", "human"])
        browser.press("take out")
        browser.press("confirm")
        browser.wait_text("main/side is taken out", "#said")
        self.assertEqual(names(self.ann), ["words", "model", "human"])

    def test_a_chain_that_has_changed_meanwhile_is_shown_again(self):
        browser = self.browser
        self.open("model")
        browser.press("take out")
        browser.wait(lambda: browser.button("confirm").is_enabled(), "confirm")
        self.ann.ask(op="move", handler="human", at="front")
        browser.press("confirm")
        browser.wait_text("The chain has changed meanwhile", "dialog")
        self.assertEqual(names(self.ann), ["human", "words", "model"])
        self.assertEqual([each.text for each in browser.all("dialog .two > div:first-child li bdi")], ["human", "words", "model"])
        browser.press("confirm")
        browser.wait_text("main/model is taken out", "#said")

    def confirmable(self):
        self.browser.wait(lambda: self.browser.button("confirm").is_enabled(), "confirm")

    def test_a_move_goes_where_the_chain_of_now_says(self):
        browser = self.browser
        self.open("human")
        browser.press("earlier")
        self.confirmable()
        browser.wait_text("It comes before model", "dialog")
        self.ann.ask(op="insert", handler="x", before="human")
        browser.press("confirm")
        browser.wait_text("The chain has changed meanwhile", "dialog")
        browser.wait_text("It comes before x", "dialog")
        browser.press("confirm")
        browser.wait_text("main/human stands earlier", "#said")
        self.assertEqual(names(self.ann), ["words", "model", "human", "x"])

    def test_a_link_that_has_become_a_guard_or_has_gone_meanwhile(self):
        browser = self.browser
        self.open("model")
        browser.press("take out")
        self.confirmable()
        self.assertNotIn("unguarded", browser.text("dialog"))
        self.ann.ask(op="remove", handler="model")
        guard = self.peer(self.server, "guard")
        guard.serve("model", lambda offer: {"op": "continue"}, on_failure="stop")
        browser.press("confirm")
        browser.wait_text("The chain has changed meanwhile", "dialog")
        self.assertIn("Messages will pass unguarded", browser.text("dialog"))
        self.ann.ask(op="remove", handler="model")
        browser.press("confirm")
        browser.wait_text("main/model is not there any more", "dialog")
        browser.press("confirm")
        browser.wait_text("model", "dialog [role=alert]")

    def test_the_keyboard_stays_where_it_was(self):
        browser = self.browser
        self.open("model")
        browser.press("earlier")
        browser.press("confirm")
        browser.wait_text("main/model stands earlier", "#said")
        browser.wait_text("it is the first", "aside")
        browser.wait(lambda: browser.run("return document.activeElement.closest('aside') !== null"), "the keyboard in the panel")
        browser.driver.switch_to.active_element.send_keys(Keys.ESCAPE)
        browser.wait(lambda: browser.run("return document.activeElement.matches('.row a')"), "the keyboard in the list")
        browser.driver.switch_to.active_element.send_keys(Keys.END)
        browser.driver.switch_to.active_element.send_keys(Keys.HOME)
        self.assertEqual(browser.driver.switch_to.active_element.text, "model")

    def test_another_server_means_others_by_its_numbers(self):
        browser = self.browser
        self.peer(self.server, "evil")
        browser.open(self.server, "connections", filter="evil")
        browser.wait(lambda: browser.all(".row a[href]"), "a row")[0].click()
        browser.rest()
        browser.press("close", "aside")
        browser.wait_text("come back after five seconds", "dialog")
        self.server.end()
        again = self.serve(port=int(self.server.url.rstrip("/").rpartition(":")[2]))
        good = [self.peer(again, f"good{number}") for number in range(8)]
        browser.wait_live()
        browser.press("confirm")
        browser.wait_text("The server was started again", "dialog")
        self.assertFalse(browser.button("confirm").is_enabled())
        self.assertTrue(all(each.ask(op="ping")["op"] == "pong" for each in good))

    def test_a_refusal_is_shown_in_its_words(self):
        browser = self.browser
        self.open("model")
        browser.press("take out")
        browser.wait(lambda: browser.button("confirm").is_enabled(), "confirm")
        # The topic is the person's: a wrong one is told, and nothing can be confirmed.
        browser.write("topic", "a..b", "dialog")
        browser.field("topic", "dialog").send_keys("\t")
        browser.wait_text("empty word", "dialog")
        self.assertFalse(browser.button("confirm").is_enabled())

    def test_close_a_connection(self):
        browser = self.browser
        victim = self.peer(self.server, "flood")
        browser.open(self.server, "connections", filter="flood")
        browser.row(f"flood #{victim.ask(op='hello', name='flood')['connection']}").click()
        browser.rest()
        browser.press("close", "aside")
        browser.wait_text("come back after five seconds", "dialog")
        browser.press("confirm")
        browser.wait_text("is closed", "#said")
        self.assertEqual(victim.line()["code"], "closed_by_peer")
        browser.wait_text("closed by peer", "main")


class RightsTests(ConsoleTest):
    """Who may not do something sees the right that is missing."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        may = {"ann": ["everything"], "web": ["see main", "send to main on door.*"], "eve": ["send to main on door.*"], "watch": ["see server", "see *", "subscribe $baton.>"], "nobody": []}
        cls.tokens = {}
        lines = ["listen: ['tcp:127.0.0.1:0']", "chains:", "  tools:", "    links:", "      - { handler: policy, required: true, on_failure: stop }",
                 "      - { handler: permit }", "peers:"]
        for name, rights in may.items():
            made = subprocess.run([PROGRAM, "token", name], check=True, capture_output=True, text=True).stdout.split()
            cls.tokens[name] = next(word for word in made if word.startswith("baton_"))
            lines += [f"  {name}:", f"    token: {next(word for word in made if word.startswith('sha256:'))}", f"    may: {rights!r}"]
        cls.file = pathlib.Path(folder.name) / "baton.yaml"
        cls.file.write_text("\n".join(lines) + "\n")

    def setUp(self):
        super().setUp()
        self.server = self.serve("--config", str(self.file))
        self.peer(self.server, "porter", self.tokens["ann"]).serve("porter", lambda offer: {"op": "handled"}, accepts=["door.*"])

    def enter(self, name, view="now", **fields):
        browser = self.browser
        browser.open(self.server, view, **fields)
        browser.wait_text("token needed", "#state")
        browser.write("token", self.tokens[name])
        browser.press("use the token")
        browser.wait_live()
        browser.wait_text(name, "#who")

    def test_a_token_is_asked_for_kept_and_forgotten(self):
        browser = self.browser
        browser.open(self.server, "chains")
        browser.wait_text("asks everybody for a token")
        browser.write("token", "baton_wrong")
        browser.press("use the token")
        browser.wait_text("token needed", "#state")
        browser.wait(lambda: browser.text("main .why"), "why")
        browser.write("token", self.tokens["ann"])
        browser.press("use the token")
        browser.wait_live()
        browser.row("porter")
        browser.driver.refresh()
        browser.wait_live()
        browser.row("porter")
        self.assertNotIn(self.tokens["ann"], browser.driver.current_url)
        self.assertEqual(browser.run("return [localStorage.length, document.cookie]"), [0, ""])
        browser.link("token").click()
        browser.wait_text("You are ann")
        browser.wait_text("everything")
        browser.press("forget the token")
        browser.wait_text("token needed", "#state")
        self.assertIsNone(browser.run("return sessionStorage.getItem('baton.token')"))

    def test_who_may_see_one_chain(self):
        browser = self.browser
        self.enter("web")
        # What concerns that chain is told, and nothing of others: a guard of tools is missing.
        browser.wait_text("Nothing is wrong with the chains that you may see", ".headline")
        browser.wait_text("needs “see server”", "main")
        self.assertNotIn("tools", browser.text("main"))
        browser.go("chains", chain="main", link="porter")
        browser.wait_text("needs “manage main”", "aside")
        for name in ("earlier", "later", "take out"):
            self.assertFalse(browser.button(name).is_enabled())
        browser.go("connections")
        browser.wait_text("needs “see server”", "main")
        browser.go("messages")
        browser.wait_text("needs “see server”", "form")
        self.assertFalse(browser.button("live").is_enabled())
        browser.go("try", topic="door.open", chain="tools")
        browser.wait_text("needs “send to tools on door.open”", "main")
        self.assertFalse(browser.button("send").is_enabled())
        browser.go("try", topic="door.open")
        browser.press("send")
        browser.wait_text("handled by porter")

    def test_who_may_send_and_see_nothing_is_told_no_traces(self):
        browser = self.browser
        for name, says in ("eve", False), ("web", True):
            self.enter(name, "try", topic="door.open", payload="1")
            browser.wait(lambda: ("--trace" in browser.text(".same")) == says, f"the command of {name}")
            line, command = [each.text for each in browser.all(".same pre")]
            self.assertEqual(('"trace":true' in line, "--trace" in command), (says, says))
            said = self.peer(self.server, None, self.tokens[name])
            said.socket.sendall(line.encode() + b"\n")
            self.assertEqual(said.line().get("status"), "handled")
            run = subprocess.run([PROGRAM, *shlex.split(command)[1:]], capture_output=True, text=True,
                                 env={**os.environ, "BATON_SERVER": f"127.0.0.1:{self.server.ports[0]}",
                                      "BATON_TOKEN": self.tokens[name]})
            self.assertEqual(run.returncode, 0, run.stderr)
            browser.press("send")
            browser.wait_text("handled by porter")
            browser.go("token")
            browser.press("forget the token")
            browser.wait_text("token needed", "#state")

    def test_who_may_see_all_and_do_nothing(self):
        browser = self.browser
        self.enter("watch", "chains")
        browser.row("porter").click()
        browser.rest()
        browser.wait_text("needs “manage main”", "aside")
        browser.go("connections", filter="porter")
        browser.wait(lambda: len(browser.all(".row a")) == 1, "one row")
        browser.all(".row a")[0].click()
        browser.rest()
        browser.wait_text("needs “manage server”", "aside")
        self.assertFalse(browser.button("close", "aside").is_enabled())
        browser.go("messages")
        browser.wait(lambda: browser.button("live").is_enabled(), "live")

    def test_who_may_nothing(self):
        browser = self.browser
        self.enter("nobody")
        for view, words in (("chains", "needs “see CHAIN”"), ("messages", "needs “see CHAIN”"), ("connections", "needs “see server”"), ("try", "needs “send to main”")):
            browser.go(view)
            browser.wait_text(words, "main")

    def test_what_the_file_orders_cannot_be_changed(self):
        browser = self.browser
        self.enter("ann", "chains", chain="tools", link="policy")
        browser.wait_text("the configuration file orders it", "aside")
        for name in ("earlier", "later", "take out"):
            self.assertFalse(browser.button(name).is_enabled())


if __name__ == "__main__":
    unittest.main()
