"""Pictures: learning curves, attention maps, the page of maps."""
