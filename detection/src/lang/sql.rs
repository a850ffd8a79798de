//! Tokenizer for sql.
