"""What `cairn review` asks about, kind by kind.

It uses the terminal and write.
"""
