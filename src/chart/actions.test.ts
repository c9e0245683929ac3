import { expect, test } from "vitest";
import { action, formatTemplate, itemsWhen, keysWhen, lines, textAction, valueKey } from "./actions.ts";

test("an action is never quoted, whatever string it is in", () => {
  const name = action('include "a.name" (dict "x: #" "y" "context" $)');
  expect(formatTemplate({ name, host: `${name}.svc`, port: action(".Values.port") })).toBe(
    `name: {{ include "a.name" (dict "x: #" "y" "context" $) }}
host: {{ include "a.name" (dict "x: #" "y" "context" $) }}.svc
port: {{ .Values.port }}
`,
  );
});

test("an action that is always text is quoted where it is the whole value", () => {
  const namespace = textAction(".Release.Namespace");
  expect(formatTemplate({ namespace, names: [namespace, `a.${namespace}.svc`, `${namespace}/b`] })).toBe(
    `namespace: {{ .Release.Namespace | quote }}
names:
- {{ .Release.Namespace | quote }}
- a.{{ .Release.Namespace }}.svc
- {{ .Release.Namespace }}/b
`,
  );
});

test("text that looks like an action is escaped for Helm", () => {
  expect(formatTemplate({ description: "write {{ .Name }} there" })).toBe(
    'description: write {{ "{{" }} .Name }} there\n',
  );
});

test("conditions wrap items and keys, also two in one mapping", () => {
  expect(
    formatTemplate({
      args: ["--a", ...itemsWhen(".Values.b", ["--b"], ["--c"])],
      metadata: { ...keysWhen(".Values.x", { x: 1 }), ...keysWhen(".Values.x", { z: 2 }) },
    }),
  ).toBe(`args:
- --a
{{- if .Values.b }}
- --b
{{- else }}
- --c
{{- end }}
metadata:
  {{- if .Values.x }}
  x: 1
  {{- end }}
  {{- if .Values.x }}
  z: 2
  {{- end }}
`);
});

test("a value is indented like its key", () => {
  expect(
    formatTemplate({ a: { b: valueKey("c", ".Values.c") }, list: [lines("- {{ 1 | nindent <indent+2> }}")] }),
  ).toBe(
    `a:
  b:
    c:
      {{- toYaml .Values.c | nindent 6 }}
list:
- {{ 1 | nindent 2 }}
`,
  );
});
