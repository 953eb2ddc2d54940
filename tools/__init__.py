"""Programs for those who build, measure and release the course."""
