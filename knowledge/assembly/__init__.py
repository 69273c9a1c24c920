"""What a run is, its stages, all tables from records in one call, and the trace of one file.

It uses every room but deletion.
"""
