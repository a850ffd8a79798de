//! Tokenizer for html.
