"""The labs: one notebook a chapter, kept as text, and what runs them."""
