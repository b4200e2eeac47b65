"""harness MEASURES: data, models, judges, metrics and statistics."""
