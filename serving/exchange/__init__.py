"""What leaves a home as files, and what comes in from another one or another program.

Export reads what is published; import adds inputs, which the next run makes knowledge of.
"""
