"""The link `spam`: scores posts. Low scores pass, high ones are refused, and between them a person is asked."""

import re

import baton

ASKED, REFUSED = 3, 6
client = baton.Client(name="spam")


def score(text):
    words = text.split()
    return (
        2 * len(re.findall(r"https?://", text))
        + 2 * (len(words) > 2 and text.isupper())
        + sum(word.strip(".,!?").casefold() in {"buy", "free", "win", "casino"} for word in words)
        + text.count("!!")
    )


@client.handler("chat.>", chain="moderation", name="spam")
async def spam(message):
    post = message.payload
    points = score(post["text"])
    if points >= REFUSED:
        return baton.reject("this looks like spam")
    if points < ASKED:
        return baton.continue_()
    # A little less than this post has itself. If it is cancelled, so is this task, and the person is asked no more.
    left = max(1, message.timeout - 2)
    asked = await client.send(message.topic, {**post, "score": points}, chain="review", timeout=left)
    if asked.status == "rejected":
        return baton.reject(asked.message or "not now")
    if asked.status == "unhandled" and asked.hops:
        # The person let it pass, and has perhaps changed it.
        changed = asked.payload if isinstance(asked.payload, dict) else post
        text = changed.get("text", post["text"])
        return baton.continue_() if text == post["text"] else baton.continue_(rewriting={**post, "text": str(text)})
    return baton.reject("a person has to look at this, and nobody did")


client.run()
