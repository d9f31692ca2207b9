"""The keyboard alone, screen readers, small screens, light and dark, and a page that asks for less motion."""

import unittest

from kit import ConsoleTest, Keys, Server

VIEWS = (("now", {}), ("flow", {}), ("chains", {"chain": "main", "link": "porter"}), ("chains", {"topic": "door.open", "chain": "main"}), ("messages", {}), ("connections", {}),
         ("try", {"topic": "door.open", "payload": "{"}), ("token", {}))


class PeopleTests(ConsoleTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server = Server("--guard", "moderation/policy")
        cls.addClassCleanup(cls.server.end)
        cls.handler = cls.server.peer("porter").serve("porter", lambda offer: {"op": "failed", "message": "the key is stuck"}, accepts=["door.*"])
        cls.addClassCleanup(cls.handler.close)
        cls.night = cls.server.peer("night").serve("night-shift", lambda offer: {"op": "continue"})
        cls.addClassCleanup(cls.night.close)
        sender = cls.server.peer("a-sender-with-a-long-name-that-a-small-screen-has-no-room-for")
        cls.addClassCleanup(sender.close)
        for number in range(30):
            sender.ask(op="send", topic="door.open.that.has.more.words.than.fit" if number % 2 else "door.open")

    def views(self):
        """Opens each view in turn, with its numbers."""
        for view, fields in VIEWS:
            self.browser.open(self.server, view, **fields)
            self.browser.wait_live()
            self.browser.wait(lambda: "Looking" not in self.browser.text("main"), "numbers")
            yield f"{view} {fields}"

    def test_axe_finds_nothing_in_light_and_dark(self):
        for scheme in ("light", "dark"):
            self.browser.media(scheme)
            for view in self.views():
                self.assertEqual(self.browser.axe(), [], f"{scheme}: {view}")

    def test_axe_finds_nothing_in_a_question_nor_when_the_connection_is_lost(self):
        for scheme in ("light", "dark"):
            self.browser.media(scheme)
            self.browser.open(self.server, "chains", chain="main", link="night-shift")
            self.browser.press("take out")
            self.browser.wait_text("after", "dialog")
            self.browser.wait(lambda: self.browser.button("confirm").is_enabled(), "confirm")
            self.assertEqual(self.browser.axe(), [], scheme)
            self.browser.press("back", "dialog")
            self.browser.run("document.body.dataset.state = 'lost'")
            self.assertEqual(self.browser.axe(), [], f"{scheme}, lost")

    def test_a_screen_of_360_pixels_has_all_of_it(self):
        self.browser.size(360, 740)
        for view in self.views():
            self.assertEqual(self.browser.outside(360), [], view)

    def test_the_zoom_of_the_browser_is_left_alone(self):
        self.browser.open(self.server)
        self.assertNotRegex(self.browser.run("return document.querySelector('meta[name=viewport]').content"), "maximum|user-scalable")

    def test_a_page_that_asks_for_less_motion_gets_none(self):
        self.browser.media(motion="reduce")
        for _ in self.views():
            moving = self.browser.run("return [...document.querySelectorAll('*')].filter((each) => { const style = getComputedStyle(each);"
                                      " return parseFloat(style.transitionDuration) > 0 || style.animationName !== 'none'; }).length")
            self.assertEqual(moving, 0)

    def focused(self):
        return self.browser.run("return (document.activeElement.innerText || document.activeElement.labels?.[0]?.innerText || '').trim()")

    def press(self, *keys):
        for key in keys:
            self.browser.driver.switch_to.active_element.send_keys(key)

    def reach(self, name, key=None):
        """Presses Tab until something of this name has the keyboard."""
        for _ in range(60):
            if self.focused() == name:
                return
            self.press(key or Keys.TAB)
        self.fail(f"“{name}” cannot be reached by the keyboard; it was on “{self.focused()}”")

    def test_all_can_be_done_with_the_keyboard_alone(self):
        browser = self.browser
        browser.open(self.server)
        browser.wait_live()
        self.reach("Chains")
        self.press(Keys.ENTER)
        browser.row("porter")
        self.reach("porter")
        outline = browser.run("return getComputedStyle(document.activeElement).outlineStyle")
        self.assertEqual(outline, "solid")
        self.press(Keys.ARROW_DOWN)
        self.assertEqual(self.focused(), "night-shift")
        self.press(Keys.ENTER)
        browser.wait_text("main/night-shift", "aside h2")
        self.assertEqual(self.focused(), "main/night-shift")
        self.reach("take out")
        self.press(Keys.ENTER)
        browser.wait(lambda: browser.button("confirm").is_enabled(), "confirm")
        self.reach("back")
        self.press(Keys.ENTER)
        browser.wait(lambda: not browser.all("dialog"), "no question")
        self.assertEqual(self.focused(), "take out")
        self.press(Keys.ESCAPE)
        browser.wait(lambda: self.focused() == "night-shift", "the row has the keyboard again")
        self.reach("Try", Keys.SHIFT + Keys.TAB)
        self.press(Keys.ENTER)
        browser.wait_text("Nothing was sent yet")
        self.reach("topic")
        self.press("door.open", Keys.ENTER)
        browser.wait_text("The answer")

    def test_controls_have_their_names(self):
        browser = self.browser
        wanted = {"chains": [("searchbox", "filter"), ("checkbox", "only trouble"), ("textbox", "topic"), ("combobox", "chain"), ("button", "explain"), ("button", "copy as text"),
                             ("button", "take out"), ("button", "earlier"), ("button", "later"), ("table", "links"), ("main", ""), ("navigation", "views")],
                  "messages": [("button", "live"), ("button", "filter"), ("textbox", "chain"), ("combobox", "status")],
                  "try": [("textbox", "topic"), ("combobox", "chain"), ("textbox", "payload"), ("button", "send")], "token": [("textbox", "token")],
                  "connections": [("searchbox", "filter"), ("table", "connections")]}
        for view, controls in wanted.items():
            fields = {"chain": "main", "link": "porter"} if view == "chains" else {}
            browser.open(self.server, view, **fields)
            browser.wait_live()
            if view == "chains":
                browser.button("take out")
            if view in ("chains", "connections"):
                browser.wait(lambda: browser.all(".row a[href]"), "rows")
            found = browser.controls()
            for control in controls:
                self.assertIn(control, found, f"{view}: {sorted(found)}")


if __name__ == "__main__":
    unittest.main()
