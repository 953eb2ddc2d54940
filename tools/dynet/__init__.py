"""Building DyNet for this machine from its official source: with MKL, for an NVIDIA GPU, or plain (see README.md)."""
