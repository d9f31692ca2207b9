"""The pages of the examples: what they show is what comes, and what the files promise holds."""

from __future__ import annotations

import pathlib
import re
import shlex
import subprocess
import unittest

from scene import BATON, EXAMPLES, scene

#: The lines that the command of each example prints before it reads.
GREETINGS = {"agents": 2, "moderation": 4, "alerts": 2, "plugins": 1, "devices": 2, "orders": 2}
#: The stores that stay when their example has ended.
KEEPS = {"alerts": "alerts.db", "orders": "orders.db"}


class PagesTests(unittest.IsolatedAsyncioTestCase):
    async def test_dialogues(self):
        for example, greetings in GREETINGS.items():
            with self.subTest(example=example):
                page = (EXAMPLES / example / "README.md").read_text()
                command, *lines = re.search(r"```sh\n(.*?)```", page, re.DOTALL)[1].splitlines()
                lines = [line[2:] for line in lines if not line.startswith("# You are ")]
                program, *arguments = shlex.split(command)
                self.assertEqual(program, f"Examples/{example}/run")
                async with scene(example, keeps=KEEPS.get(example)) as it:
                    run = await it.run(*arguments)
                    for _ in range(greetings):
                        await run.reads()
                    # What is typed, and what comes, in turn.
                    for typed, answer in zip(lines[::2], lines[1::2]):
                        typed = typed.removeprefix("agent> ").replace("/tmp", str(it.folder.parent))
                        if typed.startswith("/"):
                            pathlib.Path(typed).write_text("…")
                        run.types(typed)
                        self.assertEqual(await run.reads(), answer.replace("/tmp", str(it.folder.parent)))
                    self.assertEqual(await run.ends(), 0)

    async def test_second_run_says_that_there_is_one(self):
        async with scene("devices") as it:
            first = await it.run()
            await first.reads()
            second = await it.start(it.example / "run", stderr=subprocess.STDOUT)
            said = await second.reads()
            self.assertIn("it runs already", said)
            self.assertEqual(await second.ends(), 1)
            self.assertEqual(await first.ends(), 0)

    async def test_killed_run_leaves_what_the_next_takes_away(self):
        async with scene("devices") as it:
            first = await it.run()
            await first.reads()
            first.process.kill()
            await first.process.wait()
            # What it had started goes on, as nobody could tell it. Its server has to go, then the folder is free.
            for name in ("server", "lamp-kitchen", "lamp-hall", "screen-kitchen", "screen-hall"):
                it.kill(name)
            second = await it.run()
            self.assertIn(str(it.folder), await second.reads())
            self.assertEqual(await second.ends(), 0)

    async def test_foreign_folder_is_not_taken_away(self):
        async with scene("devices") as it:
            it.folder.mkdir()
            (it.folder / "mine").write_text("…")
            run = await it.start(it.example / "run", stderr=subprocess.STDOUT)
            self.assertIn("is not of this example", await run.reads())
            self.assertEqual(await run.ends(), 1)
            (it.folder / "mine").unlink()
            it.folder.rmdir()

    def test_expectations(self):
        files = sorted(EXAMPLES.glob("*/expect.yaml"))
        self.assertEqual([file.parent.name for file in files], ["agents", "alerts", "moderation", "orders"])
        done = subprocess.run([BATON, "expect", *files], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_pages_are_short(self):
        for page in sorted(EXAMPLES.glob("*/README.md")):
            lines = page.read_text().splitlines()
            self.assertLessEqual(len(lines), 52, page)
            self.assertLessEqual(max(map(len, lines)), 120, page)


if __name__ == "__main__":
    unittest.main()
