"""Dead letters: seen on the first page, read, sent again, thrown away, several at once; who may not, and where there is no store."""

import threading
import unittest

from kit import ConsoleTest, Keys
from scripted import Scripted, letter, serve
from test_planted import MARKUP, PLANT, SHOWN, TOPIC, TOPIC_SHOWN, Clean


@unittest.skipIf(serve is None, "websockets is not installed: see Tests/Console/README.md")
class DeadTest(ConsoleTest):
    def script(self, *letters, **options):
        server = Scripted(letters, **options)
        self.addCleanup(server.end)
        return server

    def names(self):
        return [each.text for each in self.browser.all(".row .name")]

    def asked(self, server, op):
        return [{name: value for name, value in line.items() if name not in ("op", "id")} for line in server.said if line["op"] == op]


class DeadTests(DeadTest):
    def test_the_first_page_says_how_many_there_are_and_leads_to_them(self):
        browser = self.browser
        browser.open(self.script(letter(1), letter(2)))
        browser.wait_text("2 dead letters in orders", "main")
        browser.link("look at them").click()
        browser.wait_text("2 dead letters in orders", ".explained")
        self.assertIn("chain=orders", browser.driver.current_url)
        self.assertEqual(browser.driver.title.split(" · ")[0], "Dead letters")
        self.assertEqual([each.text for each in browser.all("nav [aria-current]")], ["Messages"])

    def test_chains_tell_what_is_stored(self):
        self.browser.open(self.script(letter(1)), "chains")
        self.browser.wait_text("3 stored, 2 due, 1 dead letter", ".table")

    def test_messages_lead_there_and_back(self):
        browser = self.browser
        browser.open(self.script(letter(1)), "messages")
        browser.link("dead letters").click()
        browser.row("order.paid")
        browser.link("all that went wrong").click()
        browser.wait_text("Every message ended well", "main")

    def test_one_tells_its_payload_its_result_and_its_reason(self):
        browser = self.browser
        server = self.script(letter(1, key="shop-1", payload={"order": 17}, meta={"trace": "x"}), letter(2, topic="order.sent"))
        browser.open(server, "dead", chain="orders")
        browser.row("order.paid").click()
        browser.rest()
        browser.wait_text('{"order": 17}', "aside")
        panel = browser.text("aside")
        for words in ("k3f9m2q8w1x7c5z4-0001", "unhandled", "attempt 25", "orders", "shop-1", "orders/bill failed: no ink", '{"trace": "x"}', "1 offer"):
            self.assertIn(words, panel)
        self.assertIn("25", browser.text(".row .tries"))
        self.assertIn("60 min", browser.text(".row .age"))

    def test_all_that_fit_the_filter_are_those_that_are_shown(self):
        browser = self.browser
        server = self.script(letter(1), letter(2), letter(3, topic="order.sent"), letter(4, topic="order.sent"))
        browser.open(server, "dead", chain="orders")
        browser.row("order.sent")
        browser.field("choose all").click()
        browser.button("discard 4")
        browser.write("filter", "sent")
        browser.press("discard 2")
        browser.press("confirm")
        browser.wait_text("2 dead letters thrown away", "#said")
        self.assertEqual(sorted(each["stored"][-4:] for each in self.asked(server, "discard")), ["0003", "0004"])

    def test_more_than_the_page_shows_are_told_and_found(self):
        browser = self.browser
        server = self.script(*[letter(number, topic="order.special" if number >= 2000 else "order.paid") for number in range(2300)])
        browser.open(server, "dead", chain="orders")
        browser.wait_text("The oldest 1,000 dead letters in orders, which has 2,300.", ".explained")
        browser.press("the next ones")
        browser.wait(lambda: "The oldest" not in browser.text(".explained"), "the next ones")
        browser.wait_text("1,000 dead letters in orders, which has 2,300.", ".explained")
        browser.press("the next ones")
        browser.wait_text("300 dead letters in orders, which has 2,300.", ".explained")
        # Each part has an address, and the browser's ways back and forward.
        browser.driver.refresh()
        browser.wait_text("300 dead letters in orders, which has 2,300.", ".explained")
        browser.driver.back()
        browser.wait_text("1,000 dead letters in orders, which has 2,300.", ".explained")
        browser.driver.forward()
        browser.wait_text("300 dead letters in orders, which has 2,300.", ".explained")
        # All of them are looked through, and not only those that are shown.
        browser.write("filter", "paid")
        browser.wait_text("The oldest 1,000 dead letters found in orders", ".explained")
        browser.write("filter", "special")
        browser.wait_text("300 dead letters found in orders.", ".explained")
        self.assertEqual(set(self.names()), {"order.special"})
        # What is looked for meanwhile is not what was begun.
        for filters in (["", "0777"], ["sp", "", "0777"], ["2299", "", "pai", "0777"]):
            browser.run("""
                const [input] = document.querySelectorAll("[type=search]");
                for (const text of arguments[0]) {
                    input.value = text;
                    input.dispatchEvent(new Event("input", { bubbles: true }));
                    await new Promise((next) => setTimeout(next, 30));
                }""", filters)
            browser.wait_text("1 dead letter found in orders.", ".explained")
            self.assertEqual(len(self.names()), 1)
        browser.write("filter", "")
        browser.wait_text("The oldest 1,000 dead letters in orders, which has 2,300.", ".explained")

    def test_a_question_goes_with_what_is_under_it(self):
        browser = self.browser
        browser.open(self.script(letter(1)), "messages")
        browser.link("dead letters").click()
        browser.row("order.paid").click()
        browser.rest()
        browser.press("discard", "aside")
        browser.wait_text("This cannot be undone", "dialog")
        browser.driver.back()
        browser.wait(lambda: not browser.all("dialog"), "no question")

    def test_nothing_moves_under_the_pointer(self):
        browser = self.browser
        server = self.script(letter(1, topic="order.a"), letter(2, topic="order.b"), letter(3, topic="order.c"))
        browser.open(server, "dead", chain="orders")
        where = browser.row("order.c").location
        browser.point(browser.row("order.c"))
        server.letters.pop(min(server.letters))
        browser.button("show 1 change")
        self.assertEqual(browser.row("order.c").location, where)
        browser.rest()
        browser.wait(lambda: browser.row("order.c").location != where, "it has moved")

    def test_a_right_that_comes_or_goes_is_seen(self):
        browser = self.browser
        server = self.script(letter(1), may=["see orders"])
        browser.open(server, "dead", chain="orders")
        browser.wait_text("needs “manage orders”", "main")
        server.may = ["see orders", "manage orders"]
        browser.wait_text("choose some first", "main")
        server.may = ["manage orders"]
        browser.wait_text("Dead letters of orders are not told to you", "main")
        browser.go("dead", chain="orders", stored=min(server.letters))
        browser.wait_text("needs “see orders”", "aside")

    def test_what_was_done_before_an_answer_was_lost_is_not_called_undone(self):
        browser = self.browser
        server = self.script(letter(1))
        server.op_discard = lambda line: server.letters.clear() or server.hang_up()
        browser.open(server, "dead", chain="orders")
        browser.row("order.paid").click()
        browser.rest()
        browser.press("discard", "aside")
        browser.press("confirm")
        browser.wait_text("the connection was lost", "dialog")
        browser.wait_live()
        del server.op_discard
        browser.press("confirm")
        browser.wait_text("0 dead letters thrown away; 1 had ended by then", "#said")

    def test_a_refusal_is_told_also_when_nobody_looks_at_the_question_any_more(self):
        browser = self.browser
        server = self.script(letter(1))
        seen = threading.Event()
        server.op_discard = lambda line: seen.wait(60) and {"op": "error", "code": "busy", "message": "not now"}
        browser.open(server, "dead", chain="orders")
        browser.row("order.paid").click()
        browser.rest()
        browser.press("discard", "aside")
        browser.press("confirm")
        browser.driver.switch_to.active_element.send_keys(Keys.ESCAPE)
        browser.wait(lambda: not browser.all("dialog"), "no question")
        seen.set()
        browser.wait_text("not now", "#said")

    def test_who_may_see_the_server_alone_is_not_told_that_nobody_serves(self):
        browser = self.browser
        browser.open(self.script(may=["see server"]))
        browser.wait_text("No breaker is open", "main")
        self.assertNotIn("No handler serves", browser.text("main"))

    def test_resend_says_what_it_means_and_asks(self):
        browser = self.browser
        server = self.script(letter(1), letter(2))
        browser.open(server, "dead", chain="orders", stored="k3f9m2q8w1x7c5z4-0001")
        browser.wait_text('{"order": 1}', "aside")
        browser.press("resend", "aside")
        browser.wait_text("Handlers may be asked again for what they have done already", "dialog")
        browser.press("back", "dialog")
        self.assertEqual(self.asked(server, "resend"), [])
        browser.press("resend", "aside")
        browser.press("confirm", "dialog")
        browser.wait_text("1 dead letter sent again", "#said")
        self.assertEqual(self.asked(server, "resend"), [{"stored": "k3f9m2q8w1x7c5z4-0001"}])
        browser.wait_text("1 dead letter in orders", ".explained")
        self.assertFalse(browser.all("aside:not([hidden])"))

    def test_another_payload_is_checked_as_one_types(self):
        browser = self.browser
        server = self.script(letter(1))
        browser.open(server, "dead", chain="orders", stored="k3f9m2q8w1x7c5z4-0001")
        browser.wait_text('{"order": 1}', "aside")
        browser.press("resend", "aside")
        browser.wait_text("Good: 11 bytes", "dialog")
        browser.write("payload", '{"order": 12345678901234567890', "dialog")
        browser.wait_text("Not JSON yet", "dialog")
        self.assertFalse(browser.button("confirm", "dialog").is_enabled())
        # A browser has no words for these.
        for word in "NaN", "undefined", "Infinity":
            browser.write("payload", word, "dialog")
            browser.wait_text("Not JSON yet", "dialog")
        browser.write("payload", '{"order": 12345678901234567890', "dialog")
        browser.field("payload", "dialog").send_keys("}")
        browser.press("confirm", "dialog")
        browser.wait_text("sent again", "#said")
        self.assertEqual(self.asked(server, "resend"), [{"stored": "k3f9m2q8w1x7c5z4-0001", "payload": {"order": 12345678901234567890}}])

    def test_discard_says_that_it_cannot_be_undone(self):
        browser = self.browser
        server = self.script(letter(1))
        browser.open(server, "dead", chain="orders", stored="k3f9m2q8w1x7c5z4-0001")
        browser.press("discard", "aside")
        browser.wait_text("This cannot be undone", "dialog")
        self.assertEqual(self.asked(server, "discard"), [])
        browser.press("confirm", "dialog")
        browser.wait_text("1 dead letter thrown away", "#said")
        browser.wait_text("There is no dead letter in orders", "main")
        self.assertEqual(self.asked(server, "discard"), [{"stored": "k3f9m2q8w1x7c5z4-0001"}])

    def test_several_are_chosen_and_others_may_be_faster(self):
        browser = self.browser
        server = self.script(*[letter(number, topic=f"order.{'paid' if number % 2 else 'sent'}") for number in range(120)])
        browser.open(server, "dead", chain="orders")
        browser.wait_text("120 dead letters in orders", ".explained")
        self.assertFalse(browser.button("resend 0").is_enabled())
        browser.wait_text("choose some first", ".actions")
        browser.all(".row input")[0].click()
        browser.press("resend 1")
        browser.wait_text("k3f9m2q8w1x7c5z4-0000", "dialog h2")
        browser.press("back", "dialog")
        browser.write("filter", "order.paid")
        browser.wait(lambda: set(self.names()) == {"order.paid"}, "the filtered rows")
        browser.all(".tick input")[0].click()
        browser.press("discard 60")
        browser.wait_text("Throw 60 dead letters of orders away", "dialog")
        server.letters.pop("k3f9m2q8w1x7c5z4-0001")
        browser.press("confirm", "dialog")
        browser.wait_text("59 dead letters thrown away; 1 had ended by then", "#said")
        browser.write("filter", "")
        browser.wait_text("60 dead letters in orders", ".explained")
        self.assertEqual({each["topic"] for each in server.letters.values()}, {"order.sent"})

    def test_what_is_refused_stays_chosen(self):
        browser = self.browser
        server = self.script(letter(1), letter(2))
        server.op_resend = lambda line: {"op": "error", "code": "store_full", "message": "the store has no room"}
        browser.open(server, "dead", chain="orders")
        browser.row("order.paid")
        browser.all(".tick input")[0].click()
        browser.press("resend 2")
        browser.press("confirm", "dialog")
        browser.wait_text("the store has no room", "dialog")
        del server.op_resend
        browser.press("confirm", "dialog")
        browser.wait_text("2 dead letters sent again", "#said")

    def test_many_come_in_pages_and_the_oldest_first(self):
        browser = self.browser
        server = self.script(*[letter(number) for number in range(1234)])
        browser.open(server, "dead", chain="orders")
        browser.wait_text("The oldest 1,000 dead letters in orders", ".explained")
        self.assertEqual([line.get("after", "").partition("-")[2] for line in server.said], ["", *[f"{number}99".zfill(4) for number in range(9)]])
        self.assertEqual(browser.run("return document.querySelector('.table').getAttribute('aria-rowcount')"), "1001")

    def test_new_ones_come_by_themselves(self):
        browser = self.browser
        server = self.script(letter(1))
        browser.open(server, "dead", chain="orders")
        browser.wait_text("1 dead letter in orders", ".explained")
        server.letters["k3f9m2q8w1x7c5z4-0002"] = letter(2, topic="order.new")
        browser.row("order.new")

    def test_as_many_others_are_seen_half_a_minute_later(self):
        browser = self.browser
        server = self.script(letter(1))
        browser.open(server, "dead", chain="orders")
        browser.wait_text("1 dead letter in orders", ".explained")
        server.letters["k3f9m2q8w1x7c5z4-0002"] = letter(2, topic="order.new")
        del server.letters["k3f9m2q8w1x7c5z4-0001"]
        browser.run("const before = Date.now; Date.now = () => before() + 30_000")
        browser.row("order.new")

    def test_where_nothing_is_named_the_first_chain_with_some_is_shown(self):
        self.browser.open(self.script(letter(1)), "dead")
        self.browser.wait_text("1 dead letter in orders", ".explained")

    def test_a_server_without_a_store_says_so(self):
        self.browser.open(self.script(store=False), "dead", chain="orders")
        self.browser.wait_text("This server has no store", "main")
        self.assertIn("baton serve --store", self.browser.text("main"))

    def test_who_may_only_see_them_reads_which_right_is_missing(self):
        browser = self.browser
        browser.open(self.script(letter(1), may=["see orders"]), "dead", chain="orders", stored="k3f9m2q8w1x7c5z4-0001")
        browser.wait_text("Its payload is not told to you: it needs “manage orders”", "aside")
        for within in ("aside", "main"):
            for name in ("resend", "discard"):
                button = next(each for each in browser.all(f"{within} .actions button") if each.text.startswith(name))
                self.assertFalse(button.is_enabled())
        browser.wait_text("needs “manage orders”", "main .actions")

    def test_who_may_not_see_the_chain_reads_which_right_is_missing(self):
        self.browser.open(self.script(letter(1), may=["see desk"]), "dead", chain="orders")
        self.browser.wait_text("needs “see orders”", "main")

    def test_try_tells_that_it_is_accepted_and_what_became_of_it(self):
        browser = self.browser
        server = self.script()
        accept = server.op_send
        server.op_send = lambda line: accept(line)[:1]
        browser.open(server, "try", topic="order.paid", chain="orders", durable="1", payload="7")
        browser.wait_live()
        line, command = [each.text for each in browser.all(".same pre")]
        self.assertIn('"durable":true', line)
        self.assertIn("baton send --chain=orders --durable --trace order.paid 7", command)
        browser.press("send")
        browser.wait_text("accepted and stored as abc-1", "main")
        server.op_send = accept
        browser.press("send")
        browser.wait_text("It is a dead letter", "main")
        self.assertIn("orders/bill failed: no ink", browser.text("main"))
        self.assertIn("attempt 3", browser.text("main"))
        self.assertEqual([each["durable"] for each in self.asked(server, "send")], [True, True])
        browser.link("look at it").click()
        browser.wait_text("abc-1", "aside h2")

    def test_messages_under_way_tell_their_name_in_the_store(self):
        under_way = {"walk": 5, "topic": "order.paid", "chain": "orders", "handler": "bill", "state": "offered", "age_ms": 1000, "from": "shop",
                     "stored": "abc-9", "try": 4}
        self.browser.open(self.script(messages=[under_way]))
        self.browser.wait_text("stored abc-9, attempt 4", "main")


class PlantedLettersTests(DeadTest, Clean):
    def test_what_peers_choose_is_shown_and_never_acts(self):
        browser = self.browser
        planted = letter(1, topic=TOPIC, key=MARKUP + "\u202e", payload={PLANT: PLANT}, meta={PLANT: PLANT},
                         result={"status": "rejected", "by": "bill", "message": PLANT, "code": PLANT, "hops": 1, "walk": 1, "failures": [
                             {"by": "h", "chain": "orders", "cause": "failed", "message": PLANT}]})
        browser.open(self.script(planted), "dead", chain="orders", stored="k3f9m2q8w1x7c5z4-0001")
        browser.row(TOPIC_SHOWN)
        browser.wait_text(SHOWN[:120], "aside")
        browser.wait(lambda: browser.all("aside pre"), "the payload")
        self.clean()
        browser.press("resend", "aside")
        browser.wait_text("Good", "dialog")
        self.assertNotRegex(browser.field("payload", "dialog").get_attribute("value"), "[\u202a-\u202e\u2066-\u2069\u200b-\u200f]")
        self.clean()


class PeopleTests(DeadTest):
    def open(self):
        browser = self.browser
        letters = [letter(number, topic="order.paid.that.has.more.words.than.fit", key="a-long-key-of-a-shop-in-the-north") for number in range(30)]
        browser.open(self.script(*letters), "dead", chain="orders", stored="k3f9m2q8w1x7c5z4-0001")
        browser.wait_text('{"order": 1}', "aside")

    def test_axe_finds_nothing(self):
        browser = self.browser
        for scheme in ("light", "dark"):
            browser.media(scheme)
            self.open()
            self.assertEqual(browser.axe(), [], scheme)
            browser.press("resend", "aside")
            browser.wait_text("Good", "dialog")
            self.assertEqual(browser.axe(), [], scheme)

    def test_a_screen_of_360_pixels_has_all_of_it(self):
        browser = self.browser
        browser.size(360, 740)
        self.open()
        browser.press("discard", "aside")
        browser.wait_text("cannot be undone", "dialog")
        self.assertEqual(browser.outside(360), [])
        browser.press("back", "dialog")
        browser.press("back", "aside")
        browser.row("order.paid.that.has.more.words.than.fit")
        self.assertEqual(browser.outside(360), [])

    def test_the_keyboard_is_enough(self):
        browser = self.browser
        server = self.script(letter(1), letter(2, topic="order.sent"))
        browser.open(server, "dead", chain="orders")
        browser.row("order.paid").send_keys(Keys.ARROW_DOWN)
        browser.driver.switch_to.active_element.send_keys(Keys.TAB)
        browser.driver.switch_to.active_element.send_keys(Keys.SPACE)
        button = browser.button("discard 1")
        button.send_keys(Keys.ENTER)
        browser.button("confirm", "dialog").send_keys(Keys.ENTER)
        browser.wait_text("1 dead letter thrown away", "#said")
        self.assertEqual(self.asked(server, "discard"), [{"stored": "k3f9m2q8w1x7c5z4-0002"}])

    def test_controls_have_their_names(self):
        self.open()
        found = self.browser.controls()
        for control in (("table", "dead letters"), ("textbox", "chain"), ("searchbox", "filter"), ("checkbox", "choose all"), ("button", "resend"),
                        ("button", "discard"), ("checkbox", "choose k3f9m2q8w1x7c5z4-0001")):
            self.assertIn(control, found)


if __name__ == "__main__":
    unittest.main()
