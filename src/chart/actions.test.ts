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

test("lines of a text that is several lines long are not quoted", () => {
  const namespace = textAction(".Release.Namespace");
  const config = `metadata:\n  namespace: ${namespace}\nhosts:\n- ${namespace}\n`;
  expect(formatTemplate({ config, [namespace]: { "key: ": namespace } })).toBe(
    `config: |
  metadata:
    namespace: {{ .Release.Namespace }}
  hosts:
  - {{ .Release.Namespace }}
{{ .Release.Namespace | quote }}:
  "key: ": {{ .Release.Namespace | quote }}
`,
  );
});

test("a value that ends in an action is quoted as a whole, or not at all", () => {
  const namespace = textAction(".Release.Namespace");
  expect(formatTemplate([`a: ${namespace}`, `- ${namespace}`])).toBe(
    '- "a: {{ .Release.Namespace }}"\n- "- {{ .Release.Namespace }}"\n',
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
