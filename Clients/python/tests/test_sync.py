"""The client for programs without asyncio, handlers without a server, and the files that are installed."""

import importlib.util
import pathlib
import tarfile
import tempfile
import threading
import unittest
import zipfile
from unittest import mock

from support import FOLDER
import baton
import baton.sync
import baton.testing
from mini import Mini


class SyncTests(unittest.TestCase):
    def setUp(self):
        self.server = Mini()
        self.addCleanup(self.server.close)

    def test_calls(self):
        with baton.sync.Client(self.server.place, name="x") as client:
            link = client.add(lambda message: baton.handled([message.payload]), "door.*", name="h", at="front")
            self.assertEqual(client.send("door.open", 1).value(), [1])
            link.update("gate.*")
            self.assertEqual(client.send("door.open", 1).status, "unhandled")
            self.assertEqual([one.handler for one in client.links], ["h"])
            link.move(at="front")
            link.remove()
            self.assertTrue(link.is_gone)
            self.assertEqual(client.links, [])
        with self.assertRaises(baton.Closed):
            client.send("t")
        client.close()
        # It may be connected again.
        with client:
            self.assertEqual(client.send("t").status, "unhandled")

    def test_durable_messages(self):
        with baton.sync.Client(self.server.place) as client:
            client.add(lambda message: baton.handled(message.payload), name="h")
            accepted = client.send_durable("t", 1, once="mine")
            self.assertEqual((accepted.stored, accepted.once, accepted.known), ("k3f9m2q8w1x7c5z4-1", "mine", False))
            self.assertEqual(accepted.result().value(), 1)
            self.assertEqual(client.send("t", 2, durable=True, tries=3, retry=0.5).value(), 2)
            self.assertEqual(client.stored(accepted.stored).state, "waiting")
            for wrong in ((), (7,)):
                with self.assertRaises(baton.BadValue):
                    client.stored(*wrong)
            for both in ({"once": 7}, {"name": "s-1", "once": "mine"}):
                with self.assertRaises(baton.BadValue):
                    client.stored(**both)
            (letter,) = client.dead("orders")
            self.assertEqual((letter.age, letter.result.status), (60.0, "unhandled"))
            self.assertEqual(client.dead_letter(letter.stored).payload, {"order": 17})
            self.assertEqual(client.resend(letter.stored, {"order": 18}), letter.stored)
            client.discard(letter.stored)

    def test_many_threads_call_at_once(self):
        with baton.sync.Client(self.server.place) as client:
            client.add(lambda message: baton.handled(message.payload), name="h")
            answers = []
            threads = [
                threading.Thread(target=lambda n=n: answers.append(client.send("t", n).value())) for n in range(20)
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(sorted(answers), list(range(20)))

    def test_events_end_with_the_client(self):
        client = baton.sync.Client(self.server.place).connect()
        events = client.subscribe("a.>")
        client.broadcast("a.b", 1)
        self.assertEqual(next(events).payload, 1)
        ending = threading.Timer(0, client.drain)
        ending.start()
        with self.assertRaises(StopIteration):
            next(events)
        ending.join()

    def test_a_plan(self):
        client = baton.sync.Client(self.server.place)

        @client.handler("door.*", name="h")
        def porter(message):
            return baton.handled(message.client.send("name", message.payload).status)

        with client:
            self.assertEqual(client.send("door.open").value(), "unhandled")
            with self.assertRaises(RuntimeError):
                client.handler("x")

    def test_an_error_is_told(self):
        with self.assertRaises(baton.Unreachable):
            baton.sync.Client("127.0.0.1:1").connect()
        with baton.sync.Client(self.server.place) as client, self.assertRaises(baton.Refused):
            client.send("a b")

    def test_calls_of_a_message_do_not_block_the_loop(self):
        async def handler(message):
            message.client.send("t")

        with baton.sync.Client(self.server.place) as client, self.assertLogs("baton", "ERROR"):
            client.add(handler, name="h")
            self.assertIn("would block the loop", client.send("t").message)


class OfferTests(unittest.IsolatedAsyncioTestCase):
    async def test_verdicts(self):
        async def handler(message):
            if message.topic == "who":
                return baton.handled([message.sender, message.key, message.meta, message.chain, message.again])
            if message.topic == "none":
                return None
            return baton.continue_(message.payload)

        offer = baton.testing.offer
        self.assertEqual(await offer(handler, "t", (1, 2)), baton.continue_([1, 2]))
        said = await offer(handler, "who", key="k", meta=1, sender="ann", chain="c", again=True)
        self.assertEqual(said, baton.handled(["ann", "k", 1, "c", True]))
        with self.assertLogs("baton", "ERROR"):
            self.assertEqual((await offer(handler, "none")).op, "failed")

    async def test_a_durable_message(self):
        async def handler(message):
            return baton.handled([message.stored, message.try_, message.resent, message.again])

        offer = baton.testing.offer
        self.assertEqual(await offer(handler, "t"), baton.handled([None, None, None, False]))
        self.assertEqual(await offer(handler, "t", stored="s-1"), baton.handled(["s-1", 1, None, False]))
        said = await offer(handler, "t", stored="s-2", try_=3, resent="s-1", again=True)
        self.assertEqual(said, baton.handled(["s-2", 3, "s-1", True]))

    async def test_what_goes_wrong(self):
        def handler(message):
            if message.topic == "nan":
                return baton.handled(float("nan"))
            if message.topic == "client":
                message.client.send("x")
            raise ValueError("no such door\nmore")

        self.assertEqual((await baton.testing.offer(handler, "nan")).op, "failed")
        with self.assertLogs("baton", "ERROR"):
            self.assertEqual(await baton.testing.offer(handler, "t"), baton.failed("no such door"))
            self.assertIn("tested without one", (await baton.testing.offer(handler, "client")).message)

    async def test_a_handler_may_ask_for_more_time(self):
        asked = []

        def handler(message):
            message.working()
            return baton.handled()

        await baton.testing.offer(handler, "t", working=asked.append)
        self.assertEqual(len(asked), 1)


class PackagingTests(unittest.TestCase):
    def setUp(self):
        spec = importlib.util.spec_from_file_location("backend", FOLDER / "packaging/backend.py")
        self.backend = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.backend)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_the_wheel(self):
        name = self.backend.build_wheel(self.folder)
        self.assertEqual(name, f"baton_client-{baton.__version__}-py3-none-any.whl")
        with zipfile.ZipFile(self.folder / name) as wheel:
            names = set(wheel.namelist())
            info = f"baton_client-{baton.__version__}.dist-info"
            self.assertLessEqual({f"baton/{path.name}" for path in (FOLDER / "baton").glob("*.py")}, names)
            self.assertLessEqual({"baton/py.typed", f"{info}/LICENSE", f"{info}/RECORD"}, names)
            told = wheel.read(f"{info}/METADATA").decode()
            recorded = {line.split(",")[0] for line in wheel.read(f"{info}/RECORD").decode().split()}
        self.assertIn(f"\nVersion: {baton.__version__}\n", told)
        self.assertEqual(recorded, names)
        first = (self.folder / name).read_bytes()
        self.backend.build_wheel(self.folder)
        self.assertEqual((self.folder / name).read_bytes(), first)
        self.assertIn(name, (FOLDER / "README.md").read_text(encoding="utf-8"))

    def test_the_archive_builds_the_same_wheel(self):
        archive = self.backend.build_sdist(self.folder)
        with tarfile.open(self.folder / archive) as packed:
            packed.extractall(self.folder)
        inner = self.folder / archive[: -len(".tar.gz")]
        self.assertTrue((inner / "LICENSE").exists())
        wheel = self.backend.build_wheel(self.folder)
        with mock.patch.object(self.backend, "HERE", inner):
            again = self.folder / "again"
            again.mkdir()
            self.backend.build_wheel(again)
        self.assertEqual((again / wheel).read_bytes(), (self.folder / wheel).read_bytes())

    def test_the_licence_is_that_of_the_clone(self):
        licence = FOLDER.parent.parent / "LICENSE"
        if licence.exists():
            self.assertEqual((FOLDER / "LICENSE").read_bytes(), licence.read_bytes())


if __name__ == "__main__":
    unittest.main()
