"""Masks words in posts, on their way down the chain `posts`: wordlist.py NAME WORD...

No post gets past it unseen: while it is gone its place is kept, and posts wait for it; when that takes too long they
fail. It ends on SIGTERM or Ctrl-C, and finishes what it has begun.
"""

import sys

import baton

if len(sys.argv) < 3:
    sys.exit("usage: wordlist.py NAME WORD...")
name, words = sys.argv[1], sys.argv[2:]
client = baton.Client(name=name)


@client.handler("post.*", name=name, chain="posts", guard=True, at="back", hold=10)
async def mask(message: baton.Message) -> baton.Verdict:
    post = message.payload
    if not isinstance(post, str):
        return baton.reject("a post is a string", code=400)
    masked = post
    for word in words:
        masked = masked.replace(word, "*" * len(word))
    return baton.continue_() if masked == post else baton.continue_(masked)


client.run()
