"""A provider of language models that takes its time: `python -m benchmarks.model_server SECONDS`.

Prints its port, then answers every question with an empty object, SECONDS after it was asked. In a
process of its own, so that its work is not counted as ours.
"""

import asyncio
import json
import sys

ANSWER = json.dumps(
    {
        "id": "c",
        "object": "chat.completion",
        "created": 1,
        "model": "stub",
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": "{}"},
            }
        ],
        "usage": {"prompt_tokens": 2000, "completion_tokens": 2, "total_tokens": 2002},
    }
).encode()
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"


async def serve(seconds: float) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                if b"content-length:" in head:  # else it is asked what it holds
                    length = head.split(b"content-length:")[1].split(b"\r\n")[0]
                    await reader.readexactly(int(length))
                    await asyncio.sleep(seconds)
                writer.write(HEAD % len(ANSWER) + ANSWER)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(float(sys.argv[1])))
