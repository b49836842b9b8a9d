"""What a host runs, as it lies: `python -S -E client.py HOST EVENT`.

Python compiles the file that it is told to run each time anew, and what it imports once: so there is nothing in here, and
everything in `call`, beside it.
"""

if __name__ == "__main__":
    import sys

    from call import main  # type: ignore[import-not-found]  # a bare interpreter looks in the folder of its script alone

    main(sys.argv[1:])
