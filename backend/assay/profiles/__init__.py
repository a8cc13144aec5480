"""Named, versioned lists of tests."""
