"""JSON Schemas (2020-12) of the lines of the protocol and of the configuration file, and the protocol as AsyncAPI.

A schema says less than the contract: that a member stands once, how many bytes a text has, and what settings bound, no schema
can say. What it refuses, the server refuses, too.
"""

import json

from .table import MADE, WIDTH

DIALECT = "https://json-schema.org/draft/2020-12/schema"
MOST_EXACT = 2**53 - 1
NAME = "^[A-Za-z0-9_.-]+$"
WORD = r"[^\x00-\x20\x7f-\x9f.*>]+"
TOPIC = rf"^(?!\$){WORD}(\.{WORD})*$"
PATTERN = rf"^(({WORD}|\*)\.)*({WORD}|\*|>)$"
STORED = r"^[0-9a-z]{16}-(0|[1-9][0-9]{0,18})$"
NO_CONTROLS = r"^[^\x00-\x1f\x7f-\x9f]*$"


def texts(words):
    return {"type": "string", "enum": list(words)}


def closed(properties, required=()):
    """An object that has no other members."""
    shape = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**shape, "required": list(required)} if required else shape


# MARK: Lines to the server


def asked(it, member):
    """The value of a member of a request."""
    kind = member["kind"]
    if "range" in member:
        low, high = member["range"]
        return {"type": kind, "minimum": low, "maximum": high}
    if "of" in member:
        return texts(member["of"])
    if "bytes" in member:
        low, high = member["bytes"]
        text = {"type": "string", "maxLength": high, **({"minLength": low} if low else {})}
        if kind == "code":
            return {"anyOf": [{"type": "integer"}, text]}
        return {**text, "pattern": NO_CONTROLS} if kind == "key" else text
    policy = texts(["continue", "stop"])
    return {
        "any": True,
        "flag": {"type": "boolean"},
        "id": {"anyOf": [{"type": "string", "maxLength": 128}, {"type": "integer"}]},
        "request": {"anyOf": [{"type": "string", "maxLength": 128}, {"type": "integer"}]},
        "offer": {"type": "integer"},
        "name": {"type": "string", "pattern": NAME, "maxLength": 64},
        "sender": {"type": "string"},
        "topic": {"type": "string", "pattern": TOPIC, "maxLength": 255},
        "pattern": {"type": "string", "pattern": PATTERN, "maxLength": 255},
        "patterns": {
            "type": "array", "minItems": 1, "maxItems": member.get("count", [1, 64])[1],
            "items": {"type": "string", "pattern": PATTERN, "maxLength": 255}},
        "page": {"type": "string"},
        "stored": {"type": "string", "pattern": STORED},
        "condition": {"type": "object"},
        "status": texts(it.statuses),
        "policy": {"anyOf": [policy, closed({cause: policy for cause in it.causes})]},
        "where": closed({name: asked(it, inner) for name, inner in it.objects["where"].items()}) if kind == "where" else None,
    }[kind]


def request(it, name, op):
    """A line of an op."""
    members = {member: asked(it, op["where"].get(member, it.members[member])) for member in op["all"] if member != "op"}
    shape = closed({"op": {"const": name}, **members}, ["op", *op.get("needs", [])])
    if "instead" in op:
        shape["required"] = ["op"]
        shape["anyOf"] = [{"required": [one]} for one in [*op["needs"], op["instead"]]]
    return shape


def requests(it):
    return {
        "$schema": DIALECT,
        "$id": "urn:baton:request:1",
        "title": "A line to a Baton server",
        "type": "object",
        "required": ["op"],
        "properties": {"op": texts(it.ops)},
        "oneOf": [{"$ref": f"#/$defs/{name}"} for name in it.ops],
        "$defs": {name: {"title": name, **request(it, name, op)} for name, op in it.ops.items()},
    }


# MARK: Lines of the server


def told(it, kind, strict):
    """The value of a member that the server says. What grows with versions is open, unless it is strict."""
    if kind.startswith("["):
        return {"type": "array", "items": told(it, kind[1:-1], strict)}
    if kind in it.parts:
        return {"$ref": f"#/$defs/part-{kind}"}
    text = {"type": "string"}
    count = {"type": "integer", "minimum": 0, "maximum": MOST_EXACT}
    return {
        "any": True,
        "flag": {"type": "boolean"},
        "text": text,
        "id": {"type": ["string", "integer"]},
        "integer": {"type": "integer"},
        "number": {"type": "number"},
        "count": count,
        "counts": {"type": "object", "additionalProperties": count},
        "code": {"type": ["string", "integer"]},
        "stored": {"type": "string", "pattern": STORED} if strict else text,
        "status": texts(it.statuses),
        "cause": texts([*it.causes, *it.other_causes]) if strict else text,
        "error": texts(it.codes) if strict else text,
    }[kind]


def told_object(it, members, strict, op=None):
    properties = {name: told(it, kind.rstrip("!"), strict) for name, kind in members.items()}
    needed = [name for name, kind in members.items() if kind.endswith("!")]
    if op:
        properties, needed = {"op": {"const": op}, **properties}, ["op", *needed]
    return {
        "type": "object", "properties": properties, **({"required": needed} if needed else {}),
        **({"additionalProperties": False} if strict else {})}


def lines(it, strict=False):
    return {
        "$schema": DIALECT,
        "$id": "urn:baton:line:1",
        "title": "A line of a Baton server",
        "description": "A client ignores ops and members that it does not know: the server grows.",
        "type": "object",
        "required": ["op"],
        "properties": {"op": {"type": "string"}},
        "allOf": [
            {"if": {"properties": {"op": {"const": name}}}, "then": {"$ref": f"#/$defs/{name}"}} for name in it.lines],
        "$defs": {
            **{name: {"title": name, **told_object(it, members, strict, name)} for name, members in it.lines.items()},
            **{f"part-{name}": told_object(it, members, strict) for name, members in it.parts.items()},
        },
    }


# MARK: The configuration file


def loosely(shape):
    """The same where quotes do not count: a number may stand in quotes, and a text without them."""
    if not isinstance(shape, dict):
        return shape
    loose = dict(shape)
    for key in {"items", "additionalProperties"} & loose.keys():
        loose[key] = loosely(loose[key])
    if "anyOf" in loose:
        loose["anyOf"] = [loosely(one) for one in loose["anyOf"]]
    if "properties" in loose:
        loose["properties"] = {name: loosely(value) for name, value in loose["properties"].items()}
    if loose.get("type") == "integer":
        loose["type"] = ["integer", "string"]
    elif loose.get("type") == "boolean":
        loose = {"enum": [True, False, "true", "false"]}
    elif loose.get("type") == "string" and "enum" not in loose:
        loose["type"] = ["string", "number", "boolean"]
    return loose


def recorded(it, name):
    """What stands under `record`: the ranges are those of the server's reader."""
    def number(low, high):
        return {"type": "integer", "minimum": low, "maximum": high}

    pattern = asked(it, it.objects["topics"]["pattern"])
    return closed({
        "directory": {"type": "string"},
        "chains": {"type": "array", "maxItems": 1000, "items": name},
        "topics": {"type": "array", "maxItems": 1000, "items": pattern},
        "payload": {"type": "string", "enum": ["none", "digest", "whole"]},
        "mask": {"type": "array", "maxItems": 1000, "items": {"type": "string", "pattern": "^/(payload|meta)(/([^~]|~[01])*)*$"}},
        "strict": {"type": "boolean"}, "sync": {"type": "boolean"}, "sign": {"type": "string"},
        "head_ms": number(100, 86_400_000), "file_bytes": number(4096, 1 << 40), "keep_bytes": number(0, 1 << 50),
        "keep_days": number(0, 36_500), "keep_contents_days": number(0, 36_500),
    }, ["directory"])


def file(it):
    """The file as an editor sees it. Texts may stand without quotes, so that a number may be where a text belongs."""
    text = {"type": "string"}
    listed = {"anyOf": [text, {"type": "array", "items": text}]}
    members = {name: asked(it, it.members[name]) for name in it.sets["settings"] if name not in {"chain", "handler"}}
    name = {"type": "string", "pattern": NAME, "maxLength": 64}
    link = {"anyOf": [
        closed({"handler": name, **members}, ["handler"]),
        closed({
            "mount": name, **{key: members[key] for key in ("accepts", "percent", "when")},
            "together": asked(it, it.members["together"]),
        }, ["mount"]),
    ]}
    proxied = {"proxy_protocol": {"type": "boolean"}}
    plain = {"plain_tokens": {"type": "boolean"}, **proxied}
    number = {"type": "integer", "minimum": 1}
    settings = {
        setting: {
            "type": "integer", "minimum": given["range"][0], "maximum": given["range"][1], "default": given["default"],
            "description": given["reason"]}
        for setting, given in it.settings.items()}
    return {
        "$schema": DIALECT,
        "$id": "urn:baton:file:1",
        "title": "The file of a Baton server (baton.yaml)",
        **loosely(closed({
            "listen": {"type": "array", "items": {"anyOf": [
                text, closed({"unix": text, "mode": text, "group": text}, ["unix"]), closed({"tcp": text, **plain}, ["tcp"]),
                closed({"tls": text, **proxied}, ["tls"])]}},
            "http": {"anyOf": [
                {"enum": ["off", False]},
                {"type": "array", "items": {"anyOf": [text, closed({"http": text, **plain}, ["http"]), closed({"https": text, **proxied}, ["https"])]}},
            ]},
            "http_hosts": {"type": "array", "items": text},
            "allow_origins": {"type": "array", "items": text},
            "public_address": text,
            "proxies": {"type": "array", "items": text, "maxItems": 1000},
            "proxy_header": {"type": "string", "enum": ["x-forwarded-for", "forwarded"]},
            "tls": closed({"certificate": text, "key": text, "clients": text, "require_clients": {"type": "boolean"}}),
            "peers": {"type": "object", "propertyNames": {"pattern": "^[A-Za-z0-9_-]{1,31}$"}, "additionalProperties": closed({
                "token": listed, "certificate": listed, "user": listed, "may": {"type": "array", "items": text},
                "limits": closed({limit: number for limit in it.limits})}, ["may"])},
            "open": {"enum": ["local", True, False]},
            "chains": {"type": "object", "propertyNames": name, "additionalProperties": closed(
                {"links": {"type": "array", "items": link, "maxItems": 1000}, "open": {"type": "boolean"}}, ["links"])},
            "topics": {"type": "array", "maxItems": 100, "items": closed(
                {name: asked(it, member) for name, member in it.objects["topics"].items()}, ["pattern", "keep"])},
            "store": text,
            "cluster": closed({
                "name": {"type": "string", "pattern": "^[A-Za-z0-9_-]{1,31}$"},
                "nodes": {"type": "object", "minProperties": 2, "maxProperties": 5, "propertyNames": {"pattern": "^[A-Za-z0-9_-]{1,31}$"},
                          "additionalProperties": {"anyOf": [text, closed({"at": text, "http": text}, ["at"])]}},
                "engine": {"anyOf": [text, {"type": "array", "items": text, "minItems": 1, "maxItems": 9}]},
                "engine_credentials": text,
                "engine_tls": closed({"authority": text, "certificate": text, "key": text}),
                "engine_plain": {"type": "boolean"},
                "engine_replicas": {"enum": [1, 3, 5]}}),
            "record": recorded(it, name),
            "trace": closed({
                "sample": {"type": "integer", "minimum": 0, "maximum": 100},
                "per_second": {"type": "integer", "minimum": 1, "maximum": 100_000}}),
            "settings": closed(settings),
        })),
    }


# MARK: AsyncAPI


def asyncapi(it):
    def message(name, shape):
        return {"name": name, "contentType": "application/json", "payload": shape}

    said = {f"request-{name}": message(name, {"$ref": f"request.schema.json#/$defs/{name}"}) for name in it.ops}
    heard = {f"line-{name}": message(name, {"$ref": f"line.schema.json#/$defs/{name}"}) for name in it.lines}
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Baton", "version": str(it.protocol),
            "description": "Lines of JSON, each ended by LF, in both directions of one connection: see Docs/protocol.md."},
        "defaultContentType": "application/json",
        "servers": {
            "tcp": {"host": "127.0.0.1:22866", "protocol": "tcp"},
            "ws": {"host": "127.0.0.1:22868", "pathname": "/ws", "protocol": "ws"},
        },
        "channels": {
            "connection": {
                "address": None,
                "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in [*said, *heard]}}},
        "operations": {
            "say": {
                "action": "receive", "summary": "What a peer says, and the server hears.", "channel": {"$ref": "#/channels/connection"},
                "messages": [{"$ref": f"#/channels/connection/messages/{name}"} for name in said]},
            "hear": {
                "action": "send", "summary": "What the server says.", "channel": {"$ref": "#/channels/connection"},
                "messages": [{"$ref": f"#/channels/connection/messages/{name}"} for name in heard]},
        },
        "components": {"messages": {**said, **heard}},
    }


# MARK: Texts


def pretty(value, indent=""):
    """JSON in which a value stands in one line where it fits."""
    short = json.dumps(value, ensure_ascii=False)
    holds = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    if not any(isinstance(one, (dict, list)) for one in holds) or len(indent) + len(short) <= 2 * WIDTH:
        return short
    deeper = indent + "  "
    if isinstance(value, list):
        inner, (begin, end) = [pretty(one, deeper) for one in value], "[]"
    else:
        inner, (begin, end) = [f"{json.dumps(key)}: {pretty(one, deeper)}" for key, one in value.items()], "{}"
    return f"{begin}\n" + ",\n".join(deeper + one for one in inner) + f"\n{indent}{end}"


def schema_texts(it):
    """The schemas for the program, as short as they can be."""
    texts = "\n".join(
        f'  static let {name} = #"""\n{json.dumps(make(it), separators=(",", ":"), ensure_ascii=False)}\n"""#'
        for name, make in SCHEMAS.items())
    return f"""\
// {MADE}
// swift-format-ignore-file

/// What `baton schema` prints.
enum SchemaText {{
{texts}
}}
"""


#: What is made of the table for other programs.
SCHEMAS = {
    "request": requests, "line": lines, "file": file, "asyncapi": asyncapi,
}
