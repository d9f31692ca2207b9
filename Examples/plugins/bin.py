"""The plug-in `bin`: takes texts into a folder instead of letting them be deleted. bin.py FOLDER"""

import os
import shutil
import sys

import baton

FOLDER = sys.argv[1]
client = baton.Client(name="bin")


@client.handler("file.delete", chain="tidy", name="bin")
def take(message):
    name = message.payload_as(str)
    if not name.endswith(".txt"):
        return baton.continue_()
    os.makedirs(FOLDER, exist_ok=True)
    shutil.move(name, FOLDER)
    return baton.handled()


client.run()
