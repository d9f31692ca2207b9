"""How far a client goes: each level has duties of Docs/build-a-client.md, and needs those before it."""

LEVELS = {
    1: {2, 4, 6, 8, 10},
    2: {12, 13, 14, 15, 16, 17},
    3: {1, 3, 5, 9, 11, 18, 19, 20, 21, 22, 23, 24, 25, 26, 31, 32, 33, 34, 35, 42, 43, 44, 45},
    4: {7, 27, 28, 29, 30},
    5: {36, 37, 38, 39, 40, 41},
}


def level(duties):
    """The lowest level at which a client has all of these duties."""
    return max(one for one, having in LEVELS.items() if having & duties)
