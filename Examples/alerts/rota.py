"""The link `rota`: calls those who are on duty today, one after the other, until one answers. rota.py FILE [SECONDS]"""

import sys
import time

import baton

ROTA = sys.argv[1]
#: How long one person may take, in seconds.
EACH = float(sys.argv[2]) if len(sys.argv) > 2 else 300
DAYS = "Mon Tue Wed Thu Fri Sat Sun".split()
client = baton.Client(name="rota")


def on_duty():
    today = DAYS[time.localtime().tm_wday]
    with open(ROTA) as file:
        for line in file:
            day, *people = line.split() or [""]
            if day == today:
                return people
    return []


@client.handler("alert.>", chain="alerts", name="rota")
async def rota(message):
    alert = {"topic": message.topic, "alert": message.payload}
    people = on_duty()
    for person in people:
        answer = await client.send(f"page.{person}", alert, chain="people", timeout=EACH)
        if answer.status == "handled":
            return baton.handled(f"{person}: {answer.payload}")
    # The sender gets `unhandled`, and knows that it has to shout.
    return baton.continue_()


client.run()
