"""What Pointsman costs, measured beside what it replaces. Never part of the tests."""
