"""A tool server on the Python SDK of MCP, for the test with a real client."""

from mcp.server import MCPServer

server = MCPServer("notes")


@server.tool()
def write_note(name: str, text: str) -> str:
    return f"wrote {name}: {text}"


@server.tool()
def delete_note(name: str) -> str:
    return f"deleted {name}"


@server.resource("note://{name}")
def note(name: str) -> str:
    return f"what stands in {name}"


server.run()
