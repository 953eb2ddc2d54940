"""The exercises: what students fill in, and the program that checks it."""

from common import modules

modules.require_program()
