"""The link `words`: refuses posts with a word of the list, and what is no post. words.py FILE"""

import re
import sys
import unicodedata

import baton

LIST = sys.argv[1]
MOST_NAME, MOST_TEXT = 31, 500
client = baton.Client(name="words")


#: What is drawn as nothing, beside control and format characters: the default ignorable ones, and the empty Braille cell.
BLANK = "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff"


def said(text):
    # Letters that look alike to readers, such as full-width ones, are alike here, too. What nobody sees is left out.
    text = unicodedata.normalize("NFKC", re.sub(f"[{BLANK}]", "", text))
    seen = (letter for letter in text if letter.isspace() or unicodedata.category(letter) not in ("Cc", "Cf"))
    return set(re.findall(r"\w+", "".join(seen).casefold()))


def is_post(value):
    if not isinstance(value, dict) or set(value) != {"name", "text"}:
        return False
    name, text = value["name"], value["text"]
    return isinstance(name, str) and isinstance(text, str) and 0 < len(name) <= MOST_NAME and 0 < len(text) <= MOST_TEXT


@client.handler("chat.>", chain="moderation", name="words")
def words(message):
    post = message.payload
    if not is_post(post):
        return baton.reject(f'a post is {{"name":…,"text":…}}, with at most {MOST_NAME} and {MOST_TEXT} characters')
    # A list that cannot be read raises, and nothing is published.
    with open(LIST, encoding="utf-8") as file:
        listed = {line.strip().casefold() for line in file if not line.startswith("#")}
    if (said(post["name"]) | said(post["text"])) & listed:
        return baton.reject("mind your words")
    return baton.continue_()


client.run()
