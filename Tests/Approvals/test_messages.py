"""What people ask the desk, who may, and what becomes of a question (Docs/approvals.md)."""

import json
import subprocess
import threading
import unittest

from asking import LONG, PROGRAM, VARIABLES, World, fetch, tell


class MessageTests(unittest.TestCase):
    def test_what_is_approved_goes_on_with_the_bytes_that_were_asked_about(self):
        world = World(self)
        desk = world.desk()
        text = '{"b":1e2,"a":"\\u0061\\u202e","b":0.10}'
        world.agent.socket.sendall(f'{{"op":"send","id":"raw","topic":"tool.agent.Bash","chain":"tools","timeout_ms":60000,"meta":{{"cwd":"/"}},"payload":{text}}}\n'.encode())
        asked = desk.asked()
        ann = world.peer("ann")
        listed = tell(ann, "list")["payload"]
        [waiting] = listed["waiting"]
        self.assertEqual({name: waiting[name] for name in ("id", "topic", "from")},
                         {"id": asked["id"], "topic": "tool.agent.Bash", "from": "agent"})
        self.assertLessEqual(58_000, waiting["ends_ms"])
        self.assertLessEqual(waiting["ends_ms"], 59_000)
        self.assertNotIn("payload", waiting)
        shown = tell(ann, "show", {"id": asked["id"]})["payload"]
        self.assertEqual((shown["payload"], shown["meta"]), (text, '{"cwd":"/"}'))
        self.assertNotIn("next", shown)
        self.assertEqual(tell(ann, "decide", {"id": asked["id"], "verdict": "approve"})["payload"], {"ended": "approved"})
        line = world.agent.line()
        self.assertEqual((line["status"], line["by"]), ("handled", "permit"))
        self.assertIn(f'"payload":{text}', world.passed[0])
        [ended] = tell(ann, "list")["payload"]["ended"]
        self.assertEqual((ended["how"], ended["who"]), ("approved", "ann"))
        self.assertEqual(tell(ann, "show", {"id": asked["id"]})["payload"]["how"], "approved")

    def test_a_refusal_tells_who_and_why(self):
        world = World(self)
        desk = world.desk()
        number = world.ask()
        asked, ann = desk.asked(), world.peer("ann")
        for reason in ({}, {"reason": "  "}):
            answer = tell(ann, "decide", {"id": asked["id"], "verdict": "refuse", **reason})
            self.assertEqual((answer["status"], answer["code"]), ("rejected", "bad_request"))
        tell(ann, "decide", {"id": asked["id"], "verdict": "refuse", "reason": "not on a Friday"})
        result = world.result(number)
        self.assertEqual((result["status"], result["by"], result["message"]), ("rejected", "human", "not on a Friday (ann)"))
        self.assertEqual(world.passed, [])
        self.assertEqual(desk.wait("ended"), {"op": "ended", "id": asked["id"], "how": "refused", "who": "ann"})

    def test_of_many_who_decide_at_once_the_first_counts(self):
        world = World(self)
        desk = world.desk()
        number = world.ask()
        asked = desk.asked()
        peers = [world.peer(name) for name in ("ann", "bob") * 8]
        answers, start = [], threading.Barrier(len(peers))

        def decide(place, peer):
            start.wait()
            verdict = {"verdict": "approve"} if place % 2 else {"verdict": "refuse", "reason": f"number {place}"}
            answers.append((place, tell(peer, "decide", {"id": asked["id"], **verdict})))

        threads = [threading.Thread(target=decide, args=each) for each in enumerate(peers)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        [(winner, _)] = [each for each in answers if each[1]["status"] == "handled"]
        self.assertEqual(world.result(number)["status"], "handled" if winner % 2 else "rejected")
        self.assertEqual(len(world.passed), winner % 2)
        late = [each for place, each in answers if place != winner]
        self.assertEqual({each["code"] for each in late}, {"ended"})
        who = "bob" if winner % 2 else "ann"
        how = "approved" if winner % 2 else "refused"
        for each in late:
            self.assertRegex(each["message"], f"^this question has ended: {how} by {who}, .*s ago$")

    def test_without_a_link_only_identities_are_answered(self):
        world = World(self)
        desk = world.desk()
        world.ask()
        asked = desk.asked()
        stranger = world.peer()
        for topic in ("list", "show", "decide"):
            with self.assertRaisesRegex(AssertionError, "not_allowed"):
                tell(stranger, topic, {"id": asked["id"], "verdict": "approve"})
        eve = world.peer("eve")
        with self.assertRaisesRegex(AssertionError, "not_allowed"):
            tell(eve, "link.decide", {"id": asked["id"], "secret": asked["secret"], "verdict": "approve"})
        self.assertEqual(len(tell(world.peer("ann"), "list")["payload"]["waiting"]), 1)

    def test_the_desk_itself_tells_identities_from_names(self):
        # Rights that are too wide let nobody decide who is not known.
        world = World(self, settings="")
        text = (world.folder / "baton.yaml").read_text().replace('["send to approvals on approvals.link.>"]', '["send to approvals"]')
        (world.folder / "baton.yaml").write_text(text)
        world.server.process.send_signal(1)
        desk = world.desk()
        number = world.ask()
        asked = desk.asked()
        for name in (None, "ann", "anonymous", "a.b"):
            stranger = world.peer()
            if name:
                stranger.ask(op="hello", name=name)
            self.until_allowed(stranger)
            for topic in ("list", "show", "decide"):
                answer = tell(stranger, topic, {"id": asked["id"], "verdict": "approve"})
                self.assertEqual((answer["status"], answer["code"]), ("rejected", "not_an_identity"), name)
        tell(world.peer("ann"), "decide", {"id": asked["id"], "verdict": "approve"})
        self.assertEqual(world.result(number)["status"], "handled")

    def until_allowed(self, peer):
        """The file is read anew in a turn of its own."""
        for _ in range(200):
            try:
                return tell(peer, "list")
            except AssertionError as refused:
                self.assertIn("not_allowed", str(refused))
        self.fail("the new right does not come")

    def test_where_nobody_is_asked_who_is_there_only_links_decide(self):
        world = World(self, asks=False)
        desk = world.desk()
        number = world.ask()
        asked = desk.asked()
        somebody = world.peer("ann")
        for topic in ("list", "show", "decide"):
            answer = tell(somebody, topic, {"id": asked["id"], "verdict": "approve"})
            self.assertEqual((answer["status"], answer["code"]), ("rejected", "not_an_identity"))
            self.assertIn("write peers", answer["message"])
        answer = tell(somebody, "link.decide", {"id": asked["id"], "secret": asked["secret"], "verdict": "approve"})
        self.assertEqual(answer["status"], "handled")
        self.assertEqual(world.result(number)["status"], "handled")
        self.assertEqual(desk.wait("ended")["who"], "a link")

    def test_requests_of_another_form_are_refused(self):
        world = World(self)
        desk = world.desk()
        world.ask()
        asked, ann = desk.asked(), world.peer("ann")
        for topic, payload in (("show", None), ("show", {"id": 7}), ("show", [1]), ("decide", {"id": asked["id"]}),
                               ("decide", {"id": asked["id"], "verdict": "yes"}), ("link.show", {"id": asked["id"]}),
                               ("link.list", {"secret": "x"}), ("link.link.show", {"id": asked["id"], "secret": asked["secret"]}),
                               ("other", {"id": asked["id"]}), ("show", {"id": asked["id"], "at": 1 << 40}),
                               ("decide", {"id": asked["id"], "verdict": "approve", "resaon": "no"}),
                               ("show", {"id": asked["id"], "at": 0.5}), ("show", {"id": asked["id"], "at": "0"})):
            answer = tell(ann, topic, payload)
            self.assertEqual((answer["status"], answer["code"]), ("rejected", "bad_request"), (topic, payload))
        self.assertEqual(tell(ann, "show", {"id": "1"})["code"], "no_such_question")
        self.assertEqual(len(tell(ann, "list")["payload"]["waiting"]), 1)

    def test_who_looks_is_told_of_each_change(self):
        world = World(self)
        desk = world.desk()
        ann = world.peer("ann")
        ann.ask(op="subscribe", topics=["approvals.changed"])
        world.ask()
        event = ann.line()
        self.assertEqual((event["op"], event["topic"], event["from"]), ("event", "approvals.changed", "desk.desk"))
        self.assertNotIn("payload", event)
        asked, bob = desk.asked(), world.peer("bob")
        tell(bob, "decide", {"id": asked["id"], "verdict": "approve"})
        self.assertEqual(ann.line()["topic"], "approvals.changed")

    def test_a_desk_that_may_not_broadcast_says_so_once_and_goes_on(self):
        world = World(self)
        text = (world.folder / "baton.yaml").read_text().replace(', "broadcast approvals.changed"', "")
        (world.folder / "baton.yaml").write_text(text)
        world.server.process.send_signal(1)
        watcher = world.peer("agent")
        desk = world.desk()
        numbers = [world.ask() for _ in range(20)]
        asked = [desk.asked() for _ in numbers]
        self.assertIn("broadcast approvals.changed", desk.wait_complaint("not told of changes"))
        ann = world.peer("ann")
        tell(ann, "decide", {"id": asked[0]["id"], "verdict": "approve"})
        self.assertEqual(world.result(numbers[0])["status"], "handled")
        self.assertTrue(desk.complaints.empty())
        watcher.close()


class EndTests(unittest.TestCase):
    def test_nobody_decides_in_time(self):
        # Who may not see the chain gets the message "the handler failed".
        world = World(self, asks=False)
        desk = world.desk()
        number = world.ask(timeout_ms=1500)
        asked = desk.asked()
        result = world.result(number)
        self.assertEqual((result["status"], result["by"], result["cause"], result["message"]), ("failed", "human", "failed", "nobody answered"))
        self.assertEqual(desk.wait("ended")["how"], "lapsed")
        answer = tell(world.peer(), "link.decide", {"id": asked["id"], "secret": asked["secret"], "verdict": "approve"})
        self.assertEqual((answer["status"], answer["code"]), ("rejected", "ended"))
        self.assertIn("lapsed", answer["message"])
        self.assertEqual(world.passed, [])

    def test_the_sender_gives_it_up(self):
        world = World(self)
        desk = world.desk()
        number = world.ask()
        asked = desk.asked()
        world.agent.say(op="cancel", request=number)
        self.assertEqual(desk.wait("ended")["how"], "gone")
        answer = tell(world.peer("ann"), "decide", {"id": asked["id"], "verdict": "approve"})
        self.assertEqual(answer["code"], "ended")

    def test_a_desk_that_is_killed_refuses_what_waits_and_nothing_passes(self):
        world = World(self)
        desk = world.desk()
        number = world.ask()
        asked = desk.asked()
        desk.process.kill()
        result = world.result(number)
        self.assertEqual((result["status"], result["by"], result["cause"]), ("failed", "human", "disconnect"))
        number = world.ask(timeout_ms=200)
        self.assertIn(world.result(number)["status"], ("failed", "timeout"))
        self.assertEqual(world.passed, [])
        world.desk()
        answer = tell(world.peer("ann"), "decide", {"id": asked["id"], "verdict": "approve"})
        self.assertEqual(answer["code"], "no_such_question")

    def test_with_hold_ms_a_new_desk_asks_again_under_a_new_id(self):
        world = World(self, hold=", hold_ms: 60000")
        desk = world.desk()
        number = world.ask()
        old = desk.asked()
        desk.process.kill()
        desk.process.wait()
        desk = world.desk()
        new = desk.asked()
        self.assertNotEqual(old["id"], new["id"])
        ann = world.peer("ann")
        link = tell(ann, "link.decide", {"id": old["id"], "secret": old["secret"], "verdict": "approve"})
        self.assertEqual(link["code"], "no_such_question")
        self.assertTrue(tell(ann, "list")["payload"]["waiting"][0]["again"])
        tell(ann, "decide", {"id": new["id"], "verdict": "approve"})
        self.assertEqual(world.result(number)["status"], "handled")

    def test_without_a_desk_an_undeclared_chain_has_a_guard_left(self):
        world = World(self, asks=False)
        text = (world.folder / "baton.yaml").read_text()
        (world.folder / "baton.yaml").write_text(text[:text.index("chains:")])
        world.server.process.send_signal(1)
        desk = world.desk("--chain", "other")
        world.serve_permit(chain="other", at="back")
        desk.process.kill()
        desk.process.wait()
        sender = world.peer("x")
        result = sender.ask(op="send", topic="a", chain="other", timeout_ms=200)
        self.assertIn(result["status"], ("failed", "timeout"))
        self.assertEqual(world.passed, [])

    def test_a_weaker_link_in_the_file_is_not_served(self):
        world = World(self)
        text = (world.folder / "baton.yaml").read_text().replace("human, required: true, on_failure: stop", "human")
        (world.folder / "baton.yaml").write_text(text)
        world.server.process.send_signal(1)
        ran = subprocess.run([PROGRAM, "approvals", "--server", f"127.0.0.1:{world.server.ports[0]}", "--token-file", str(world.folder / "desk.token")],
                             capture_output=True, text=True, env=VARIABLES, timeout=LONG)
        self.assertEqual(ran.returncode, 1)
        self.assertIn("tools/human would be no guard: the configuration file decides on_failure, required", ran.stderr)


class DoorTests(unittest.TestCase):
    def test_get_shows_nothing_and_decides_nothing(self):
        world = World(self)
        desk = world.desk()
        world.ask()
        asked = desk.asked()
        base = world.server.url.rstrip("/")
        for method in ("GET", "HEAD"):
            self.assertEqual(fetch(f"{base}/ask", method)[0], 200)
            status, _ = fetch(f"{base}/send/approvals.link.decide?chain=approvals", method)
            self.assertEqual(status, 405)
        _, page = fetch(f"{base}/ask")
        for words in (asked["id"], asked["secret"], "tool.agent.Bash", "rm -rf"):
            self.assertNotIn(words, page)
        self.assertEqual(fetch(f"{base}/ask?{asked['id']}.{asked['secret']}")[0], 400)
        self.assertEqual(len(tell(world.peer("ann"), "list")["payload"]["waiting"]), 1)

    def test_pages_of_others_may_lead_to_the_page_and_post_nothing(self):
        world = World(self)
        desk = world.desk()
        world.ask()
        asked = desk.asked()
        base = world.server.url.rstrip("/")
        strange = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
        self.assertEqual(fetch(f"{base}/ask", headers=strange)[0], 200)
        self.assertEqual(fetch(f"{base}/ask", headers={**strange, "Sec-Fetch-Mode": "cors"})[0], 403)
        body = json.dumps({"id": asked["id"], "secret": asked["secret"], "verdict": "approve"}).encode()
        for headers in ({"Origin": "https://evil.example"}, {"Origin": "null"}, strange, {"Host": "evil.example"}):
            status, _ = fetch(f"{base}/send/approvals.link.decide?chain=approvals", "POST", body,
                              {"Content-Type": "application/json", **headers})
            self.assertIn(status, (403, 421), headers)
        self.assertEqual(len(tell(world.peer("ann"), "list")["payload"]["waiting"]), 1)


if __name__ == "__main__":
    unittest.main()
