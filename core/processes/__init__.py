"""The supervisor: starts the engines and the product's processes, restarts, stops them all."""

from core.processes.children import Child
from core.processes.claims import StackError
from core.processes.stack import Stack

__all__ = ["Child", "Stack", "StackError"]
