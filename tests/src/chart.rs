//! The Helm chart, rendered by the real `helm` and read strictly: whatever the API of Kubernetes does not know is a
//! failure, as a typing error in a manifest is silently dropped by it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::autoscaling::v2::HorizontalPodAutoscaler;
use k8s_openapi::api::core::v1::{
    ConfigMap, Container, PersistentVolumeClaim, Pod, PodSpec, Service, ServiceAccount,
};
use k8s_openapi::api::networking::v1::{Ingress, NetworkPolicy};
use k8s_openapi::api::policy::v1::PodDisruptionBudget;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::programs::repository;

/// The cluster that charts are rendered for.
const KUBERNETES: &str = "1.34.0";

/// The release's name.
pub const RELEASE: &str = "edge";

/// True if the chart's tests may be left out: `./test --without-helm`.
#[allow(clippy::disallowed_methods, reason = "a test program has no command line of its own")]
pub fn left_out() -> bool {
    std::env::var_os("WAF_TESTS_WITHOUT_HELM").is_some()
}

/// The chart's folder.
pub fn folder() -> PathBuf {
    repository().join("ops/helm/waf")
}

/// Runs `helm template` on the chart.
pub fn template(release: &str, arguments: &[&str]) -> Output {
    Command::new("helm")
        .args(["template", release])
        .arg(folder())
        .args(["--kube-version", KUBERNETES])
        .args(arguments)
        .output()
        .expect("helm can be started (./test installs it; ./test --without-helm does without)")
}

/// Everything that the chart makes of a file of values, by kind.
#[derive(Debug, Default)]
pub struct Rendered {
    /// Exactly one.
    pub deployment: Deployment,
    /// Exactly one.
    pub config: ConfigMap,
    /// The traffic's, and the metrics' behind it.
    pub services: Vec<Service>,
    /// At most one.
    pub budget: Option<PodDisruptionBudget>,
    /// At most one.
    pub autoscaler: Option<HorizontalPodAutoscaler>,
    /// At most one.
    pub policy: Option<NetworkPolicy>,
    /// At most one.
    pub claim: Option<PersistentVolumeClaim>,
    /// At most one.
    pub ingress: Option<Ingress>,
    /// At most one.
    pub route: Option<HttpRoute>,
    /// At most one.
    pub monitor: Option<ServiceMonitor>,
    /// At most one.
    pub rules: Option<PrometheusRule>,
    /// At most one.
    pub account: Option<ServiceAccount>,
    /// The pod of `helm test`; at most one.
    pub test: Option<Pod>,
    /// Dashboards, and what values add.
    pub others: Vec<ConfigMap>,
}

impl Rendered {
    /// Renders the chart with the values of a file, or with its own.
    pub fn of(values: Option<&Path>) -> Rendered {
        let file = values.map(|path| path.to_str().expect("paths are text"));
        let arguments: Vec<&str> = file.into_iter().flat_map(|file| ["-f", file]).collect();
        let output = template(RELEASE, &arguments);
        assert!(output.status.success(), "{values:?}: {}", String::from_utf8_lossy(&output.stderr));
        Rendered::read(&String::from_utf8_lossy(&output.stdout))
    }

    /// The pod of the deployment.
    pub fn pod(&self) -> &PodSpec {
        let spec = self.deployment.spec.as_ref().expect("a deployment has a spec");
        spec.template.spec.as_ref().expect("a template has a spec")
    }

    /// The container of the service, among others that values may add.
    pub fn container(&self) -> &Container {
        let found = self.pod().containers.iter().find(|container| container.name == "waf");
        found.expect("the service has a container")
    }

    /// Reads a manifest.
    pub fn read(manifest: &str) -> Rendered {
        let mut rendered = Rendered::default();
        let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
        for document in serde_yaml::Deserializer::from_str(manifest) {
            let value = Value::deserialize(document).expect("a manifest is YAML");
            let word = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
            let kind = format!("{} {}", word("apiVersion"), word("kind"));
            match kind.as_str() {
                "apps/v1 Deployment" => rendered.deployment = strict(&value),
                "v1 ConfigMap" if value["data"]["waf.yaml"].is_null() => {
                    rendered.others.push(strict(&value));
                    continue;
                }
                "v1 ConfigMap" => rendered.config = strict(&value),
                "v1 ServiceAccount" => rendered.account = Some(strict(&value)),
                "v1 Pod" => rendered.test = Some(strict(&value)),
                "monitoring.coreos.com/v1 PrometheusRule" => rendered.rules = Some(strict(&value)),
                "v1 Service" => rendered.services.push(strict(&value)),
                "policy/v1 PodDisruptionBudget" => rendered.budget = Some(strict(&value)),
                "autoscaling/v2 HorizontalPodAutoscaler" => rendered.autoscaler = Some(strict(&value)),
                "networking.k8s.io/v1 NetworkPolicy" => rendered.policy = Some(strict(&value)),
                "v1 PersistentVolumeClaim" => rendered.claim = Some(strict(&value)),
                "networking.k8s.io/v1 Ingress" => rendered.ingress = Some(strict(&value)),
                "gateway.networking.k8s.io/v1 HTTPRoute" => rendered.route = Some(strict(&value)),
                "monitoring.coreos.com/v1 ServiceMonitor" => rendered.monitor = Some(strict(&value)),
                other => panic!("nobody expects a {other}"),
            }
            *kinds.entry(kind).or_default() += 1;
        }
        for (kind, count) in &kinds {
            assert!(*count == 1 || kind == "v1 Service", "{count} documents of {kind}");
        }
        assert!(kinds.contains_key("apps/v1 Deployment") && kinds.contains_key("v1 ConfigMap"), "{kinds:?}");
        rendered
    }
}

/// Reads a document as what it says to be. The types ignore fields that they do not know, so what they kept is compared
/// with what was written.
fn strict<T: DeserializeOwned + Serialize>(value: &Value) -> T {
    let typed: T =
        serde_json::from_value(value.clone()).unwrap_or_else(|error| panic!("{error} in\n{value:#}"));
    let kept = serde_json::to_value(&typed).expect("it was read from JSON");
    assert_eq!(&kept, value, "left: what Kubernetes understands, right: what was written");
    typed
}

/// Name and labels of an object that no crate here has types for.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Metadata {
    /// Its name.
    pub name: String,
    /// Its labels.
    pub labels: BTreeMap<String, String>,
}

/// A route of the Gateway API, version 1, as far as the chart writes one.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct HttpRoute {
    api_version: String,
    kind: String,
    /// Name and labels.
    pub metadata: Metadata,
    /// Routes and their targets.
    pub spec: HttpRouteSpec,
}

/// See [`HttpRoute`].
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct HttpRouteSpec {
    /// Gateways.
    pub parent_refs: Vec<ParentRef>,
    /// Hosts; every host of the gateway when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hostnames: Option<Vec<String>>,
    /// Paths and where they lead.
    pub rules: Vec<HttpRouteRule>,
}

/// See [`HttpRoute`].
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct ParentRef {
    /// The gateway.
    pub name: String,
    /// Its namespace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Which of its listeners.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section_name: Option<String>,
}

/// See [`HttpRoute`].
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct HttpRouteRule {
    /// Which requests.
    pub matches: Vec<HttpRouteMatch>,
    /// Their targets.
    pub backend_refs: Vec<BackendRef>,
}

/// See [`HttpRoute`].
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HttpRouteMatch {
    /// By path.
    pub path: PathMatch,
}

/// See [`HttpRoute`].
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PathMatch {
    /// `Exact`, `PathPrefix` or `RegularExpression`.
    #[serde(rename = "type")]
    pub kind: PathKind,
    /// The path.
    pub value: String,
}

/// See [`PathMatch`].
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the words of the Gateway API")]
pub enum PathKind {
    Exact,
    PathPrefix,
    RegularExpression,
}

/// See [`HttpRoute`].
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BackendRef {
    /// A Service.
    pub name: String,
    /// Its port.
    pub port: i32,
}

/// Targets that the Prometheus operator scrapes, as far as the chart writes it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct ServiceMonitor {
    api_version: String,
    kind: String,
    /// Name and labels.
    pub metadata: Metadata,
    /// Scraped endpoints.
    pub spec: ServiceMonitorSpec,
}

/// Alert rules of the Prometheus operator; groups are those of Prometheus' own files.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct PrometheusRule {
    api_version: String,
    kind: String,
    /// Name and labels.
    pub metadata: Metadata,
    /// Groups of rules.
    pub spec: Value,
}

/// See [`ServiceMonitor`].
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServiceMonitorSpec {
    /// Services.
    pub selector: LabelSelector,
    /// The request to each.
    pub endpoints: Vec<Endpoint>,
}

/// See [`ServiceMonitor`].
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct LabelSelector {
    /// Labels that all have to be there.
    pub match_labels: BTreeMap<String, String>,
}

/// See [`ServiceMonitor`].
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Endpoint {
    /// Name of the Service's port.
    pub port: String,
    /// Path.
    pub path: String,
    /// Interval.
    pub interval: String,
}
