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
