"""Programs for those who build, measure and release the course."""

from common import environment

environment.require()
