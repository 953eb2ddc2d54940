"""What more than one chapter needs. One idea a file; nothing here imports a chapter."""
