"""The paper's figures and tables, a file for each."""
