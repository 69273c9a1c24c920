"""Errors whose end is plain: that it came a single time teaches nobody anything.

Each is a regular expression of polars, too.
"""

OF_NEW_CODE = (
    r"(?i)\b(?:undefined: |undeclared\b|redeclared\b|cannot use\b|mismatched types\b|NameError:"
    r"|cannot find (?:name|symbol|value|type|function|macro)\b|not assignable\b|unknown field\b"
    r"|unresolved (?:import|reference|name)\b|is not defined\b|expected type\b|missing return\b"
    r"|has no (?:member|field|property|attribute|method)\b|does not (?:exist on type|implement)\b"
    r"|(?:too (?:many|few)|not enough|missing) arguments?\b|implicit declaration\b"
    r"|no (?:method|field|function|associated item) named\b|has not been declared\b"
    r"|error TS\d{4,5}\b|Type error: |is unwrapped: )"
    r"|^\s*\d+:\d+\s+error\b|\([a-z]{4,}(?:[-/][a-z]+)*\)\s*$"
)
"""What a compiler or a linter, which ends in the name of its rule, says of code as it is being
written: whoever writes it again is told again."""

OF_GIT = (
    r"(?i)\[rejected\]|\bwould be overwritten by (?:checkout|merge|pull|rebase)\b"
    r"|\bfetch first\b|\bnon-fast-forward\b"
)
"""What git says to everybody whose branch is not where another's is."""

OF_CALL = (
    r"(?i)\b(?:unknown|unexpected|unrecognized|invalid|unsupported) "
    r"(?:or unexpected )?(?:option|argument|flag)\b"
)
"""What a program says of options that it does not know."""
