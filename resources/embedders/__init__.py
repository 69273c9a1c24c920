"""Embedding models by choice: wordllama in the box, ONNX, sentence-transformers, litellm.

It uses home and, for what calls cost, llm.
"""
