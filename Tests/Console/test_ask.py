"""A person with a telephone and a link: what is asked is seen whole, and nobody else decides (Docs/approvals.md)."""

import http.server
import json
import pathlib
import sys
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Approvals"))

from asking import World, tell
from kit import LONG, ConsoleTest
from test_planted import MARKUP, PLANT, SHOWN, Clean

#: What acts without being seen, in texts of an agent: marks of direction, spaces and letters that have no ink, a variation, marks in a heap.
HIDDEN = {"\u202e": "\\u{202E}", "\u2066": "\\u{2066}", "\u200b": "\\u{200B}", "\u00a0": "\\u{A0}", "\u3164": "\\u{3164}", "\u2800": "\\u{2800}", "\ufffc": "\\u{FFFC}",
          "\ufe0f": "\\u{FE0F}", "\U000e0041": "\\u{E0041}", "a\u0301\u0301\u0301": "a\u0301\u0301\\u{301}"}


class AskTest(ConsoleTest, Clean):
    def world(self, *options, **settings):
        world = World(self, **settings)
        return world, world.desk(*options)

    def open_link(self, link):
        self.browser.driver.get("about:blank")
        self.browser.rest()
        self.browser.driver.get(link)

    def asked(self, world, desk, **members):
        """Asks, opens the link, and waits until the question is shown."""
        number = world.ask(**members)
        asked = desk.asked()
        self.open_link(asked["link"])
        self.browser.wait_text("May this go on?")
        return number, asked

    def enabled(self, name):
        return self.browser.wait(lambda: next(iter([each for each in [self.browser.button(name)] if each.is_enabled()]), None), f"{name} may be used")

    def approve(self):
        self.browser.run("document.querySelector('.end').scrollIntoView({ block: 'center' })")
        self.enabled("approve").click()
        self.enabled("approve: tap once more").click()

    def waits(self, world):
        return len(tell(world.peer("ann"), "list")["payload"]["waiting"])


class PersonTests(AskTest):
    def test_a_person_with_a_telephone_approves_in_light_and_dark(self):
        world, desk = self.world()
        self.browser.size(360, 740)
        for scheme in ("light", "dark"):
            self.browser.media(scheme)
            number, _ = self.asked(world, desk, payload={"agent": "claude", "tool": "Bash", "arguments": {"command": "git push"}}, meta={"cwd": "/home/ann"})
            for words in ("agent", "tool.agent.Bash", '"command": "git push"', '"cwd": "/home/ann"'):
                self.browser.wait_text(words, "main")
            self.assertEqual(self.browser.axe(), [], scheme)
            self.assertEqual(self.browser.outside(360), [], scheme)
            self.approve()
            self.browser.wait_text("Approved by a link", "main")
            self.assertEqual(self.browser.axe(), [], scheme)
            self.assertEqual(world.result(number)["status"], "handled")
        self.assertIn('"payload":{"agent":"claude","tool":"Bash","arguments":{"command":"git push"}}', world.passed[0])

    def test_a_refusal_is_one_tap_and_a_reason(self):
        world, desk = self.world()
        number, _ = self.asked(world, desk)
        self.enabled("refuse").click()
        self.browser.wait_text("Say why")
        self.browser.write("why not", "not the whole folder")
        self.enabled("refuse").click()
        self.browser.wait_text("Refused by a link")
        self.assertEqual(world.result(number)["message"], "not the whole folder (a link)")

    def test_one_tap_approves_nothing_and_none_counts_at_once(self):
        world, desk = self.world()
        self.asked(world, desk)
        self.browser.run("document.querySelector('.end').scrollIntoView({ block: 'center' })")
        # A double tap: the second one comes within the half second.
        first, isOff = self.browser.run("""
            const [button] = [...document.querySelectorAll("button")].filter((each) => each.textContent.startsWith("approve"));
            return new Promise((done) => {
              const look = () => {
                if (button.disabled) return requestAnimationFrame(look);
                button.click();
                const isOff = button.disabled;
                button.click();
                done([button.textContent, isOff]);
              };
              look();
            });""")
        self.assertEqual((first, isOff), ("approve: tap once more", True))
        self.assertEqual(self.waits(world), 1)

    def test_keys_alone_do_it(self):
        world, desk = self.world()
        number, _ = self.asked(world, desk)
        self.enabled("approve")
        found = self.browser.controls()
        for control in (("textbox", "why not"), ("button", "refuse"), ("button", "approve"), ("region", "the question")):
            self.assertIn(control, found)
        self.browser.run("[...document.querySelectorAll('button')].find((each) => each.textContent === 'approve').focus()")
        self.browser.driver.switch_to.active_element.send_keys("\ue007")
        self.enabled("approve: tap once more").send_keys("\ue007")
        self.assertEqual(world.result(number)["status"], "handled")

    def test_a_page_that_lost_the_server_decides_nothing_and_comes_back(self):
        world, desk = self.world()
        self.asked(world, desk)
        self.enabled("approve")
        root = world.peer("root")
        [page] = [each for each in root.ask(op="inspect", connections=True)["connections"] if each["name"] == "anonymous.console"]
        root.ask(op="close", connection=page["connection"])
        self.browser.wait_text("connection lost", "#state")
        self.assertFalse(self.browser.button("approve").is_enabled() or self.browser.button("refuse").is_enabled())
        self.browser.wait_live()
        self.approve()
        self.browser.wait_text("Approved by a link")

    def test_who_else_decides_is_seen_at_once(self):
        world, desk = self.world()
        _, asked = self.asked(world, desk)
        self.enabled("approve")
        tell(world.peer("ann"), "decide", {"id": asked["id"], "verdict": "refuse", "reason": "no"})
        self.browser.wait_text("Refused by ann")
        self.assertEqual([each.text for each in self.browser.all("button") if each.is_displayed()], [])

    def test_two_windows_decide_at_once(self):
        world, desk = self.world()
        number, asked = self.asked(world, desk)
        driver = self.browser.driver
        one = driver.current_window_handle
        driver.switch_to.new_window("tab")
        other = driver.current_window_handle
        try:
            self.open_link(asked["link"])
            self.browser.wait_text("May this go on?")
            self.browser.write("why not", "no")
            self.enabled("refuse")
            driver.switch_to.window(one)
            self.approve()
            driver.switch_to.window(other)
            # This page may not know it yet.
            self.browser.run("document.querySelector('.decide form').requestSubmit()")
            self.browser.wait_text("Approved by a link")
        finally:
            driver.switch_to.window(other)
            driver.close()
            driver.switch_to.window(one)
        self.assertEqual(world.result(number)["status"], "handled")

    def test_time_that_is_over_is_told(self):
        world, desk = self.world()
        number = world.ask(timeout_ms=4000)
        self.open_link(desk.asked()["link"])
        self.assertEqual(world.result(number)["status"], "failed")
        self.browser.wait_text("Nobody decided in time", "main")
        self.assertEqual([each for each in self.browser.all("button") if each.is_displayed()], [])


class WholeTests(AskTest):
    def test_markup_and_hidden_signs_are_shown_and_do_nothing(self):
        world, desk = self.world()
        hidden = "".join(HIDDEN)
        self.asked(world, desk, topic="tool.agent." + "<img/src=x/onerror=document.title='broken'//\u202e\u2066",
                   payload={PLANT: [hidden, MARKUP]}, meta={"m": MARKUP + "\u202e"})
        # JSON has its own spelling of controls and ends of lines.
        shown = json.dumps(PLANT, ensure_ascii=False)[1:-1].replace("\u202e", "\\u{202E}").replace("\u2066", "\\u{2066}").replace("\u200b", "\\u{200B}")
        self.assertTrue(SHOWN)
        for words in (shown, "".join(HIDDEN.values()), "onerror=document.title='broken'//\\u{202E}\\u{2066}"):
            self.browser.wait_text(words, "main")
        self.clean()
        self.assertEqual(self.browser.run("return getComputedStyle(document.querySelector('pre.sent')).unicodeBidi"), "bidi-override")

    def test_letters_of_another_direction_stand_in_the_order_in_which_they_were_sent(self):
        world, desk = self.world()
        self.asked(world, desk, payload="rm \u05d0 /home/ann \u05d1 tmp")
        places = self.browser.run("""
            const text = [...document.querySelectorAll("pre.sent")].find((each) => each.textContent.includes("rm")).firstChild;
            return [...text.data].map((_, at) => {
              const range = document.createRange();
              range.setStart(text, at);
              range.setEnd(text, at + 1);
              return range.getBoundingClientRect().left;
            });""")
        self.assertEqual(places, sorted(places))

    def test_nothing_is_folded_away_and_approve_waits_for_the_end(self):
        world, desk = self.world()
        self.browser.size(360, 740)
        number, _ = self.asked(world, desk, payload={"lines": [f"line {number}" for number in range(300)], "last": "rm -rf /"})
        self.enabled("refuse")
        self.assertFalse(self.browser.button("approve").is_enabled())
        self.browser.wait_text("Approve comes when you have seen the end", "main")
        self.assertGreater(self.browser.run("return document.documentElement.scrollHeight"), 4000)
        folded = self.browser.run("""return [...document.querySelectorAll("pre.sent")]
            .filter((each) => each.scrollHeight > each.clientHeight + 1 || each.scrollWidth > each.clientWidth + 1).length""")
        self.assertEqual(folded, 0)
        # All but what stands behind the bar.
        self.browser.run("scrollTo(0, document.querySelector('.end').getBoundingClientRect().top + scrollY - innerHeight + 40)")
        self.browser.run("return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 0))))")
        self.assertFalse(self.browser.button("approve").is_enabled())
        self.approve()
        self.assertEqual(world.result(number)["status"], "handled")

    def test_a_megabyte_is_shown_to_its_end(self):
        world, desk = self.world()
        self.browser.size(360, 740)
        text = "x\"é\u202e y" * 90_000 + "THE END"
        number, _ = self.asked(world, desk, payload={"text": text})
        shown = self.browser.run("return [...document.querySelectorAll('pre.sent')].map((each) => each.textContent)")
        whole = json.dumps({"text": text}, ensure_ascii=False, separators=(",", ":"))
        self.assertGreater(len(whole.encode()), 900_000)
        self.assertEqual(shown[1], whole.replace("\u202e", "\\u{202E}"))
        self.assertFalse(self.browser.button("approve").is_enabled())
        self.assertEqual(self.browser.outside(360), [])
        self.approve()
        self.browser.wait_text("Approved")
        self.assertEqual(world.result(number)["status"], "handled")


class AttackTests(AskTest):
    expected = ("403", "404", "net::ERR", "WebSocket", "refused", "Refused", "CORS", "Failed to load", "Blocked", "frame")

    def test_links_that_are_none(self):
        world, desk = self.world()
        numbers = [world.ask(), world.ask()]
        one, other = desk.asked(), desk.asked()
        base = world.server.url
        for link in (f"{base}ask#{one['id']}.{other['secret']}", f"{base}ask#0.{one['secret']}", f"{base}ask#{one['id']}.x"):
            self.open_link(link)
            self.browser.wait_text("There is nothing to decide", "main")
            self.assertNotIn("rm -rf", self.browser.text())
        for link in (f"{base}ask", f"{base}ask#", f"{base}ask#{one['id']}"):
            self.open_link(link)
            self.browser.wait_text("This is no whole link", "main")
        self.assertEqual(self.waits(world), 2)
        self.assertEqual(len(numbers), 2)

    def test_an_old_link(self):
        world, desk = self.world()
        number, asked = self.asked(world, desk)
        self.approve()
        self.browser.wait_text("Approved by a link")
        self.assertEqual(world.result(number)["status"], "handled")
        self.open_link(asked["link"])
        self.browser.wait_text("Approved by a link")
        self.assertNotIn("rm -rf", self.browser.text())
        self.assertEqual([each for each in self.browser.all("button") if each.is_displayed()], [])
        desk.process.kill()
        desk.process.wait(LONG)
        self.open_link(asked["link"])
        self.browser.wait_text("baton approvals is not there")
        world.desk()
        world.ask()
        self.open_link(asked["link"])
        self.browser.wait_text("there is no such question")
        self.assertEqual(self.waits(world), 1)

    def test_opening_a_link_decides_nothing(self):
        world, desk = self.world()
        _, asked = self.asked(world, desk)
        for _ in range(3):
            self.open_link(asked["link"])
            self.browser.wait_text("May this go on?")
        self.assertEqual(self.waits(world), 1)
        self.assertNotIn(asked["secret"], self.browser.run("return document.documentElement.outerHTML"))

    def test_five_wrong_pins(self):
        world = World(self)
        desk = world.desk("--pin-file", world.file("pin", "9104"))
        number = world.ask()
        asked = desk.asked()
        self.open_link(asked["link"])
        self.browser.wait_text("This link takes a PIN")
        self.assertNotIn("rm -rf", self.browser.text())
        self.assertEqual(self.browser.axe(), [])
        for left in (4, 3, 2, 1):
            self.browser.write("PIN", "0000")
            self.browser.press("show the question")
            self.browser.wait_text(f"{left} more, and the question is refused")
        self.browser.write("PIN", "0000")
        self.browser.press("show the question")
        self.browser.wait_text("five wrong PINs")
        self.assertEqual(world.result(number)["message"], "five wrong PINs")

    def test_the_right_pin(self):
        world = World(self)
        desk = world.desk("--pin-file", world.file("pin", "9104"))
        number = world.ask()
        self.open_link(desk.asked()["link"])
        self.browser.write("PIN", "0000")
        self.browser.press("show the question")
        self.browser.wait_text("4 more")
        self.browser.write("PIN", "9104")
        self.browser.press("show the question")
        self.browser.wait_text("May this go on?")
        self.approve()
        self.assertEqual(world.result(number)["status"], "handled")

    def test_where_the_anonymous_may_not_use_links_the_page_says_so(self):
        world, desk = self.world(without=("anonymous",))
        world.ask()
        self.open_link(desk.asked()["link"])
        self.browser.wait_text("lets nobody in without a token")
        self.assertEqual(self.waits(world), 1)

    def test_a_foreign_page_decides_nothing_though_it_knows_the_link(self):
        world, desk = self.world()
        world.ask()
        asked = desk.asked()
        foreign = Foreign(self, world.server.url.rstrip("/"), asked)
        driver = self.browser.driver
        mine = driver.current_window_handle
        driver.get(foreign.url)
        told = self.browser.wait(lambda: json.loads(self.browser.text("#told") or "null"), "what the foreign page has tried")
        self.assertEqual(set(told), {"plain post", "json post", "form", "websocket", "frame", "window"})
        self.assertEqual({name: words for name, words in told.items() if words != "nothing"}, {})
        self.assertEqual(self.waits(world), 1)
        self.assertEqual(world.passed, [])
        # The window that it opened, which it cannot even close.
        for handle in driver.window_handles:
            if handle != mine:
                driver.switch_to.window(handle)
                driver.close()
        driver.switch_to.window(mine)
        # Its link leads there all the same, as one in a chat does.
        self.browser.run("document.querySelector('#link').click()")
        self.browser.wait(lambda: driver.current_url == asked["link"], "the page behind the link")
        self.browser.wait_text("May this go on?")


class Foreign:
    """A page of another origin that knows the whole link, and tries to decide."""

    PAGE = """<!doctype html><title>foreign</title><pre id=told></pre><a id=link href="LINK">look</a><script>
const base = "BASE", body = JSON.stringify({ id: "ID", secret: "SECRET", verdict: "approve" });
const path = base + "/send/approvals.link.decide?chain=approvals";
const told = {};
const tries = {
  "plain post": async () => {
    const answer = await fetch(path, { method: "POST", mode: "no-cors", body });
    return answer.type === "opaque" ? "nothing" : await answer.text();
  },
  "json post": async () => (await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body })).text(),
  form: () => new Promise((done) => {
    const frame = document.createElement("iframe");
    frame.name = "into";
    document.body.append(frame);
    const form = document.createElement("form");
    Object.assign(form, { method: "POST", action: path, target: "into", enctype: "text/plain" });
    const field = document.createElement("input");
    [field.name, field.value] = [body.slice(0, -1) + ',"x":"', '"}'];
    form.append(field);
    document.body.append(form);
    frame.onload = () => { if (form.isSent) done("nothing"); };
    form.isSent = true;
    form.submit();
  }),
  websocket: () => new Promise((done) => {
    const socket = new WebSocket(base.replace("http", "ws") + "/ws", ["baton.1"]);
    socket.onopen = () => {
      socket.send(JSON.stringify({ op: "send", id: 1, chain: "approvals", topic: "approvals.link.decide", payload: JSON.parse(body) }));
      done("it is open");
    };
    socket.onerror = () => done("nothing");
  }),
  frame: () => new Promise((done) => {
    const frame = document.createElement("iframe");
    frame.src = "LINK";
    frame.onload = () => {
      let inside = "nothing";
      try { if (frame.contentDocument.body.innerText) inside = "it reads the frame"; } catch { /* It is of another origin. */ }
      done(frame.contentWindow.length > 0 ? "it has frames" : inside);
    };
    document.body.append(frame);
  }),
  window: async () => {
    const other = window.open("LINK");
    if (!other) return "nothing";
    for (let turn = 0; turn < 20; turn += 1) {
      other.postMessage(body, "*");
      try { if (other.document.body.innerText) return "it reads the window"; } catch { /* It is of another origin. */ }
      await new Promise((next) => setTimeout(next, 20));
    }
    other.close();
    return "nothing";
  },
};
(async () => {
  for (const [name, act] of Object.entries(tries)) told[name] = await act().catch(() => "nothing");
  document.querySelector("#told").textContent = JSON.stringify(told);
})();
</script>"""

    def __init__(self, test, base, asked):
        page = (self.PAGE.replace("LINK", asked["link"]).replace("BASE", base).replace("ID", asked["id"])
                .replace("SECRET", asked["secret"])).encode()

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(page)))
                self.end_headers()
                self.wfile.write(page)

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        test.addCleanup(lambda: (server.shutdown(), server.server_close(), thread.join()))
        self.url = f"http://localhost:{server.server_port}/"


if __name__ == "__main__":
    unittest.main()
