{{/* What the nodes' and the bridges' pods have alike. */}}

{{/* Takes { root, serviceAccountName }. */}}
{{- define "bellwire.podDefaults" -}}
serviceAccountName: {{ .serviceAccountName | default (include "bellwire.fullname" .root) }}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile:
    type: RuntimeDefault
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- end -}}

{{- define "bellwire.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end -}}

{{/* Takes { settings, secretFiles }. A secret is a file, and the environment has its path. */}}
{{- define "bellwire.env" -}}
{{- range $name, $value := .settings }}
- name: {{ $name }}
  {{- /* Helm reads every number as a fraction, and would print a million as 1e+06. */}}
  value: {{ kindIs "float64" $value | ternary (int64 $value | toString) (toString $value) | quote }}
{{- end }}
{{- range $name, $_ := .secretFiles }}
- name: {{ $name }}
  value: /run/secrets/bellwire/{{ $name }}
{{- end }}
{{- end -}}

{{- define "bellwire.volumeMounts" -}}
volumeMounts:
  - { name: data, mountPath: /data }
  - { name: secrets, mountPath: /run/secrets/bellwire, readOnly: true }
{{- end -}}

{{/* On SQLite the nodes' files have no database's address. */}}
{{- define "bellwire.nodeFiles" -}}
{{- ternary (omit .Values.secretFiles "BELLWIRE_DATABASE_FILE") .Values.secretFiles .Values.sqlite.enabled | toYaml -}}
{{- end -}}

{{/* A node's pod, as Deployment and StatefulSet have it. */}}
{{- define "bellwire.nodePod" -}}
{{- $nodes := dict "root" . "component" "node" -}}
metadata:
  labels:
    {{- include "bellwire.selector" $nodes | nindent 4 }}
  annotations:
    {{- if not .Values.serviceMonitor.enabled }}
    prometheus.io/scrape: "true"
    prometheus.io/port: "7070"
    prometheus.io/path: /metrics
    {{- end }}
    {{- with .Values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  {{- include "bellwire.podDefaults" (dict "root" .) | nindent 2 }}
  terminationGracePeriodSeconds: {{ include "bellwire.secondsToStop" .Values.settings }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "bellwire.selector" $nodes | nindent 10 }}
    - maxSkew: 1
      topologyKey: topology.kubernetes.io/zone
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "bellwire.selector" $nodes | nindent 10 }}
  containers:
    - name: bellwire
      image: {{ include "bellwire.image" (dict "root" .) }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      ports:
        - name: http
          containerPort: 7070
      env:
        {{- $env := dict "settings" .Values.settings "secretFiles" (include "bellwire.nodeFiles" . | fromYaml) }}
        {{- include "bellwire.env" $env | trim | nindent 8 }}
      {{- include "bellwire.containerSecurity" . | nindent 6 }}
      # A migration of the schema happens before the first answer.
      startupProbe:
        httpGet: { path: /healthz, port: http }
        periodSeconds: 2
        failureThreshold: 150
      livenessProbe:
        httpGet: { path: /healthz, port: http }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      # It commits a row. When the database is away every pod is unready, and none is killed for that.
      readinessProbe:
        httpGet: { path: /readyz, port: http }
        periodSeconds: 2
        timeoutSeconds: 5
        failureThreshold: 2
      resources:
        {{- toYaml .Values.resources | nindent 8 }}
      {{- include "bellwire.volumeMounts" . | nindent 6 }}
        {{- with .Values.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
  {{- include "bellwire.volumes" (include "bellwire.nodeFiles" . | fromYaml) | nindent 2 }}
    {{- with .Values.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with .Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

{{/* Takes secretFiles. Mode 0440: root's, and of the group that fsGroup names. */}}
{{- define "bellwire.volumes" -}}
volumes:
  # Keys come from Secrets; Bellwire only reads the folder.
  - name: data
    emptyDir: { sizeLimit: 16Mi }
  - name: secrets
    projected:
      defaultMode: 288
      sources:
        {{- range $name, $from := . }}
        - secret:
            name: {{ $from.secret }}
            items:
              - { key: {{ $from.key | quote }}, path: {{ $name }} }
        {{- end }}
{{- end -}}

{{/*
How long a pod may take to stop: a node answers for 5 s while it is not ready, then waits for what is in flight. Takes
settings.
*/}}
{{- define "bellwire.secondsToStop" -}}
{{- $deadline := dig "BELLWIRE_SHUTDOWN_DEADLINE_SECONDS" 20 . | toString | int -}}
{{- add $deadline 15 -}}
{{- end -}}
