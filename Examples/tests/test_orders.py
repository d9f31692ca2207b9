"""Orders: what was accepted is carried out once, whatever is killed."""

from __future__ import annotations

import os
import signal
import unittest

from scene import BATON, scene

ALL = ("server", "stock", "payment", "parcel")


async def order(run, thing):
    run.types(thing)
    return await run.reads()


class OrdersTests(unittest.IsolatedAsyncioTestCase):
    def lines(self, it, name):
        path = it.folder / name
        return [line.split(" ", 1)[1] for line in path.read_text().splitlines()] if path.exists() else []

    async def start(self, it):
        run = await it.run()
        for _ in range(2):
            await run.reads()
        return run

    async def kill_everything(self, it, run):
        """All processes of the example at once, as a power cut does."""
        pids = [int((it.folder / f"{name}.pid").read_text()) for name in ALL]
        run.process.kill()
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        await run.process.wait()

    async def test_everything_is_killed_in_the_middle(self):
        async with scene("orders", keeps="orders.db") as it:
            run = await self.start(it)
            self.assertEqual(await order(run, "lamp"), '"parcel 1: lamp"')
            # The second order stands at the bank when everything dies.
            (it.folder / "bank-is-closed").touch()
            lamp = ("order.placed", {"thing": "lamp"})
            async with it.client(None) as client, client.subscribe("$baton.link.failed") as failures:
                await client.send_durable(*lamp, chain="orders", once="the second lamp")
                self.assertEqual((await failures.__anext__()).payload["handler"], "payment")
            await self.kill_everything(it, run)
            self.assertEqual(self.lines(it, "taken.txt"), ["lamp", "lamp"])
            self.assertEqual(self.lines(it, "paid.txt"), ["lamp"])

            # Everything comes again, and the bank is open. The order goes on, and no step is done twice. The same name is
            # the same order: it is not taken in again, and its result is told.
            run = await self.start(it)
            async with it.client(None) as client:
                result = await client.send(*lamp, chain="orders", durable=True, once="the second lamp")
                self.assertEqual(result.value(), "parcel 2: lamp")
            self.assertEqual(await order(run, "chair"), '"parcel 3: chair"')
            for name in ("taken.txt", "paid.txt", "parcels.txt"):
                self.assertEqual(self.lines(it, name), ["lamp", "lamp", "chair"])
            self.assertEqual(await run.ends(), 0)

    async def test_it_is_ended_while_an_order_waits(self):
        for end in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(end=end):
                await self.is_ended(end)

    async def is_ended(self, end):
        async with scene("orders", keeps="orders.db") as it:
            run = await self.start(it)
            (it.folder / "bank-is-closed").touch()
            lamp = ("order.placed", {"thing": "lamp"})
            async with it.client(None) as client, client.subscribe("$baton.link.failed") as failures:
                await client.send_durable(*lamp, chain="orders", once="the lamp")
                self.assertEqual((await failures.__anext__()).payload["handler"], "payment")
            run.process.send_signal(end)
            self.assertEqual(await run.process.wait(), 128 + end)
            self.assertEqual(self.lines(it, "taken.txt"), ["lamp"])
            self.assertEqual(self.lines(it, "parcels.txt"), [])

            run = await self.start(it)
            async with it.client(None) as client:
                result = await client.send(*lamp, chain="orders", durable=True, once="the lamp")
                self.assertEqual(result.value(), "parcel 1: lamp")
            for name in ("taken.txt", "paid.txt", "parcels.txt"):
                self.assertEqual(self.lines(it, name), ["lamp"])
            self.assertEqual(await run.ends(), 0)

    async def test_what_others_order_is_a_thing_and_nothing_else(self):
        async with scene("orders", keeps="orders.db") as it:
            run = await self.start(it)
            strange = [{"thing": thing} for thing in ("--help", "-f/etc/passwd", r"\154amp", "lamp\n", "x" * 200_000)]
            async with it.client(None) as client:
                for order in [*strange, ["lamp"], {"x": {"thing": "lamp"}, "thing": "chair"}]:
                    result = await client.send("order.placed", order, chain="orders", durable=True, tries=1)
                    self.assertEqual((result.status, result.by), ("rejected", "stock"), str(order)[:40])
                # Without a name it would be the same order as the one before.
                for thing in ("lamp", "piano"):
                    result = await client.send("order.placed", {"thing": thing}, chain="orders")
                    self.assertEqual((result.status, result.message), ("rejected", "an order is a durable message"))
                result = await client.send("order.placed", {"thing": "lamp"}, chain="orders", durable=True)
                self.assertEqual(result.value(), "parcel 1: lamp")
            self.assertEqual(self.lines(it, "taken.txt"), ["lamp"])
            self.assertEqual(await run.ends(), 0)

    async def test_a_link_is_killed(self):
        async with scene("orders", keeps="orders.db") as it:
            run = await self.start(it)
            it.kill("payment")
            run.types("lamp")
            payment = ("--chain", "orders", "--name", "payment", "--", it.example / "payment")
            await it.start(BATON, "handle", "order.>", *payment)
            self.assertEqual(await run.reads(), '"parcel 1: lamp"')
            self.assertEqual(await order(run, "piano"), "not sent: rejected by stock: there is no piano")
            self.assertEqual(await run.ends(), 0)


if __name__ == "__main__":
    unittest.main()
