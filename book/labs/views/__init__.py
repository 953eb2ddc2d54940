"""What the labs' widgets show: plain functions from a state to numbers, a text or a figure."""
