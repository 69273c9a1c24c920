"""The MCP server: memory as tools for agents."""
