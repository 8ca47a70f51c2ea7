"""The admins' pages, by noun. Whoever may not change a thing reads the same page."""
