"""What is wrong with a home, and what brings back what was lost.

It uses every room of resources.
"""
