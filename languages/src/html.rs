//! Tokenizer for HTML as browsers read it, broken markup included (WHATWG, "Tokenization", in essence): zero-copy, linear,
//! and lenient where a value is cut out of a page: a tag needs no `>`, a quoted value no closing quote. It knows
//! nothing of what is dangerous; [`markup`] concludes that.

mod charset;
mod fold;
mod markup;
pub mod names;
mod player;
pub mod reference;
mod sign;
mod tokens;
mod triggers;

pub use charset::{Charset, CharsetSign};
pub use markup::Html;
pub use sign::HtmlSign;
