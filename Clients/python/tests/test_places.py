"""Lists of servers."""

from __future__ import annotations

import os
import socket
import unittest
from unittest import mock

from support import Case, baton, soon

from baton._places import Places, read_places


class ReadingTests(unittest.TestCase):
    def texts(self, text):
        return [str(endpoint) for endpoint in read_places(text)]

    def test_commas_stand_between_places(self):
        self.assertEqual(self.texts("a:1"), ["a:1"])
        self.assertEqual(self.texts("a:1,tls:[::1]:2,tcp:c:3"), ["a:1", "tls:[::1]:2", "tcp:c:3"])

    def test_the_path_of_a_socket_is_the_rest(self):
        self.assertEqual(self.texts("a:1,unix:/x,b:2,unix:y"), ["a:1", "unix:/x,b:2,unix:y"])

    def test_each_has_to_be_a_place(self):
        for text in ("", ",", "a:1,", ",a:1", "a:1,,b:2", "a:1, b", "a:1,unix:", "a:1,tls:unix:/x", "tls:22867,a:1"):
            with self.assertRaises(baton.Unreachable, msg=text):
                read_places(text)
        with self.assertRaisesRegex(baton.Unreachable, '"a:1," is not a place to connect to; .*with commas between them'):
            read_places("a:1,")

    def test_the_environment_says_where(self):
        self.assertEqual([str(endpoint) for endpoint in read_places()], ["127.0.0.1:22866"])
        with mock.patch.dict(os.environ, {"BATON_SERVER": "a:1,unix:/run/baton"}):
            self.assertEqual([endpoint.path for endpoint in read_places()], ["", "/run/baton"])
            self.assertEqual(self.texts("a:1"), ["a:1"])
        with mock.patch.dict(os.environ, {"BATON_SERVER": ""}):
            self.assertEqual(read_places()[0].port, 22866)


class PlacesTests(unittest.TestCase):
    def places(self, text, first=0):
        return Places(read_places(text), first)

    def went(self, places, *leaders):
        """Where it goes after so many faults, with a bar where it waits before."""
        words = []
        for leader in leaders:
            at_once = places.go_on("no", leader)
            words.append(("" if at_once else "|") + str(places.current))
        return " ".join(words)

    def test_chance_chooses_the_first_one(self):
        endpoints = read_places("a:1,b:2,c:3")
        self.assertEqual({str(Places(endpoints).current) for _ in range(1000)}, {"a:1", "b:2", "c:3"})
        self.assertEqual(str(Places(endpoints, chance=lambda count: count - 1).current), "c:3")

    def test_it_waits_when_it_has_been_to_all(self):
        self.assertEqual(self.went(self.places("a:1"), None, None), "|a:1 |a:1")
        self.assertEqual(self.went(self.places("a:1,b:2,c:3", 1), *[None] * 7), "c:3 a:1 |b:2 c:3 a:1 |b:2 c:3")

    def test_a_connection_that_has_stood_begins_a_round(self):
        places = self.places("a:1,b:2")
        self.assertEqual(self.went(places, None), "b:2")
        places.begin_round()
        self.assertEqual(self.went(places, None, None), "a:1 |b:2")

    def test_who_is_named_is_next(self):
        self.assertEqual(self.went(self.places("a:1,b:2,tls:c:3,d:4"), "tls:c:3", None, None, None), "tls:c:3 d:4 b:2 |tls:c:3")
        self.assertEqual(self.went(self.places("a:1,tcp:b:2,c:3", 2), "b:2"), "tcp:b:2")

    def test_who_is_not_in_the_list_is_not_next(self):
        for leader in ("c:3", "tls:b:2", "b:3", "nowhere", "", None):
            self.assertEqual(self.went(self.places("a:1,b:2"), leader, leader), "b:2 |a:1")

    def test_who_is_named_counts_once_in_a_round(self):
        """Two that name each other are no circle without a wait."""
        self.assertEqual(self.went(self.places("a:1,b:2"), "b:2", "a:1", "b:2", "a:1", "b:2"), "b:2 a:1 |b:2 a:1 b:2")
        self.assertEqual(self.went(self.places("a:1"), "a:1", "a:1", "a:1"), "a:1 |a:1 a:1")

    def test_the_words_name_all_of_them(self):
        places = self.places("a:1,b:2")
        places.go_on("refused", None)
        places.go_on("silent", None)
        self.assertEqual(places.told("silent"), "no server can be reached: a:1: refused; b:2: silent")
        places = self.places("a:1")
        places.go_on("refused", None)
        self.assertEqual(places.told("refused"), "a:1 cannot be reached: refused")

    def test_attempts_are_shorter_where_there_are_others(self):
        self.assertEqual(self.places("a:1").times(10), (10, 10))
        self.assertEqual(self.places("a:1,b:2").times(10), (2, 5))
        self.assertEqual(self.places("a:1,b:2").times(0.5), (0.5, 0.5))


class ListTests(Case):
    def client(self, *places):
        client = baton.Client(",".join(places))
        client._plan.attempt = 0.3
        return client

    async def test_a_place_that_swallows_what_is_sent_is_passed_over(self):
        with socket.socket() as silent:
            silent.bind(("127.0.0.1", 0))
            silent.listen(0)
            fillers = [socket.socket() for _ in range(4)]
            for filler in fillers:
                filler.setblocking(False)
                filler.connect_ex(silent.getsockname())
            with mock.patch("random.randrange", lambda count: 0):
                client = self.client(f"127.0.0.1:{silent.getsockname()[1]}", self.server.place)
                connecting = soon(client.connect())
                peer = await self.server.accept()
                await peer.welcome()
                await connecting
            for filler in fillers:
                filler.close()
        await client.close()

    async def test_the_connection_for_traces_begins_where_the_first_one_is(self):
        client = self.client("127.0.0.1:1", self.server.place)
        connecting = soon(client.connect())
        peer = await self.server.accept()
        await peer.welcome()
        await connecting
        with mock.patch("random.randrange", lambda count: 0):
            traces = soon(client.traces().__anext__())
            other = await self.server.accept()
        await other.welcome()
        traces.cancel()
        await client.close()
