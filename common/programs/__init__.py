"""What generate.py, translate.py and visualize.py of the chapters share, and loading the model of a run."""
