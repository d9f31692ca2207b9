"""Each view of the console, with a world behind it: what it shows, and what it does."""

import json
import os
import re
import shlex
import subprocess
import unittest

from kit import LONG, PROGRAM, ConsoleTest, Server


class World:
    """A chain with a mount, a handler that fails, one that hangs, and a message that waits for its key."""

    def __init__(self):
        self.peers = []
        self.server = Server("--guard", "moderation/policy")
        self.spelling = self.peer("ann").serve("spelling", lambda offer: {"op": "continue"}, chain="moderation", accepts=["chat.>"])
        self.porter = self.peer("porter").serve("porter", self.open, accepts=["door.*"])
        self.night = self.peer("night").serve("night-shift", lambda offer: {"op": "handled"}, window=4)
        self.human = self.peer("human").serve("human", lambda offer: None, chain="tools", timeout_ms=80_000_000)
        self.web = self.peer("web-7")
        self.web.ask(op="mount", chain="main", on="moderation", accepts=["chat.>"])
        for number in (1, 2):
            self.web.say(op="send", id=number, chain="tools", topic="tool.run", key="repo", timeout_ms=8_000_000)
        self.web.ask(op="ping")

    def open(self, offer):
        if offer["topic"] == "door.stuck":
            return {"op": "failed", "message": "the key is stuck"}
        if offer["topic"] == "door.wall":
            return {"op": "reject", "message": "there is no door", "code": 404}
        return {"op": "handled", "payload": {"opened": offer.get("payload")}}

    def peer(self, name):
        peer = self.server.peer(name)
        self.peers.append(peer)
        return peer

    def end(self):
        for peer in self.peers:
            peer.close()
        self.server.end()


class ViewTests(ConsoleTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.world = World()
        cls.addClassCleanup(cls.world.end)
        cls.server = cls.world.server

    def test_now_tells_what_is_wrong_what_changed_and_what_is_under_way(self):
        browser = self.browser
        browser.open(self.server)
        browser.wait_text("1 thing is wrong", ".headline")
        finding = browser.text(".finding")
        self.assertIn("moderation/policy", finding)
        self.assertIn("absent", finding)
        self.assertIn("The guard STOPS these messages", finding)
        browser.wait_text("tool.run", "main")
        page = browser.text("main")
        self.assertIn("waits for its key in tools, key repo", page)
        self.assertIn("main/porter inserted", page)
        self.assertEqual(browser.driver.title.split(" · ")[0], "Now")
        browser.link("link").click()
        browser.wait_text("moderation/policy", "aside h2")

    def test_long_names_leave_room_for_the_others(self):
        browser = self.browser
        server = self.serve()
        chain, handler, peer = "C" * 64, "W" * 64, "n" * 64
        serving = self.peer(server, peer).serve(handler, lambda offer: None, chain=chain, timeout_ms=80_000_000)
        self.peer(server, "ann").serve("porter", lambda offer: {"op": "handled"})
        serving.say(op="send", id=1, chain=chain, topic="t" * 200, key="k" * 64, timeout_ms=80_000_000)
        boxes = """return [...document.querySelectorAll(".lines bdi:not(:empty)")].map((each) => {
          const { width, height } = each.getBoundingClientRect();
          return [each.textContent, width, height];
        });"""
        for width in 1200, 360:
            browser.size(width, 740)
            browser.open(server)
            browser.wait_text(f"by {peer}", ".lines")
            browser.wait_text(f"from {peer}", "main")
            for text, wide, high in browser.run(boxes):
                if len(text) > 60:
                    self.assertGreater(wide, 140, (width, text))
                elif re.fullmatch(r"[0-9:]{8}", text):
                    self.assertGreater(wide, 50, (width, text))
            self.assertEqual(browser.outside(width), [])
            browser.go("chains")
            name = browser.wait(lambda: next((each for each in browser.all(".row.chain .name") if each.text == chain), None), chain)
            outer = browser.run("const cell = arguments[0].closest('.link'); return [cell.getBoundingClientRect().right, cell.closest('.table').getBoundingClientRect().right]", name)
            self.assertLess(outer[0], outer[1])

    def test_each_view_has_one_heading_one_navigation_and_a_title(self):
        for view, title in (("now", "Now"), ("chains", "Chains"), ("messages", "Messages"), ("connections", "Connections"), ("try", "Try"), ("token", "Token")):
            with self.subTest(view):
                self.browser.open(self.server, view)
                self.browser.wait_live()
                self.assertEqual(len(self.browser.all("h1")), 1)
                self.assertEqual(len(self.browser.all("main")), 1)
                self.assertEqual(len(self.browser.all("nav")), 1)
                self.assertTrue(self.browser.driver.title.startswith(f"{title} · "))

    def test_chains_stand_in_order_with_mounts_under_them(self):
        browser = self.browser
        browser.open(self.server, "chains")
        browser.row("night-shift")
        names = [each.text for each in browser.all(".row .name")]
        self.assertEqual(names, ["main", "porter", "night-shift", "moderation", "policy", "spelling", "tools", "human"])
        self.assertIn("absent", browser.text(".table"))
        self.assertIn("1 waiting for their key", browser.text(".table"))

    def test_filter_and_only_trouble(self):
        browser = self.browser
        browser.open(self.server, "chains")
        browser.row("porter")
        browser.write("filter", "night")
        browser.wait(lambda: [each.text for each in browser.all(".row .name")] == ["main", "night-shift"], "the filtered rows")
        self.assertIn("filter=night", browser.driver.current_url)
        browser.field("filter").clear()
        browser.write("filter", "nobody of this name")
        browser.wait_text("No link fits the filter")
        browser.press("clear the filter")
        browser.row("porter")
        browser.all("input[type=checkbox]")[0].click()
        browser.wait(lambda: [each.text for each in browser.all(".row .name")] == ["main", "moderation", "policy"], "only trouble")

    def test_explain_is_drawn_in_place(self):
        browser = self.browser
        browser.open(self.server, "chains", chain="main")
        browser.row("porter")
        browser.write("topic", "chat.room")
        browser.press("explain")
        browser.wait_text("chat.room in main: the message would fail at moderation/policy (absent: no handler serves it); "
                          "asked in this order, until one handles it: night-shift")
        browser.wait_text("passed (it does not accept the topic)", ".table")
        self.assertIn("fails (absent: no handler serves it)", browser.text(".table"))
        self.assertIn("not reached", browser.text(".table"))

    def test_explain_shows_the_chain_of_which_it_speaks(self):
        browser = self.browser
        browser.open(self.server, "chains")
        browser.row("human")
        browser.write("topic", "chat.room")
        browser.press("explain")
        browser.wait_text("chat.room in main: ")
        browser.wait(lambda: "human" not in [each.text for each in browser.all(".row .name")], "main alone")
        self.assertEqual(browser.field("chain").get_attribute("value"), "main")
        browser.go("chains")
        browser.wait(lambda: not browser.text(".explained").strip(), "nothing that is explained")
        # The chain of the link that is selected.
        browser.go("chains", chain="tools", link="human", topic="tool.run")
        browser.wait_text("tool.run in tools: ")

    def test_a_link_tells_its_settings_its_last_failure_and_its_numbers(self):
        browser = self.browser
        result = self.world.peer("sender").ask(op="send", topic="door.stuck")
        self.assertEqual(result["by"], "night-shift")
        browser.open(self.server, "chains")
        browser.row("porter").click()
        browser.rest()
        browser.wait_text("main/porter", "aside h2")
        browser.wait_text("the key is stuck", "aside")
        panel = browser.text("aside")
        for words in ("door.*", "the next link is asked", "1 connection; porter came last", "failed"):
            self.assertIn(words, panel)

    def test_messages_that_went_wrong_and_one_as_a_waterfall(self):
        browser = self.browser
        sender = self.world.peer("sender")
        self.assertEqual(sender.ask(op="send", topic="door.wall", trace=True)["status"], "rejected")
        self.assertEqual(sender.ask(op="send", topic="chat.room", chain="moderation")["status"], "failed")
        browser.open(self.server, "messages")
        browser.row("door.wall")
        table = browser.text(".table")
        self.assertIn("porter: there is no door, code 404", table)
        browser.press("copy as text", "form")
        browser.row("door.wall").click()
        browser.wait_text("Step by step", "aside")
        panel = browser.text("aside")
        for words in ("rejected", "main/porter", "reject · took", "there is no door", "sender"):
            self.assertIn(words, panel)
        self.assertTrue(browser.all("aside .track i"))

    def test_the_words_beside_a_link_are_those_of_that_link(self):
        """Another link handled the message: its name does not stand beside what the link said that failed it."""
        browser = self.browser
        self.assertEqual(self.world.peer("sender").ask(op="send", topic="door.stuck")["by"], "night-shift")
        browser.open(self.server, "messages", topic="door.stuck")
        browser.row("door.stuck")
        table = browser.text(".table")
        self.assertIn("main/porter failed: the key is stuck; then night-shift handled it", table)
        self.assertNotIn("main at night-shift", table)
        browser.row("door.stuck").click()
        browser.wait_text("main/porter failed: the key is stuck; then night-shift handled it", "aside")

    def test_messages_are_filtered(self):
        browser = self.browser
        sender = self.world.peer("sender")
        sender.ask(op="send", topic="door.wall")
        sender.ask(op="send", topic="chat.room", chain="moderation")
        browser.open(self.server, "messages", status="failed", chain="moderation")
        browser.row("chat.room")
        self.assertEqual({each.text for each in browser.all(".row .name")}, {"chat.room"})
        browser.write("topic", "nothing.*")
        browser.press("filter")
        browser.wait_text("No kept message fits the filter")
        browser.field("topic").clear()
        browser.write("topic", "a..b")
        browser.press("filter")
        browser.wait_text("The server does not take this filter")

    def test_messages_with_whose_outcome_a_shadow_disagreed(self):
        browser = self.browser
        shadow = self.world.peer("shadow")
        shadow.serve("porter-next", lambda offer: {"op": "reject", "message": "we are closed"}, chain="lodge", shadow=True)
        self.world.peer("lodger").serve("porter", lambda offer: {"op": "handled"}, chain="lodge")
        sender = self.world.peer("sender")
        self.assertEqual(sender.ask(op="send", topic="lodge.open", chain="lodge")["status"], "handled")
        while not sender.ask(op="walks", disagreed=True)["walks"]:
            pass
        browser.open(self.server, "messages", chain="lodge")
        browser.wait_text("No kept message fits the filter")
        browser.open(self.server, "messages", chain="lodge", status="disagreed")
        browser.row("lodge.open")
        self.assertIn("lodge/porter-next said reject: we are closed", browser.text(".table"))
        browser.row("lodge.open").click()
        browser.wait_text("lodge/porter-next said reject: we are closed", "aside")
        self.assertIn("handled", browser.text("aside"))

    def test_live_shows_messages_as_they_end_and_tells_what_is_left_out(self):
        browser = self.browser
        sender = self.world.peer("sender")
        browser.open(self.server, "messages")
        browser.wait_live()
        browser.press("live")
        browser.wait_text("Live: messages as they end", ".explained")
        browser.wait(lambda: sender.ask(op="inspect", server=True, limit=1)["server"]["subscriptions"] > 0, "the subscription")
        for number in range(300):
            sender.say(op="send", topic="door.live", id=number)
        browser.row("door.live")
        browser.wait_text("left out", ".explained")
        shown = len(browser.run("return document.querySelector('.table').getAttribute('aria-rowcount')"))
        self.assertGreater(shown, 0)
        browser.press("live")
        browser.wait(lambda: sender.ask(op="inspect", server=True, limit=1)["server"]["subscriptions"] == 0, "no subscription")

    def test_connections_and_those_that_went(self):
        browser = self.browser
        gone = self.world.peer("gone-for-good")
        gone.close()
        browser.open(self.server, "connections")
        browser.wait_text("web-7", ".table")
        browser.wait_text("gone-for-good", "main")
        browser.write("filter", "porter")
        browser.wait(lambda: len(browser.all(".row a")) == 1, "one row")
        browser.all(".row a")[0].click()
        browser.rest()
        browser.wait_text("links\n1", "aside")

    def test_try_sends_what_was_typed_and_shows_the_steps(self):
        browser = self.browser
        browser.open(self.server, "try")
        browser.wait_live()
        browser.write("topic", "door.open")
        browser.write("payload", '{"door": 12345678901234567890}')
        browser.wait_text("Good: 29 bytes")
        browser.press("send")
        browser.wait_text("handled by porter")
        self.assertEqual(browser.text("[aria-label='what became of it'] h2"), "The answer to door.open")
        # No number is rounded, either way.
        self.assertIn("12345678901234567890", browser.text("section pre"))
        self.assertIn("main/porter", browser.text(".waterfall"))
        browser.write("payload", '{"door"')
        browser.wait_text("Not JSON yet")
        self.assertFalse(browser.button("send").is_enabled())
        self.assertIn("line 1, column 8", browser.text("#payload-said"))

    def test_what_is_under_way_stands_in_the_place_of_the_answer_before(self):
        browser = self.browser
        browser.open(self.server, "try", topic="door.open")
        browser.wait_live()
        browser.press("send")
        browser.wait_text("handled by porter")
        browser.go("try", topic="tool.run", chain="tools")
        browser.press("send")
        browser.wait_text("under way…", "[aria-label='what became of it']")
        self.assertIn("tool.run", browser.text("[aria-label='what became of it'] h2"))
        self.assertNotIn("handled by", browser.text("main"))
        browser.press("cancel")
        browser.wait_text("cancelled", "[aria-label='what became of it']")

    def test_a_chain_that_there_is_not_is_told(self):
        browser = self.browser
        browser.open(self.server, "try", topic="door.open", chain="nosuch")
        browser.wait_live()
        browser.press("send")
        browser.wait_text("There is no chain nosuch.")
        self.assertNotIn("not recorded", browser.text("main"))

    def test_a_chain_that_came_just_now_has_a_link_whatever_the_page_knows(self):
        browser, server = self.browser, self.serve()
        browser.open(server, "try", topic="door.open", chain="newest")
        browser.wait_live()
        self.peer(server, "late").serve("late", lambda offer: {"op": "reject", "message": "no"}, chain="newest")
        browser.press("send")
        browser.wait_text("A link refused it.")

    def test_what_is_said_elsewhere_does_the_same(self):
        browser = self.browser
        browser.open(self.server, "try", topic="door.it's", payload='{"a": "it\'s\\u202e"}', chain="main", timeout_ms="2000")
        browser.wait_live()
        line, command = [each.text for each in browser.all(".same pre")]
        said = self.world.peer("sender")
        said.socket.sendall(line.encode() + b"\n")
        self.assertEqual(said.line()["payload"], {"opened": {"a": "it's\u202e"}})
        self.assertIn("'door.it'\\''s'", command)
        self.assertIn("--timeout=2000ms", command)

    def test_what_cannot_be_seen_is_spelled_in_the_line_and_told_for_the_command(self):
        browser = self.browser
        for sign in "\u200b", "\u202e", "\U000e0041", "\ue000":
            browser.open(self.server, "try", topic=f"door.a{sign}", payload="1", chain="main")
            browser.wait_live()
            browser.wait(lambda: "\\u" in browser.text(".same"), "the escape")
            line, command = [each.text for each in browser.all(".same pre")]
            self.assertEqual(json.loads(line)["topic"], f"door.a{sign}")
            self.assertIn("cannot be seen", command)

    def test_the_command_does_the_same_whatever_a_word_begins_with(self):
        browser, server = self.browser, Server()
        self.addCleanup(server.end)
        for number, (topic, payload, chain) in enumerate([
                ("door.open", "-1", ""), ("-x", "-1.5e3", "-x"), ("-x", "", ""), ("--", '"-n"', "main"),
                ("door.open", "7", "-y")]):
            browser.open(server, "try", topic=topic, payload=payload, chain=chain)
            browser.wait_live()
            line, command = [each.text for each in browser.all(".same pre")]
            handler = self.peer(server)
            handler.ask(op="insert", handler=f"all-{number}", chain=chain or "main", at="front")
            sender = self.peer(server)
            sender.socket.sendall(line.encode() + b"\n")
            first = handler.line()
            handler.say(op="handled", id=first["id"])
            words = shlex.split(command)
            self.assertEqual(words[0], "baton")
            run = subprocess.Popen([PROGRAM, *words[1:]], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL,
                                   env={**os.environ, "BATON_SERVER": f"127.0.0.1:{server.ports[0]}"})
            second = handler.line()
            handler.say(op="handled", id=second["id"])
            self.assertEqual(run.wait(LONG), 0, command)
            self.assertEqual([second.get(name) for name in ("topic", "payload", "chain")],
                             [first.get(name) for name in ("topic", "payload", "chain")], command)
            self.assertEqual((first["topic"], first["chain"]), (topic, chain or "main"))
        self.assertIn("--server", browser.text(".same"))

    def test_a_message_under_way_can_be_cancelled(self):
        browser = self.browser
        browser.open(self.server, "try", topic="tool.slow", chain="tools")
        browser.wait_live()
        browser.press("send")
        browser.press("cancel")
        browser.wait_text("cancelled by human")

    def test_addresses_fill_fields_and_never_send(self):
        before = self.world.peer("counter").ask(op="inspect", server=True, limit=1)["server"]["messages"]
        for view in ("try", "messages", "chains", "connections", "now", "token"):
            self.browser.open(self.server, view, topic="door.open", payload='{"a":1}', chain="main", send="1", live="1", take="out", link="porter", token="baton_x")
            self.browser.wait_live()
        self.browser.go("try", topic="door.other", payload="7")
        self.browser.wait(lambda: self.browser.field("topic").get_attribute("value") == "door.other", "the field")
        self.assertEqual(self.browser.field("payload").get_attribute("value"), "7")
        self.assertEqual(self.browser.all("dialog"), [])
        after = self.world.peer("counter").ask(op="inspect", server=True, limit=1)["server"]
        self.assertEqual((after["messages"], after["subscriptions"]), (before, 0))
        self.assertIsNone(self.browser.run("return sessionStorage.getItem('baton.token')"))

    def test_copy_as_text_tells_all_of_the_page(self):
        browser = self.browser
        browser.driver.execute_cdp_cmd("Browser.grantPermissions", {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]})
        browser.open(self.server)
        browser.wait_text("1 thing is wrong", ".headline")
        browser.press("copy as text")
        browser.wait_text("copied", "#said")
        copied = browser.driver.execute_async_script("navigator.clipboard.readText().then(arguments[0], (e) => arguments[0](String(e)))")
        self.assertIn("wrong moderation/policy absent", copied)
        self.assertIn("start the handler policy", copied)

    def test_nothing_moves_under_the_pointer(self):
        browser = self.browser
        browser.open(self.server, "chains")
        row = browser.row("porter")
        browser.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {"type": "mouseMoved", "x": row.location["x"] + 5, "y": row.location["y"] + 5})
        before = row.location
        first = self.world.peer("early").serve("aaa-first", lambda offer: {"op": "continue"}, at="front")
        browser.wait_text("show 1 change", "button.news")
        self.assertEqual(browser.row("porter").location, before)
        browser.press("show 1 change")
        browser.row("aaa-first")
        first.say(op="remove", handler="aaa-first", reply=False)
        browser.rest()
        browser.wait(lambda: all(each.text != "aaa-first" for each in browser.all(".row a")), "the link is gone")


class EmptyTests(ConsoleTest):
    def test_an_empty_server_says_what_to_do_next(self):
        server = self.serve()
        browser = self.browser
        for view, words, more in (("now", "Nothing is wrong", "baton handle"), ("chains", "There is no chain yet", "baton handle"), ("messages", "Every message ended well", "Live shows all"),
                                  ("connections", "Nobody has gone", ""), ("try", "Nothing was sent yet", "Fill in a topic")):
            with self.subTest(view):
                browser.open(server, view)
                browser.wait_text(words, "main")
                browser.wait_text(more, "main")

    def test_when_all_is_well_it_says_so(self):
        server = self.serve()
        self.peer(server, "porter").serve("porter", lambda offer: {"op": "handled"})
        self.browser.open(server)
        self.browser.wait_text("Nothing is wrong", ".headline")
        self.browser.wait_text("1 link in 1 chain, 2 connections", "main")

    def test_a_link_tells_for_what_it_is_asked_and_how_often_in_doubt(self):
        server, browser = self.serve(), self.browser
        verdicts = {"pay.more": "continue", "pay.worse": "failed"}
        when = {"payload": {"tool": ["shell", "\u202e"], "amount": [{"numeric": [">", 1000]}]}}
        self.peer(server, "large").serve("large", lambda offer: {"op": verdicts[offer["topic"]]}, when=when, percent=40)
        self.peer(server, "check").serve("check", lambda offer: {"op": "reject"}, chain="checks")
        sender = self.peer(server, "sender")
        self.assertEqual(sender.ask(op="mount", on="checks", together=True)["op"], "ok")
        for amount, topic, hops in (5, "pay.less", 1), ("5000", "pay.more", 2), ("7", "pay.worse", 2):
            result = sender.ask(op="send", topic=topic, key="bob", payload={"tool": "shell", "amount": amount})
            self.assertEqual(result["hops"], hops)
        browser.open(server, "chains", chain="main", link="large")
        browser.wait_text('40 % of the messages, by their keys; when {"payload":{"tool":["shell","\\u{202E}"],'
                          '"amount":[{"numeric":[">",1000]}]}}, 2 in doubt', "aside")
        browser.go("chains", chain="main", topic="pay")
        browser.wait_text("is asked, if the message fits", ".table")
        browser.go("chains", chain="main", link="checks")
        browser.wait_text("all links of that chain at once", "aside")
        browser.go("messages", status="rejected")
        for topic, words in ("pay.worse", "failed · asked in doubt"), ("pay.more", "reject · asked with others"):
            browser.row(topic).click()
            browser.wait_text(words, "aside")


if __name__ == "__main__":
    unittest.main()
