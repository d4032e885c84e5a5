"""The paper's figures, tables and examples: one experiment or family of experiments per file."""
