{{/* Names and labels, and what the configuration means for Kubernetes. */}}

{{- define "waf.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "waf.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 55 | trimSuffix "-" -}}
{{- else if contains (include "waf.name" .) .Release.Name -}}
{{- .Release.Name | trunc 55 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "waf.name" .) | trunc 55 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "waf.selector" -}}
app.kubernetes.io/name: {{ include "waf.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "waf.labels" -}}
{{ include "waf.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
{{- with .Values.managedBy }}
app.kubernetes.io/managed-by: {{ . }}
helm.sh/chart: {{ printf "%s-%s" $.Chart.Name $.Chart.Version }}
{{- end }}
{{- end -}}

{{/* "yes" in modes 1 and 2: hosts at the top or on a route. */}}
{{- define "waf.tls" -}}
{{- $tls := hasKey .Values.config "host" -}}
{{- range .Values.config.routes -}}
{{- if and (hasKey . "match") .match -}}
{{- if hasKey .match "hosts" -}}{{- $tls = true -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- if $tls -}}yes{{- end -}}
{{- end -}}

{{/* Ports in the pod. Those of TLS are moved: a user without privileges binds them anywhere. */}}
{{- define "waf.port.http" -}}
{{- if include "waf.tls" . -}}8080{{- else -}}{{- int (default 8080 .Values.config.port) -}}{{- end -}}
{{- end -}}
{{- define "waf.port.https" -}}8443{{- end -}}

{{- define "waf.dataDir" -}}
{{- default "/data/waf" .Values.config.data_dir -}}
{{- end -}}

{{- define "waf.account" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "waf.fullname" .) .Values.serviceAccountName -}}
{{- else -}}
{{- .Values.serviceAccountName -}}
{{- end -}}
{{- end -}}

{{- define "waf.image" -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) -}}
{{- end -}}
{{- end -}}

{{- define "waf.claim" -}}
{{- default (include "waf.fullname" .) .Values.data.existingClaim -}}
{{- end -}}

{{/* What cannot work is refused here rather than by pods that do not start. */}}
{{- define "waf.check" -}}
{{- $tls := include "waf.tls" . -}}
{{- $https := int (include "waf.port.https" .) -}}
{{- $http := int (include "waf.port.http" .) -}}
{{- range $name := list "health_port" "metrics_port" -}}
{{- $port := int (default 0 (index $.Values.config $name)) -}}
{{- if or (eq $port $http) (and $tls (eq $port $https)) -}}
{{- fail (printf "config.%s is %d, where requests arrive in the pod: choose another" $name $port) -}}
{{- end -}}
{{- end -}}
{{- if and $tls (or .Values.ingress.enabled .Values.httpRoute.enabled) -}}
{{- fail "config names hosts, so the service ends TLS itself (modes 1 and 2): an ingress or httpRoute in front wants config.port (mode 3)" -}}
{{- end -}}
{{- if and .Values.serviceMonitor.enabled (not .Values.config.metrics_port) -}}
{{- fail "serviceMonitor.enabled needs config.metrics_port" -}}
{{- end -}}
{{- $many := or (gt (int .Values.replicas) 1) .Values.autoscaling.enabled -}}
{{- if and $tls $many (ne .Values.data.accessMode "ReadWriteMany") (not .Values.data.existingClaim) -}}
{{- fail "several pods share certificates (modes 1 and 2): data.accessMode has to be ReadWriteMany, or replicas 1" -}}
{{- end -}}
{{- if and .Values.autoscaling.enabled (gt (int .Values.autoscaling.minReplicas) (int .Values.autoscaling.maxReplicas)) -}}
{{- fail "autoscaling.minReplicas is above autoscaling.maxReplicas" -}}
{{- end -}}
{{- if and .Values.certificates (not $tls) -}}
{{- fail "certificates are for modes 1 and 2: config names no host" -}}
{{- end -}}
{{- range .Values.config.routes -}}
{{- $spec := dig "openapi" "spec" "" . -}}
{{- if and $spec (not (hasPrefix "/" $spec)) (not (hasKey $.Values.files (trimPrefix "./" $spec))) -}}
{{- fail (printf "config names the document %s, which files does not contain" $spec) -}}
{{- end -}}
{{- end -}}
{{- range $name, $text := .Values.files -}}
{{- if eq $name "waf.yaml" -}}{{- fail "files: waf.yaml is made from config" -}}{{- end -}}
{{- end -}}
{{- end -}}
