"""What more than one chapter needs."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
"""The folder of the course."""
