//! Headers of the `response-headers-*` leaves: those that are added with their built-in values, and those that
//! are stripped. It must not know the configuration.

use waf_shared::catalog::Leaf;

/// A header that a leaf adds: leaf, name on the wire, built-in value.
pub(crate) const ADDED: &[(Leaf, &str, &str)] = &[
    (Leaf::ResponseHeadersAddHsts, "Strict-Transport-Security", "max-age=63072000; includeSubDomains"),
    (
        Leaf::ResponseHeadersAddCsp,
        "Content-Security-Policy",
        "default-src 'self'; frame-ancestors 'none'; base-uri 'self'; form-action 'self'; upgrade-insecure-requests",
    ),
    (Leaf::ResponseHeadersAddFrameOptions, "X-Frame-Options", "DENY"),
    (Leaf::ResponseHeadersAddNosniff, "X-Content-Type-Options", "nosniff"),
    (Leaf::ResponseHeadersAddReferrerPolicy, "Referrer-Policy", "strict-origin-when-cross-origin"),
    (Leaf::ResponseHeadersAddDnsPrefetch, "X-DNS-Prefetch-Control", "off"),
    (Leaf::ResponseHeadersAddCoop, "Cross-Origin-Opener-Policy", "same-origin"),
    (Leaf::ResponseHeadersAddCoep, "Cross-Origin-Embedder-Policy", "unsafe-none"),
    (Leaf::ResponseHeadersAddCorp, "Cross-Origin-Resource-Policy", "same-origin"),
    (
        Leaf::ResponseHeadersAddPermissionsPolicy,
        "Permissions-Policy",
        "accelerometer=(), camera=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), payment=(), usb=()",
    ),
    (Leaf::ResponseHeadersAddCacheControl, "Cache-Control", "no-store, no-cache, must-revalidate, max-age=0"),
];

/// Headers that a leaf strips, in lower case.
pub(crate) const STRIPPED: &[(Leaf, &[&str])] = &[
    (Leaf::ResponseHeadersRemoveServer, &["server"]),
    (Leaf::ResponseHeadersRemovePoweredBy, &["x-powered-by"]),
    (Leaf::ResponseHeadersRemoveAspnetVersion, &["x-aspnet-version", "x-aspnetmvc-version"]),
    (Leaf::ResponseHeadersRemoveGenerator, &["x-generator"]),
    (Leaf::ResponseHeadersRemoveDrupal, &["x-drupal-cache", "x-drupal-dynamic-cache"]),
    (Leaf::ResponseHeadersRemoveVarnish, &["x-varnish"]),
    (Leaf::ResponseHeadersRemoveVia, &["via"]),
    (Leaf::ResponseHeadersRemoveRuntime, &["x-runtime"]),
    (Leaf::ResponseHeadersRemoveDebug, &["x-debug-token", "x-debug-token-link"]),
    (Leaf::ResponseHeadersRemoveBackendServer, &["x-backend-server"]),
    (Leaf::ResponseHeadersRemoveVersion, &["x-version"]),
];

/// Headers that `strip_extra` never takes: they frame the message.
pub(crate) const NEVER_STRIPPED: &[&str] = &["connection", "content-length", "transfer-encoding"];

#[cfg(test)]
mod tests {
    use super::*;
    use waf_shared::catalog::TABLE;

    #[test]
    fn every_leaf_of_both_buckets_has_its_headers() {
        let leaves = |bucket: &str| -> Vec<Leaf> {
            TABLE.iter().filter(|row| row.bucket == bucket).map(|row| row.leaf).collect()
        };
        assert_eq!(leaves("response-headers-add"), ADDED.iter().map(|row| row.0).collect::<Vec<_>>());
        assert_eq!(leaves("response-headers-remove"), STRIPPED.iter().map(|row| row.0).collect::<Vec<_>>());
    }
}
