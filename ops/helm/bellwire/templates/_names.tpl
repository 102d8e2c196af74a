{{/* Names and labels. Most take { root, component }: the component is "node" or "bridge". */}}

{{- define "bellwire.fullname" -}}
{{- $name := ternary .Release.Name (printf "%s-bellwire" .Release.Name) (contains "bellwire" .Release.Name) -}}
{{- .Values.fullnameOverride | default $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{/* What a pod is selected by; it never changes. */}}
{{- define "bellwire.selector" -}}
app.kubernetes.io/name: bellwire
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "bellwire.labels" -}}
{{ include "bellwire.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end -}}

{{/* Takes { root, image }: a bridge's image has the nodes' values where it has none. */}}
{{- define "bellwire.image" -}}
{{- $image := merge dict (.image | default dict) .root.Values.image -}}
{{ $image.repository }}:{{ $image.tag | default .root.Chart.AppVersion }}
{{- end -}}

{{/* What no outsider may ask: /readyz commits a row, and /metrics tells of every account's load. */}}
{{- define "bellwire.operatorPaths" -}}
/metrics /healthz /readyz
{{- end }}
