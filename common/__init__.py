"""What more than one chapter needs. One idea per file; nothing here imports a chapter."""
