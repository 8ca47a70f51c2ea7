"""The doors, one's own account, and the admins' pages of people and teams."""
