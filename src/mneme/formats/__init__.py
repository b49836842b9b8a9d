"""Text to record and back: pure, lossless, one module per shape."""
