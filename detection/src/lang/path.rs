//! Tokenizer for path.
