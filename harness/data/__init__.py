"""Clinical consultations, notes and planted defects: files in, values out."""
