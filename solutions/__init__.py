"""The answers to the exercises, their graders, and the programs of whoever teaches the course."""

from common import modules

modules.require_program()
