"""optimiser SEARCHES: campaigns over instruction blocks, freeze, confirmation and gate."""
