"""What becomes of memory while nobody asks for it: one module or package per job, each of which plans and never writes."""
