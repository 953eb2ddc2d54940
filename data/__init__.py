"""The corpora: embedded ones with a known truth and their generator, and real ones to fetch."""

from common import environment

environment.require()
