"""What people and agents use; reads what was published, and appends to the inbox."""
