"""What is forgotten: tombstones, what rests on it, where it is named, the receipt.

It uses every room but assembly.
"""
