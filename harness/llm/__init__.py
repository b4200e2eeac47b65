"""Language models behind one method."""
