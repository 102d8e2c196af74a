{{/*
Values that the schema cannot speak about in words: each is refused by one sentence that says what would be right.
*/}}

{{/*
Settings that are secret: an environment is no place for them. A test compares them with the program's, without the
addresses of collectors and brokers, which seldom hold a secret.
*/}}
{{- define "bellwire.secretSettings" -}}
BELLWIRE_API_KEY BELLWIRE_BRIDGE_CREDENTIALS BELLWIRE_BRIDGE_PASSWORD BELLWIRE_BRIDGE_TLS_CA
BELLWIRE_BRIDGE_TLS_CERTIFICATE BELLWIRE_DATABASE BELLWIRE_EGRESS_PROXY BELLWIRE_ENCRYPTION_KEY
BELLWIRE_OPERATOR_WEBHOOK_SECRET BELLWIRE_OPERATOR_WEBHOOK_URL BELLWIRE_SMTP_URL OTEL_EXPORTER_OTLP_HEADERS
{{- end -}}

{{- define "bellwire.refuse" -}}
{{- if not .Values.image.repository -}}
{{- fail "image.repository is empty: name the image in your registry, such as registry.example.com/bellwire" -}}
{{- end -}}
{{- if not .Values.settings.BELLWIRE_PUBLIC_URL -}}
{{- fail "settings.BELLWIRE_PUBLIC_URL is not set: people's browsers need it, such as https://webhooks.example.com" -}}
{{- end -}}
{{- if and .Values.sqlite.enabled .Values.autoscaling.enabled -}}
{{- fail "autoscaling.enabled with sqlite.enabled: a SQLite database has one node; several nodes want PostgreSQL" -}}
{{- end -}}
{{- include "bellwire.refuseSettings" (dict "at" "settings" "settings" .Values.settings) -}}
{{- range $name, $bridge := .Values.bridges -}}
{{- include "bellwire.refuseSettings" (dict "at" (printf "bridges.%s.settings" $name) "settings" $bridge.settings) -}}
{{- end -}}
{{- end -}}

{{/* Takes { at, settings }. */}}
{{- define "bellwire.refuseSettings" -}}
{{- $secret := regexSplit "\\s+" (include "bellwire.secretSettings" .) -1 -}}
{{- $at := .at -}}
{{- range $name, $_ := .settings -}}
{{- if has $name $secret -}}
{{- fail (printf "%s.%s is secret: name a key of a Secret in secretFiles, as %s_FILE" $at $name $name) -}}
{{- end -}}
{{- if has $name (list "BELLWIRE_HOST" "BELLWIRE_PORT" "BELLWIRE_DATA_DIR" "BELLWIRE_BRIDGE_PORT") -}}
{{- fail (printf "%s.%s is set already, and the chart relies on it: leave it out" $at $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
