"""hook_owner.py FOLDER STATE: an owner whose first scenario runs, held by hooks. It says when it is ready."""

import asyncio
import sys
from pathlib import Path

from hook_events import SESSION
from hosted_stage import Stage
from mcp_assay.host.hooks import Hooks
from mcp_assay.host.hooksocket import HookSocket
from mcp_assay.store.evaldir import place


async def main(folder: Path, state: Path) -> None:
    hooks = Hooks(place(folder, "one"), state / "mcp-assay", session=SESSION, note=lambda _: None)
    listening = HookSocket(state / "mcp-assay" / "run" / f"s-{SESSION}.sock", hooks)
    async with Stage(folder, state, calls=999) as stage, listening:
        await stage.hosted.next()
        with hooks.during(
            stage.hosted, gateways=tuple, remark=lambda _: None, opened=lambda _: stage.socket.save_soon()
        ):
            sys.stdout.write("ready\n")
            sys.stdout.flush()
            await stage.over


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), Path(sys.argv[2])))
