"""Makes the pictures of the page about the console, and Docs/pictures/flow.svg: `python3 Tests/Console/pictures.py`. It needs what the tests need."""

import threading

from kit import ROOT, Browser, Server
from scripted import Scripted, letter
from test_flow import PICTURE, World

PICTURES = ROOT / "Docs/pictures"


class Night:
    """A server on which two things are wrong, with messages that walk."""

    def __init__(self):
        self.server = Server("--guard", "moderation/policy")
        self.is_over = threading.Event()
        peer = self.server.peer
        self.peers = [
            peer("ann").serve("spelling", lambda offer: {"op": "continue"}, chain="moderation", accepts=["chat.>"]),
            peer("policy-2").serve("policy", lambda offer: {"op": "continue"}, chain="moderation"),
            peer("words-host-7").serve("words", lambda offer: None, chain="moderation", timeout_ms=40, on_failure="stop", accepts=["chat.*"]),
            peer("porter").serve("porter", self.open, accepts=["door.*"]),
            peer("night-shift").serve("night-shift", lambda offer: {"op": "handled", "payload": {"opened": True}}, accepts=["door.*", "post.>"], window=16),
            peer("audit").serve("audit", lambda offer: {"op": "continue"}, shadow=True),
            peer("ann.ask").serve("human", lambda offer: None, chain="tools", timeout_ms=80_000_000),
        ]
        self.lost = peer("permit-1").serve("permit", lambda offer: {"op": "handled"}, chain="tools", required=True, on_failure="stop", accepts=["tool.>"])
        self.web = peer("web-7")
        self.web.ask(op="mount", chain="main", on="moderation", accepts=["chat.>"])
        for number, topic in enumerate(("tool.github.create_issue", "tool.github.merge")):
            self.web.say(op="send", id=number, chain="tools", topic=topic, key="repo-12", timeout_ms=8_000_000)
        sender = peer("web-3")
        for _ in range(6):
            sender.ask(op="send", topic="chat.room", trace=True, timeout_ms=2000)
        self.lost.close()
        self.peers.append(sender)
        threading.Thread(target=self.load, args=(sender,), daemon=True).start()

    def open(self, offer):
        if offer["walk"] % 7 == 0:
            return {"op": "failed", "message": "the key is stuck: door 3"}
        if offer["walk"] % 50 == 1:
            return {"op": "reject", "message": "closed at night", "code": 403}
        return {"op": "continue"} if offer["walk"] % 3 == 0 else {"op": "handled", "payload": {"opened": True}}

    def load(self, sender):
        number = 0
        while not self.is_over.wait(0.012):
            number += 1
            sender.ask(op="send", topic="post.new" if number % 4 == 0 else "door.open", payload={"door": number})

    def end(self):
        self.is_over.set()
        self.server.end()


def save(browser, name):
    browser.rest()
    browser.run("document.activeElement.blur()")
    path = PICTURES / f"console-{name}.png"
    browser.driver.save_screenshot(str(path))
    assert path.stat().st_size < 150_000, f"{path} has {path.stat().st_size} bytes"


def chart(browser):
    """Waits until the server has some samples to draw."""
    browser.wait(lambda: "h1.4" in (browser.run("return [...document.querySelectorAll('.spark .all')].map((each) => each.getAttribute('d')).join('')")), "a chart")


def take(night, browser):
    for scheme in ("light", "dark"):
        browser.media(scheme, "reduce")
        browser.size(1200, 750)
        browser.open(night.server)
        browser.wait_text("things are wrong")
        chart(browser)
        save(browser, f"now-{scheme}")
        browser.open(night.server, "chains", chain="main", link="porter")
        browser.wait_text("the key is stuck", "aside")
        browser.wait(lambda: any(each.text for each in browser.all(".row .rate")), "rates")
        chart(browser)
        save(browser, f"chains-{scheme}")
        browser.open(night.server, "messages", status="failed")
        browser.row("chat.room").click()
        browser.wait_text("Step by step", "aside")
        save(browser, f"message-{scheme}")
    browser.media("light", "reduce")
    browser.size(360, 740)
    browser.open(night.server)
    browser.wait_text("things are wrong")
    save(browser, "now-small")


def take_dead(browser):
    """Dead letters of a chain, as a server that plays a store has them."""
    reasons = [("unhandled", "no ink"), ("failed", "the bank does not answer"), ("timeout", None)]
    letters = []
    for number in range(14):
        status, words = reasons[number % 3]
        said = {"by": "bill", "cause": "failed", **({"message": words} if words else {})}
        result = {"status": status, "hops": 1, "walk": number, **(said if status != "unhandled" else {"failures": [{"chain": "orders", **said}]})}
        letters.append(letter(number, topic=("order.paid", "order.returned")[number % 2], key=f"shop-{number % 4}", result=result,
                              payload={"order": 1700 + number, "total": "12.50"}, ago_ms=5_000_000 - number * 250_000))
    server = Scripted(letters)
    try:
        for scheme in ("light", "dark"):
            browser.media(scheme, "reduce")
            browser.size(1200, 750)
            browser.open(server, "dead", chain="orders", stored=letters[4]["stored"])
            browser.wait_text("12.50", "aside")
            save(browser, f"dead-{scheme}")
    finally:
        server.end()


def take_flow():
    """A chain as `baton chains --svg` draws it."""
    world = World()
    try:
        world.counted()
        PICTURE.write_text(world.svg("main").stdout)
    finally:
        world.end()


def main():
    take_flow()
    night = Night()
    try:
        take(night, Browser.get())
        take_dead(Browser.get())
    finally:
        night.end()


if __name__ == "__main__":
    main()
