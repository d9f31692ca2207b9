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
    place = os.path.join(FOLDER, os.path.basename(name))
    if os.path.lexists(place):
        # An error would let the daemon delete the file: this plug-in only helps.
        return baton.reject("there is one of this name in the bin")
    shutil.move(name, place)
    return baton.handled()


client.run()
