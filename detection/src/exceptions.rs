//! Exceptions of a route: findings of some rules that are taken away in some places before scores add up. Weights, other
//! places and other rules stay as they are. It knows no configuration file.

mod place;
mod request;

pub use place::{PlaceMistake, is_reached, parse};
pub use request::RequestExceptions;

use std::sync::Arc;

use waf_shared::catalog::LeafSet;
use waf_shared::limits::EXCEPTIONS_MAX;
use waf_shared::plan;
use waf_shared::route::PathSets;

use crate::field::Place;
use crate::rule::Rule;
use place::PlacePattern;

/// The reason why exceptions of a plan cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ExceptionError {
    /// A rule that this rule set does not have.
    #[error("no rule is called {0}")]
    UnknownRule(String),
    /// A place that no finding has.
    #[error("no place is called {0}")]
    UnknownPlace(String),
    /// More than [`EXCEPTIONS_MAX`].
    #[error("a route has {0} exceptions, more than {EXCEPTIONS_MAX}")]
    TooMany(usize),
}

/// The exceptions of one route, ready to be asked.
#[derive(Debug)]
pub struct Exceptions {
    list: Vec<Exception>,
    /// The paths of each exception that has any.
    paths: PathSets,
}

#[derive(Debug)]
struct Exception {
    name: Arc<str>,
    leaves: LeafSet,
    rules: Vec<&'static Rule>,
    places: Vec<PlacePattern>,
    /// Empty is any.
    methods: Vec<String>,
    /// Its set among the paths; `None` is any path.
    path_set: Option<usize>,
}

impl Exceptions {
    /// The exceptions of a route; `None` without any.
    pub fn of<'p>(
        list: impl IntoIterator<Item = &'p plan::Exception>,
    ) -> Result<Option<Arc<Exceptions>>, ExceptionError> {
        let mut exceptions = Vec::new();
        let mut paths = Vec::new();
        for exception in list {
            let path_set = (!exception.paths.is_empty()).then_some(paths.len());
            if path_set.is_some() {
                paths.push(exception.paths.as_slice());
            }
            exceptions.push(Exception::new(exception, path_set)?);
        }
        if exceptions.is_empty() {
            return Ok(None);
        }
        if exceptions.len() > EXCEPTIONS_MAX {
            return Err(ExceptionError::TooMany(exceptions.len()));
        }
        Ok(Some(Arc::new(Exceptions { list: exceptions, paths: PathSets::new(paths) })))
    }
}

impl Exceptions {
    /// Returns `true` if a request with that method and path would lose a finding of `rule` in a place of the kind `place`.
    /// For tools that know findings from events.
    pub fn takes(
        self: &Arc<Self>,
        rule: &'static Rule,
        (place, name): (&str, &[u8]),
        request: (&[u8], &[u8]),
    ) -> bool {
        let mut asked = RequestExceptions::default();
        asked.set(Some(Arc::clone(self)));
        asked.begin(request.0, request.1, None);
        let mut kinds = Place::ALL.iter().filter(|kind| kind.as_str() == place);
        kinds.any(|kind| asked.take(rule, *kind, name))
    }
}

impl Exception {
    fn new(planned: &plan::Exception, path_set: Option<usize>) -> Result<Exception, ExceptionError> {
        let rule = |id: &String| {
            let found = crate::rules::all().find(|rule| rule.id == id);
            found.ok_or_else(|| ExceptionError::UnknownRule(id.clone()))
        };
        let place = |place: &plan::ExceptedPlace| {
            PlacePattern::new(place).ok_or_else(|| ExceptionError::UnknownPlace(place.kind.clone()))
        };
        Ok(Exception {
            name: planned.name.as_str().into(),
            leaves: planned.leaves,
            rules: planned.rules.iter().map(rule).collect::<Result<_, _>>()?,
            places: planned.places.iter().map(place).collect::<Result<_, _>>()?,
            methods: planned.methods.clone(),
            path_set,
        })
    }

    /// Returns `true` if it takes findings of `rule` away at `place`, in requests that it applies to.
    fn covers(&self, rule: &'static Rule, place: Place, name: &[u8]) -> bool {
        (self.leaves.contains(rule.leaf) || self.rules.iter().any(|known| std::ptr::eq(*known, rule)))
            && self.places.iter().any(|pattern| pattern.matches(place, name))
    }
}
