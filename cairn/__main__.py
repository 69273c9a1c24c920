"""`python -m cairn`: the command line."""

from cairn.serving.cli.main import main

if __name__ == "__main__":
    main()
