"""partitions DIVIDES: consultation-disjoint splits, sealed, and the one door to the holdout."""
