//! The content of `/metrics`, read as a scraper reads it: samples by name and labels. It knows the text format alone.

use crate::polling;
use crate::raw::{Request, Response};
use crate::running::Waf;

/// One look at the metrics.
#[derive(Debug)]
pub struct Scrape {
    samples: Vec<Sample>,
    text: String,
}

#[derive(Debug)]
struct Sample {
    name: String,
    labels: Vec<(String, String)>,
    value: f64,
}

/// Asks for the metrics in the format that `accept` names.
pub fn ask(waf: &Waf, accept: &str) -> Response {
    Request::get("/metrics").field("Accept", accept).to(waf.metrics)
}

/// Waits until `is_there` holds of the metrics; workers report once a second.
pub fn until(waf: &Waf, what: &str, is_there: impl Fn(&Scrape) -> bool) -> Scrape {
    let mut last = String::new();
    let found = polling::within(polling::PATIENCE, || {
        let scrape = Scrape::of(waf);
        last.clone_from(&scrape.text);
        is_there(&scrape).then_some(scrape)
    });
    found.unwrap_or_else(|| panic!("the metrics never showed {what}:\n{last}"))
}

impl Scrape {
    /// Of a running service.
    pub fn of(waf: &Waf) -> Scrape {
        let response = ask(waf, "text/plain");
        assert_eq!(response.status, 200, "{response:?}");
        let text = response.text();
        let samples = text.lines().filter(|line| !line.starts_with('#')).map(sample).collect();
        Scrape { samples, text }
    }

    /// The sum over all samples of `name` that carry `labels`.
    pub fn sum(&self, name: &str, labels: &[(&str, &str)]) -> f64 {
        // The standard sum of nothing is -0.0.
        self.matching(name, labels).map(|sample| sample.value).fold(0.0, |sum, value| sum + value)
    }

    /// The same as a whole number.
    pub fn count(&self, name: &str, labels: &[(&str, &str)]) -> u64 {
        format!("{:.0}", self.sum(name, labels)).parse().expect("counts are not negative")
    }

    /// True if there is such a sample.
    pub fn has(&self, name: &str, labels: &[(&str, &str)]) -> bool {
        self.matching(name, labels).next().is_some()
    }

    /// The values of a label over all samples of `name`, sorted, each once.
    pub fn values<'a>(&'a self, name: &str, label: &str) -> Vec<&'a str> {
        let samples = self.samples.iter().filter(|sample| sample.name == name);
        let labels = samples.flat_map(|sample| &sample.labels);
        let mut values: Vec<&str> =
            labels.filter(|(known, _)| known == label).map(|(_, value)| value.as_str()).collect();
        values.sort_unstable();
        values.dedup();
        values
    }

    fn matching<'a>(
        &'a self,
        name: &'a str,
        labels: &'a [(&'a str, &'a str)],
    ) -> impl Iterator<Item = &'a Sample> {
        self.samples.iter().filter(move |sample| {
            sample.name == name
                && labels
                    .iter()
                    .all(|(label, value)| sample.labels.iter().any(|(l, v)| l == label && v == value))
        })
    }
}

/// `name{label="value",…} number`; no value of ours holds a quote or a comma.
fn sample(line: &str) -> Sample {
    let (series, value) = line.rsplit_once(' ').expect("a sample has a value");
    let (name, labels) = series.split_once('{').unwrap_or((series, "}"));
    let labels = labels.strip_suffix('}').expect("labels end");
    let label = |label: &str| {
        let (name, value) = label.split_once('=').expect("a label has a value");
        (name.to_owned(), value.trim_matches('"').to_owned())
    };
    Sample {
        name: name.to_owned(),
        labels: labels.split(',').filter(|text| !text.is_empty()).map(label).collect(),
        value: value.parse().expect("a number"),
    }
}
