//! The Helm chart: what it renders is what Kubernetes understands, holds together, is accepted by the program, and runs
//! under the restricted Pod Security Standard. Values that cannot work are refused.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::Command;

use k8s_openapi::api::core::v1::{Probe, Service};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use waf_tests::chart::{self, PathKind, Rendered, template};
use waf_tests::programs::{self, repository};

/// A plain manifest for clusters without Helm.
const PLAIN: &str = "ops/kubernetes/waf.yaml";

/// The chart's own values, and every file of examples.
fn cases() -> Vec<Option<PathBuf>> {
    let folder = repository().join("ops/helm/examples");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the examples are there")
        .map(|entry| entry.expect("they can be listed").path())
        .collect();
    files.sort();
    assert!(files.len() >= 4, "{files:?}");
    std::iter::once(None).chain(files.into_iter().map(Some)).collect()
}

fn service<'a>(rendered: &'a Rendered, name: &str) -> Option<&'a Service> {
    rendered.services.iter().find(|service| service.metadata.name.as_deref() == Some(name))
}

#[test]
fn every_set_of_values_holds() {
    if chart::left_out() {
        println!("left out: helm");
        return;
    }
    for values in cases() {
        println!("{values:?}");
        let rendered = Rendered::of(values.as_deref());
        is_restricted(&rendered);
        fits_together(&rendered);
        probes_ask_the_health_listener(&rendered);
        follows_its_configuration(&rendered);
        the_program_takes_it(&rendered);
    }
}

/// The restricted profile of the Pod Security Standards, and more.
fn is_restricted(rendered: &Rendered) {
    let pod = rendered.pod();
    for host in [pod.host_network, pod.host_pid, pod.host_ipc] {
        assert_ne!(host, Some(true));
    }
    assert_eq!(pod.automount_service_account_token, Some(false));
    let of_pod = pod.security_context.as_ref().expect("it says something");
    assert_eq!(of_pod.run_as_non_root, Some(true));
    // A platform may choose another one.
    assert!(of_pod.run_as_user.is_none_or(|user| user == 65532), "{of_pod:?}");
    assert_eq!(of_pod.seccomp_profile.as_ref().map(|profile| profile.type_.as_str()), Some("RuntimeDefault"));
    let context = rendered.container().security_context.as_ref().expect("it says something");
    assert_eq!(context.allow_privilege_escalation, Some(false));
    assert_eq!(context.read_only_root_filesystem, Some(true));
    assert_ne!(context.privileged, Some(true));
    let capabilities = context.capabilities.as_ref().expect("it says something");
    assert_eq!(
        (capabilities.add.as_ref(), capabilities.drop.as_deref()),
        (None, Some(&["ALL".to_owned()][..]))
    );
    for port in rendered.container().ports.iter().flatten() {
        assert!(port.host_port.is_none() && port.container_port >= 1024, "{port:?}");
    }
    for volume in pod.volumes.iter().flatten() {
        let allowed = volume.config_map.is_some()
            || volume.empty_dir.is_some()
            || volume.projected.is_some()
            || volume.persistent_volume_claim.is_some();
        assert!(allowed && volume.host_path.is_none(), "{volume:?}");
    }
    let limits = rendered.container().resources.as_ref().and_then(|resources| resources.limits.as_ref());
    assert!(limits.is_some_and(|limits| limits.contains_key("memory")), "memory has a bound");
}

/// Selectors select the pods, ports lead to ports, references to objects that exist.
fn fits_together(rendered: &Rendered) {
    let spec = rendered.deployment.spec.as_ref().expect("a deployment has a spec");
    let name = rendered.deployment.metadata.name.clone().expect("it has a name");
    let labels =
        spec.template.metadata.as_ref().and_then(|metadata| metadata.labels.clone()).unwrap_or_default();
    let selects = |selector: Option<&BTreeMap<String, String>>| {
        let selector = selector.expect("it selects");
        assert!(
            !selector.is_empty() && selector.iter().all(|(key, value)| labels.get(key) == Some(value)),
            "{selector:?}"
        );
        assert!(!selector.contains_key("helm.sh/chart"), "a selector outlives a version");
    };
    selects(spec.selector.match_labels.as_ref());
    let ports: BTreeSet<&str> =
        rendered.container().ports.iter().flatten().filter_map(|port| port.name.as_deref()).collect();
    for service in &rendered.services {
        let service = service.spec.as_ref().expect("a service has a spec");
        selects(service.selector.as_ref());
        for port in service.ports.iter().flatten() {
            assert!(
                matches!(&port.target_port, Some(IntOrString::String(name)) if ports.contains(name.as_str())),
                "{port:?}"
            );
        }
    }
    let traffic = service(rendered, &name).expect("the traffic has a service");
    let public = traffic.spec.iter().flat_map(|spec| spec.ports.iter().flatten());
    assert!(
        public.clone().all(|port| matches!(port.name.as_deref(), Some("http" | "https"))),
        "nothing else is public"
    );
    let public: BTreeMap<Option<&str>, i32> = public.map(|port| (port.name.as_deref(), port.port)).collect();
    if let Some(budget) = &rendered.budget {
        selects(budget.spec.as_ref().and_then(|spec| spec.selector.as_ref()?.match_labels.as_ref()));
    }
    let autoscaled = rendered.autoscaler.as_ref().and_then(|autoscaler| autoscaler.spec.as_ref());
    assert_eq!(spec.replicas.is_none(), autoscaled.is_some(), "one of them sets the number of pods");
    if let Some(autoscaler) = autoscaled {
        assert_eq!(
            (autoscaler.scale_target_ref.kind.as_str(), &autoscaler.scale_target_ref.name),
            ("Deployment", &name)
        );
    }
    if let Some(policy) = rendered.policy.as_ref().and_then(|policy| policy.spec.as_ref()) {
        selects(policy.pod_selector.as_ref().and_then(|selector| selector.match_labels.as_ref()));
        let open: BTreeSet<&str> = policy
            .ingress
            .iter()
            .flatten()
            .flat_map(|rule| rule.ports.iter().flatten())
            .filter_map(|port| match &port.port {
                Some(IntOrString::String(name)) => Some(name.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(open, ports, "each port of the pod has its rule");
    }
    let claimed =
        rendered.pod().volumes.iter().flatten().find_map(|volume| volume.persistent_volume_claim.as_ref());
    if let Some(claim) = &rendered.claim {
        assert_eq!(claim.metadata.name.as_deref(), claimed.map(|claimed| claimed.claim_name.as_str()));
    }
    if let Some(ingress) = rendered.ingress.as_ref().and_then(|ingress| ingress.spec.as_ref()) {
        for path in
            ingress.rules.iter().flatten().flat_map(|rule| rule.http.iter().flat_map(|http| &http.paths))
        {
            let backend = path.backend.service.as_ref().expect("it leads to a service");
            let port = backend.port.as_ref().and_then(|port| port.name.as_deref());
            assert!(backend.name == name && public.contains_key(&port), "{backend:?}");
        }
    }
    for rule in rendered.route.iter().flat_map(|route| &route.spec.rules) {
        assert!(
            rule.backend_refs.iter().all(|to| to.name == name && public[&Some("http")] == to.port),
            "{rule:?}"
        );
        assert!(
            rule.matches.iter().all(|one| one.path.kind == PathKind::PathPrefix && one.path.value == "/")
        );
    }
    if let Some(monitor) = &rendered.monitor {
        let metrics = service(rendered, &format!("{name}-metrics")).expect("metrics have a service");
        let has = metrics.metadata.labels.clone().unwrap_or_default();
        let wanted = &monitor.spec.selector.match_labels;
        assert!(wanted.iter().all(|(key, value)| has.get(key) == Some(value)), "{wanted:?}");
        assert!(!wanted.iter().all(|(key, value)| {
            traffic.metadata.labels.as_ref().is_some_and(|has| has.get(key) == Some(value))
        }));
        let port = metrics.spec.as_ref().and_then(|spec| spec.ports.as_ref()?.first()?.name.clone());
        assert!(monitor.spec.endpoints.iter().all(|endpoint| Some(&endpoint.port) == port.as_ref()));
    }
}

fn probes_ask_the_health_listener(rendered: &Rendered) {
    let container = rendered.container();
    let asks = |probe: &Option<Probe>, path: &str| {
        let probe = probe.as_ref().expect("it is probed");
        let get = probe.http_get.as_ref().expect("over HTTP");
        assert_eq!((get.path.as_deref(), &get.port), (Some(path), &IntOrString::String("health".to_owned())));
        assert!(probe.timeout_seconds.is_some() && probe.failure_threshold.is_some(), "{probe:?}");
    };
    asks(&container.startup_probe, "/readyz");
    asks(&container.readiness_probe, "/readyz");
    asks(&container.liveness_probe, "/healthz");
    // What a stop takes fits into the time that Kubernetes gives.
    let sleep = container.lifecycle.as_ref().and_then(|hooks| hooks.pre_stop.as_ref()?.sleep.as_ref());
    let sleep = sleep.expect("balancers learn of the stop first").seconds;
    let drain = container.args.iter().flatten().find_map(|argument| argument.strip_prefix("--drain="));
    let drain: i64 = drain.and_then(|seconds| seconds.parse().ok()).expect("the drain is set");
    let grace = rendered.pod().termination_grace_period_seconds.expect("the time is set");
    assert!(sleep > 0 && grace >= sleep + drain + 5, "{sleep} s and {drain} s in {grace} s");
}

/// A change of the ConfigMap reaches the program: the folder is mounted, and no pod is replaced for it.
fn follows_its_configuration(rendered: &Rendered) {
    let name = rendered.config.metadata.name.as_deref();
    let volumes = rendered.pod().volumes.as_deref().unwrap_or_default();
    let volume = volumes
        .iter()
        .find(|volume| volume.config_map.as_ref().is_some_and(|config| Some(config.name.as_str()) == name))
        .expect("the configuration is a volume");
    let mounts = rendered.container().volume_mounts.as_deref().unwrap_or_default();
    let mount = mounts.iter().find(|mount| mount.name == volume.name).expect("it is mounted");
    assert_eq!(
        (mount.mount_path.as_str(), mount.sub_path.as_ref(), mount.read_only),
        ("/etc/waf", None, Some(true))
    );
    assert!(mounts.iter().all(|mount| volumes.iter().any(|volume| volume.name == mount.name)));
    let metadata = rendered.deployment.spec.as_ref().and_then(|spec| spec.template.metadata.as_ref());
    let annotations = metadata.and_then(|metadata| metadata.annotations.clone()).unwrap_or_default();
    assert!(annotations.keys().all(|key| !key.contains("checksum")), "{annotations:?}");
}

/// The configuration is valid without a warning, the arguments are the program's, and the ports are those that it opens.
fn the_program_takes_it(rendered: &Rendered) {
    let folder = tempfile::tempdir().expect("a folder for the test");
    for (name, text) in rendered.config.data.iter().flatten() {
        std::fs::write(folder.path().join(name), text).expect("a file in the test's folder");
    }
    let file = folder.path().join("waf.yaml");
    let output = Command::new(programs::waf_compile())
        .args(["--validate", "--no-host-checks"])
        .arg(&file)
        .output()
        .expect("the program can be started");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let wildcard = |line: &&str| !line.contains("*.wiki.example");
    assert!(output.status.success(), "{said}");
    assert!(!said.lines().filter(wildcard).any(|line| line.contains("warning")), "{said}");

    let container = rendered.container();
    let arguments = container.args.iter().flatten().filter(|argument| !argument.starts_with("--config="));
    let arguments = arguments.filter(|argument| *argument != "--no-host-checks");
    let output = Command::new(programs::waf())
        .args(arguments)
        .args(["--validate", "--no-host-checks", "--config"])
        .arg(&file)
        .output()
        .expect("the program can be started");
    assert_eq!(output.status.code(), Some(0), "{:?}: {output:?}", container.args);
    assert!(container.args.iter().flatten().any(|argument| argument == "--config=/etc/waf/waf.yaml"));

    let text = std::fs::read_to_string(&file).expect("it was written");
    let config: serde_json::Value = serde_yaml::from_str(&text).expect("it is valid");
    let ports: BTreeMap<&str, i32> = container
        .ports
        .iter()
        .flatten()
        .filter_map(|port| Some((port.name.as_deref()?, port.container_port)))
        .collect();
    let of = |field: &str| config[field].as_i64().and_then(|port| i32::try_from(port).ok());
    assert_eq!(
        (ports.get("health").copied(), ports.get("metrics").copied()),
        (of("health_port"), of("metrics_port"))
    );
    let argument = |flag: &str| {
        container.args.iter().flatten().find_map(|argument| argument.strip_prefix(flag)?.parse::<i32>().ok())
    };
    match ports.get("https") {
        Some(https) => assert_eq!(
            (Some(*https), Some(ports["http"])),
            (argument("--https-port="), argument("--http-port="))
        ),
        None => assert_eq!(ports["http"], of("port").unwrap_or(8080)),
    }
    let data = config["data_dir"].as_str().unwrap_or("/data/waf");
    let mounts = container.volume_mounts.as_deref().unwrap_or_default();
    assert!(
        mounts.iter().any(|mount| mount.mount_path == data && mount.read_only != Some(true)),
        "{mounts:?}"
    );
}

#[test]
fn the_plain_manifest_is_the_chart_with_its_own_values() {
    let committed = std::fs::read_to_string(repository().join(PLAIN)).expect("the manifest is there");
    let rendered = Rendered::read(&committed);
    is_restricted(&rendered);
    fits_together(&rendered);
    the_program_takes_it(&rendered);
    if chart::left_out() {
        println!("left out: helm");
        return;
    }
    assert!(!committed.contains("Helm") && !committed.contains("helm.sh/"), "Helm does not manage it");
    let output = template("waf", &["--skip-tests", "--set", "managedBy="]);
    assert!(
        String::from_utf8_lossy(&output.stdout) == committed,
        "{PLAIN} is not current; fix it with\n  helm template waf ops/helm/waf --kube-version 1.34.0 --skip-tests --set managedBy= > {PLAIN}"
    );
}
