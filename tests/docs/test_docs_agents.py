"""The entries that docs/agents.md gives for files of agents can be read."""

import json
import re
import tomllib
from pathlib import Path

from skerry.agents.reading import READING
from skerry.agents.writing import WRITING

TEXT = Path(__file__).parents[2].joinpath("docs", "agents.md").read_text(encoding="utf-8")


def blocks(kind):
    return re.findall(rf"```{kind}\n(.+?)\n```", TEXT, re.DOTALL)


def test_every_entry_is_whole():
    entries = [json.loads(each)["mcpServers"] for each in blocks("json")]
    entries += [tomllib.loads(each)["mcp_servers"] for each in blocks("toml")]
    assert [set(each) for each in entries] == [{"skerry"}] * 3


def test_every_tool_is_named():
    assert [name for name in (*READING, *WRITING) if f"`{name}`" not in TEXT] == []
