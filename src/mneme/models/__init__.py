"""Language models behind one seam: none (the default), a command, an OpenAI-compatible server, or Ollama.

Nothing needs one. Where one is set, `Asking` is the only way to it: questions and answers are bounded in time, size and
number, an answer is taken only in the shape that was asked for, and every call is told to a log. What an answer claims
is checked by whoever asked.
"""

from mneme.models.asking import Asking, Call, Limits
from mneme.models.choice import Model, ModelChoice, ModelError, find_model
from mneme.models.shape import shape_faults

__all__ = ["Asking", "Call", "Limits", "Model", "ModelChoice", "ModelError", "find_model", "shape_faults"]
