"""What a training program needs: settings and flags, data, the loop's pieces, checkpoints, run folders, the report."""
