//! Values of the Helm chart: each reaches the part that it names, alert rules and dashboard are those of operations, and
//! values that cannot work are refused.

use std::collections::BTreeMap;

use waf_tests::chart::{self, RELEASE, Rendered, template};
use waf_tests::programs::repository;

#[test]
fn each_mode_has_its_parts() {
    if chart::left_out() {
        println!("left out: helm");
        return;
    }
    let of = |name: &str| Rendered::of(Some(&repository().join(format!("ops/helm/examples/{name}.yaml"))));
    let defaults = Rendered::of(None);
    assert!(defaults.budget.is_some() && defaults.policy.is_some() && defaults.claim.is_none());
    assert_eq!(defaults.deployment.spec.as_ref().and_then(|spec| spec.replicas), Some(2));

    let scaled = of("behind-an-ingress");
    assert!(scaled.autoscaler.is_some() && scaled.ingress.is_some() && scaled.route.is_none());

    let one = of("mode-1");
    let ports: Vec<i32> = one.services[0]
        .spec
        .iter()
        .flat_map(|spec| spec.ports.iter().flatten())
        .map(|port| port.port)
        .collect();
    assert!(ports == [443, 80] && one.claim.is_some(), "{ports:?}");

    let two = of("mode-2");
    let claim = two.pod().volumes.iter().flatten().find_map(|volume| volume.persistent_volume_claim.as_ref());
    assert_eq!(claim.map(|claim| claim.claim_name.as_str()), Some("waf-certificates"));
    assert!(two.claim.is_none(), "somebody else's claim is not made again");
    let names: Vec<&str> =
        two.container().env.iter().flatten().map(|variable| variable.name.as_str()).collect();
    assert_eq!(names, ["WAF_ACME_EAB_KID", "WAF_ACME_EAB_KEY"]);

    let more = of("openshift-and-more");
    let context = more.pod().security_context.clone().expect("it says something");
    assert_eq!((context.run_as_user, context.run_as_group, context.fs_group), (None, None, None));
    assert_eq!(
        (more.pod().containers.len(), more.pod().init_containers.as_ref().map(Vec::len)),
        (2, Some(1))
    );
    let projected = more.pod().volumes.iter().flatten().find_map(|volume| volume.projected.clone());
    let paths: Vec<String> = projected
        .iter()
        .flat_map(|volume| volume.sources.iter().flatten())
        .flat_map(|source| source.secret.iter().flat_map(|secret| secret.items.iter().flatten()))
        .map(|item| item.path.clone())
        .collect();
    assert_eq!(
        paths,
        ["shop.example.pem", "shop.example.key", "www.shop.example.pem", "www.shop.example.key"]
    );
    let mounts = more.container().volume_mounts.as_deref().unwrap_or_default();
    assert!(mounts.iter().any(|mount| mount.mount_path == "/data/waf/certs"), "{mounts:?}");
    assert_eq!(
        more.pod().service_account_name,
        more.account.as_ref().and_then(|one| one.metadata.name.clone())
    );
    let ranges = more.services[0].spec.as_ref().and_then(|spec| spec.load_balancer_source_ranges.clone());
    assert_eq!(ranges.map(|ranges| ranges.len()), Some(2));
    assert_eq!((more.others.len(), more.container().env_from.as_ref().map(Vec::len)), (2, Some(1)));
    let probes =
        more.container().startup_probe.as_ref().map(|probe| (probe.failure_threshold, probe.period_seconds));
    assert_eq!(probes, Some((Some(60), Some(2))), "what is not named keeps its default");

    let all = of("everything");
    assert!(all.ingress.is_some() && all.route.is_some() && all.monitor.is_some());
    let image = all.container().image.as_deref().unwrap_or_default();
    assert!(image.starts_with("registry.example/edge/waf@sha256:"), "{image}");
    let kinds = all.policy.and_then(|policy| policy.spec?.policy_types).unwrap_or_default();
    assert_eq!(kinds, ["Ingress", "Egress"]);
}

/// Alert rules and dashboard are those of `ops/`, and `helm test` asks where metrics are.
#[test]
fn what_watches_it_is_what_operations_ship() {
    if chart::left_out() {
        println!("left out: helm");
        return;
    }
    let more = Rendered::of(Some(&repository().join("ops/helm/examples/openshift-and-more.yaml")));
    let read = |name: &str| std::fs::read_to_string(repository().join(name)).expect("the file is there");
    let rules: serde_json::Value = serde_yaml::from_str(&read("ops/alerts.yaml")).expect("it is YAML");
    assert_eq!(more.rules.expect("they are on").spec, rules);
    let boards: Vec<&String> =
        more.others.iter().flat_map(|map| map.data.iter().flatten()).map(|(_, text)| text).collect();
    assert!(boards.contains(&&read("ops/dashboard.json")));

    let defaults = Rendered::of(None);
    let test = defaults.test.expect("metrics are on").spec.expect("a pod has a spec");
    let arguments = test.containers[0].args.clone().unwrap_or_default();
    let metrics = defaults.services.iter().filter_map(|service| service.metadata.name.clone()).nth(1);
    let url = format!("--url=http://{}:9091/metrics", metrics.expect("metrics have a service"));
    assert_eq!(arguments, ["top", "--once", &url]);
}

#[test]
fn the_page_of_the_chart_lists_every_value() {
    let read = |name: &str| std::fs::read_to_string(repository().join(name)).expect("the file is there");
    let values: BTreeMap<String, serde_json::Value> =
        serde_yaml::from_str(&read("ops/helm/waf/values.yaml")).expect("it is YAML");
    let page = read("ops/helm/waf/README.md");
    for name in values.keys() {
        assert!(page.contains(&format!("`{name}`")), "{name} is not listed");
    }
}

#[test]
fn what_cannot_work_is_refused() {
    if chart::left_out() {
        println!("left out: helm");
        return;
    }
    for (values, words) in [
        (&["replica=3"][..], "'replica' not allowed"),
        (&["image.digest=sha256:1"], "/image/digest"),
        (&["config.helth_port=1"], "'helth_port' not allowed"),
        (&["config.routes[0].upstrem=http://a"], "'upstrem' not allowed"),
        (&["config.health_port=0"], "/config/health_port"),
        (&["config.health_port=null"], "health_port"),
        (&["config.metrics_port=8080"], "config.metrics_port is 8080"),
        (&["config.host=a.example", "config.health_port=8443"], "config.health_port is 8443"),
        (&["config.host=a.example", "ingress.enabled=true", "ingress.hosts={a.example}"], "mode 3"),
        (&["config.host=a.example", "config.port=8080"], "/config"),
        (
            &["config.routes[0].upstream=http://a", "config.routes[0].openapi.spec=no.yaml"],
            "no.yaml, which files does not contain",
        ),
        (&["certificates[0].host=a.example", "certificates[0].secret=b"], "modes 1 and 2"),
        (&["certificates[0].host=a.example"], "secret"),
        (&["strategy.type=Both"], "/strategy/type"),
        (&["probes.startup.perod=1"], "'perod' not allowed"),
        (&["config.host=a.example", "data.accessMode=ReadWriteOnce"], "ReadWriteMany"),
        (&["ingress.enabled=true"], "/ingress/hosts"),
        (&["httpRoute.enabled=true"], "/httpRoute/parents"),
        (&["serviceMonitor.enabled=true", "config.metrics_port=null"], "config.metrics_port"),
        (&["autoscaling.enabled=true", "autoscaling.minReplicas=20"], "minReplicas"),
        (&["trustedProxies={example.com}"], "/trustedProxies/0"),
        (&["files.waf\\.yaml=x"], "made from config"),
        (&["shutdown.preStopSeconds=0"], "/shutdown/preStopSeconds"),
    ] {
        let arguments: Vec<&str> = values.iter().flat_map(|value| ["--set", *value]).collect();
        let output = template(RELEASE, &arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains(words), "{values:?}: {said}");
    }
}
