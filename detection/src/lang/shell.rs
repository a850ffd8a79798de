//! Tokenizer for shell.
