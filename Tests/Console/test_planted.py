"""What peers choose is shown and never acts: markup and marks of direction, planted wherever a peer can say something."""

import unittest

from kit import FILES, ConsoleTest

#: Markup that would run, a mark that turns the direction of writing, a control character, and a line's end.
MARKUP = "<img src=x onerror=\"document.title='broken'\"><script>document.title='broken'</script>"
MARKS = "\u202eabc\u2066\u200b\u0007\n"
PLANT = MARKUP + MARKS
SHOWN = MARKUP + "\\u{202E}abc\\u{2066}\\u{200B}\\u{7}\\u{A}"
#: A topic has no white space, no control characters and no >.
TOPIC = "<img/src=x/onerror=document.title='broken'//\u202e\u2066"
TOPIC_SHOWN = "<img/src=x/onerror=document.title='broken'//\\u{202E}\\u{2066}"


class Clean:
    """Looks whether something acts that a peer has said."""

    def clean(self):
        browser = self.browser
        self.assertEqual(browser.all("main img, main script, dialog img"), [])
        self.assertNotIn("broken", browser.driver.title)
        self.assertNotRegex(browser.text() + browser.run("return [...document.querySelectorAll('*')].flatMap((each) => [...each.attributes].map((one) => one.name === 'href' ? '' : one.value)).join()"),
                            "[\u202a-\u202e\u2066-\u2069\u200b-\u200f\u0007]")
        self.assertEqual(browser.run("return document.querySelectorAll('[style*=expression], [onerror], [onclick]').length"), 0)


class PlantedTests(ConsoleTest, Clean):
    def test_every_string_of_a_peer(self):
        browser = self.browser
        server = self.serve()
        answers = {"fail": {"op": "failed", "message": PLANT}, "reject": {"op": "reject", "message": PLANT, "code": PLANT},
                   "take": {"op": "handled", "payload": {PLANT: PLANT}}}
        stuck = self.peer(server, "holder").serve("holder", lambda offer: None, chain="held", timeout_ms=80_000_000)
        self.peer(server, "h").serve("h", lambda offer: answers[offer["topic"].split(".")[0]], on_failure="stop", accepts=["fail.>", "reject.>", "take.>"])
        sender = self.peer(server, "sender")
        self.assertEqual(sender.ask(op="send", topic="fail." + TOPIC, key=MARKUP + "\u202e")["status"], "failed")
        self.assertEqual(sender.ask(op="send", topic="reject." + TOPIC)["status"], "rejected")
        sender.say(op="send", id=1, chain="held", topic="x." + TOPIC, key=MARKUP + "\u202e", timeout_ms=80_000_000)
        sender.ask(op="ping")
        for _ in range(30):
            sender.ask(op="send", topic="fail." + TOPIC)

        browser.open(server)
        browser.wait_text("x." + TOPIC_SHOWN, "main")
        browser.wait_text(SHOWN[:120], ".finding")
        self.clean()
        browser.go("chains", chain="main", link="h", topic="fail." + TOPIC)
        browser.wait_text(TOPIC_SHOWN, "main")
        browser.wait_text(SHOWN[:120], "aside")
        self.clean()
        browser.press("take out")
        browser.wait_text("after", "dialog")
        self.clean()
        browser.press("back", "dialog")
        browser.go("messages", status="rejected")
        browser.row("reject." + TOPIC_SHOWN).click()
        browser.rest()
        browser.wait_text(SHOWN[:120], "aside")
        self.clean()
        browser.go("messages")
        browser.press("live")
        browser.wait(lambda: sender.ask(op="inspect", server=True, limit=1)["server"]["subscriptions"] > 0, "the subscription")
        sender.ask(op="send", topic="reject." + TOPIC)
        browser.row("reject." + TOPIC_SHOWN)
        self.clean()
        browser.go("connections")
        browser.wait_text("sender", "main")
        self.clean()
        browser.go("try", topic="take." + TOPIC, payload='"x"')
        browser.press("send")
        browser.wait_text("handled by h", "main")
        browser.wait_text("document.title='broken'", "section pre")
        self.clean()
        browser.go("try", topic="fail." + TOPIC, payload="<b>")
        browser.wait_text("Not JSON yet")
        self.clean()
        self.assertGreater(stuck.socket.fileno(), 0)

    def test_an_address_is_a_stranger_too(self):
        server = self.serve()
        for view in ("chains", "messages", "connections", "try", "now"):
            self.browser.open(server, view, filter=PLANT, chain=PLANT, link=PLANT, topic=PLANT, status=PLANT, walk=PLANT, show=PLANT, connection=PLANT, payload=PLANT, kind=PLANT)
            self.browser.wait_live()
            self.browser.wait(lambda: self.browser.text("main h1") or view == "now", "the view")
            self.clean()


class FileTests(unittest.TestCase):
    """What the files may not have, whatever a browser would make of it."""

    def test_all_of_them_together_are_small(self):
        self.assertLessEqual(sum(each.stat().st_size for each in FILES.iterdir()), 164 << 10)

    def test_lines_of_scripts_fit_on_a_screen(self):
        for each in FILES.glob("*.js"):
            for number, line in enumerate(each.read_text().splitlines(), 1):
                self.assertLessEqual(len(line.expandtabs(2)), 120, f"{each.name}:{number}")

    def test_texts_go_in_as_texts_and_nothing_comes_from_elsewhere(self):
        for each in FILES.iterdir():
            text = each.read_text()
            with self.subTest(each.name):
                for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(", "DOMParser", "createContextualFragment", "srcdoc", "javascript:",
                             "localStorage", "document.cookie", "postMessage", " style=", "onclick=", "@import", "url("):
                    self.assertNotIn(word, text)
                for place in text.split("http")[1:]:
                    self.assertTrue(place.startswith(("://www.w3.org/2000/svg", "s:\" ? \"wss", "s:")), f"http{place[:40]}")

    def test_every_file_is_in_the_program(self):
        listed = (FILES.parent / "CConsole.c").read_text()
        for each in FILES.iterdir():
            self.assertIn(f"#embed \"files/{each.name}\"", listed)


if __name__ == "__main__":
    unittest.main()
