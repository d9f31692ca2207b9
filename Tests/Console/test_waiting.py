"""The console's view Waiting: to whom it is shown, and what can be done there (Docs/approvals.md)."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Approvals"))

from asking import World, tell
from kit import ConsoleTest
from test_planted import PLANT, Clean


class WaitingTests(ConsoleTest, Clean):
    def enter(self, world, name, view="waiting"):
        """Opens a view as an identity."""
        self.browser.open(world.server, view)
        self.browser.run("sessionStorage.setItem('baton.token', arguments[0])", world.tokens[name])
        self.browser.open(world.server, view)
        self.browser.wait_live()

    def enabled(self, name):
        return self.browser.wait(lambda: next(iter([each for each in [self.browser.button(name)] if each.is_enabled()]), None), f"{name} may be used")

    def test_a_person_decides_in_light_and_dark_and_on_a_telephone(self):
        world = World(self)
        desk = world.desk()
        for scheme, width in (("light", 1200), ("dark", 1200), ("light", 360), ("dark", 360)):
            with self.subTest(scheme=scheme, width=width):
                self.browser.size(width, 740)
                self.browser.media(scheme)
                number = world.ask(payload={"command": "git push"})
                asked = desk.asked()
                self.enter(world, "ann")
                self.browser.row("tool.agent.Bash")
                self.browser.wait(lambda: self.browser.driver.title.startswith("(1) Waiting"), "the title counts")
                self.assertEqual(self.browser.axe(), [])
                self.assertEqual(self.browser.outside(width), [])
                self.browser.row("tool.agent.Bash").click()
                self.browser.rest()
                self.browser.wait_text('"command": "git push"', "aside")
                self.assertEqual(self.browser.axe(), [])
                self.assertEqual(self.browser.outside(width), [])
                self.enabled("approve").click()
                self.enabled("approve: tap once more").click()
                self.browser.wait_text("Approved by ann", "aside")
                self.assertEqual(world.result(number)["status"], "handled")
                self.assertEqual(desk.wait("ended")["who"], "ann.console")
                self.browser.wait(lambda: self.browser.driver.title.startswith("Waiting"), "the title counts no more")
                self.assertTrue(asked["id"])

    def test_what_others_ask_and_decide_comes_at_once(self):
        world = World(self)
        desk = world.desk()
        self.enter(world, "ann", "now")
        self.browser.link("Waiting")
        numbers = [world.ask(topic=f"tool.agent.{name}") for name in ("one", "two")]
        first = desk.asked()
        self.browser.wait(lambda: self.browser.driver.title.startswith("(2) Now"), "the title counts in each view")
        self.browser.link("Waiting").click()
        self.browser.row("tool.agent.one").click()
        self.browser.wait_text("May this go on?", "aside")
        tell(world.peer("bob"), "decide", {"id": first["id"], "verdict": "refuse", "reason": "later"})
        self.browser.wait_text("Refused by bob", "aside")
        self.assertEqual(world.result(numbers[0])["message"], "later (bob)")

    def test_nobody_else_has_the_view(self):
        world = World(self)
        world.desk()
        self.enter(world, "eve", "now")
        self.browser.wait_text("wrong", "main")
        self.assertEqual([each for each in self.browser.all("#to-waiting") if each.is_displayed()], [])
        self.browser.go("waiting")
        self.browser.wait_text("No desk answers you", "main")
        plain = World(self, asks=False)
        plain.desk()
        self.browser.driver.get(f"{plain.server.url}#now")
        self.browser.wait_live()
        self.browser.wait_text("Nothing is wrong", "main")
        self.assertEqual([each for each in self.browser.all("#to-waiting") if each.is_displayed()], [])

    def test_what_agents_write_does_nothing_there(self):
        world = World(self)
        world.desk()
        world.ask(topic="tool.agent.<img/src=x/onerror=document.title='broken'//\u202e", payload={PLANT: PLANT})
        self.enter(world, "ann")
        self.browser.row("tool.agent.<img/src=x/onerror=document.title='broken'//\\u{202E}").click()
        self.browser.wait_text("document.title='broken'", "aside pre.sent")
        self.browser.wait_text("May this go on?", "aside")
        self.clean()

    def test_a_desk_that_goes_is_told(self):
        world = World(self)
        desk = world.desk()
        self.enter(world, "ann")
        self.browser.wait_text("Nobody waits", "main")
        desk.process.kill()
        self.browser.wait_text("No desk answers you", "main")


if __name__ == "__main__":
    unittest.main()
