"""Rerankers by choice: a cross-encoder as ONNX, or a language model by litellm; none by default.

It uses embedders, for models in folders, and llm.
"""
