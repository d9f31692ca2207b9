"""Alerts that come from Alertmanager: its payload, as its documentation has it, to what its file says."""

from __future__ import annotations

import asyncio
import json
import re
import unittest
import urllib.error
import urllib.request

from scene import EXAMPLES, baton, scene

#: https://prometheus.io/docs/alerting/latest/configuration/#webhook_config
PAYLOAD = {
    "version": "4",
    "groupKey": '{}/{alertname="DiskFull"}:{alertname="DiskFull"}',
    "truncatedAlerts": 0,
    "status": "firing",
    "receiver": "disk",
    "groupLabels": {"alertname": "DiskFull"},
    "commonLabels": {"alertname": "DiskFull", "severity": "page"},
    "commonAnnotations": {"summary": "the disk of db1 is full"},
    "externalURL": "http://alertmanager.example:9093",
    "alerts": [
        {
            "status": "firing",
            "labels": {"alertname": "DiskFull", "instance": "db1", "severity": "page"},
            "annotations": {"summary": "the disk of db1 is full"},
            "startsAt": "2026-03-01T02:14:07.123Z",
            "endsAt": "0001-01-01T00:00:00Z",
            "generatorURL": "http://prometheus.example:9090/graph?g0.expr=disk",
            "fingerprint": "c0ffee0123456789",
        }
    ],
}


class AlertmanagerTests(unittest.IsolatedAsyncioTestCase):
    async def test_its_webhooks(self):
        async with scene("alerts", keeps="alerts.db") as it:
            run = await it.run()
            for _ in range(2):
                await run.reads()
            (it.folder / "rota.txt").write_text("".join(f"{day} ann\n" for day in "Mon Tue Wed Thu Fri Sat Sun".split()))
            config = (it.folder / "alertmanager.yml").read_text()
            people, disk = re.findall(r"url: (\S+)", config)
            token = it.folder / re.findall(r"credentials_file: ([\w.]+)", config)[0]
            authorization = f"Bearer {token.read_text().strip()}"

            async def post(url, authorization=authorization):
                return await asyncio.to_thread(self.post, url, authorization)

            (it.folder / "cache/old").write_text("…")
            self.assertEqual(await post(disk), (200, "handled", "the cache was emptied"))
            self.assertFalse((it.folder / "cache/old").exists())
            # Nobody took it: to Alertmanager that is no success. The notifier has told who is on duty.
            self.assertEqual(await post(people), (404, "unhandled", None))
            told = json.loads((it.folder / "ann.inbox").read_text())
            self.assertEqual(told, {"topic": "alert.other", "alert": PAYLOAD})
            async with it.client(None) as ann:
                await ann.add(lambda message: baton.handled("I see"), "page.ann", chain="people", name="ann")
                self.assertEqual(await post(people), (200, "handled", "ann: I see"))

            # HTTP is for the token alone, and the token for alerts alone.
            for wrong in (None, "Bearer baton_wrong"):
                self.assertEqual((await post(disk, wrong))[0], 401)
            self.assertEqual((await post(disk.replace("chain=alerts", "chain=people")))[0], 403)
            self.assertEqual(await run.ends(), 0)

    def post(self, url, authorization):
        """What Alertmanager does."""
        headers = {"Content-Type": "application/json", "User-Agent": "Alertmanager/0.28.0"}
        if authorization:
            headers["Authorization"] = authorization
        request = urllib.request.Request(url, json.dumps(PAYLOAD).encode(), headers)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            answer = opener.open(request, timeout=60)
        except urllib.error.HTTPError as error:
            answer = error
        with answer:
            line = json.load(answer)
        return answer.status, line.get("status"), line.get("payload")

    def test_the_file_is_as_long_in_force_as_alertmanager_waits(self):
        text = (EXAMPLES / "alerts/alertmanager.yml").read_text()
        minutes = int(re.search(r"group_interval: (\d+)m", text)[1])
        for milliseconds in re.findall(r"timeout_ms=(\d+)", text):
            self.assertLess(int(milliseconds), minutes * 60_000)


if __name__ == "__main__":
    unittest.main()
