// Helm's actions inside of YAML. An object with tokens in the places of actions is written as YAML, and only then the
// tokens are replaced by the actions: no action is ever quoted or folded, and text that looks like an action is escaped,
// so that Helm prints it unchanged.

import { Document, visit } from "yaml";

/** Returns the token of an action within a string, or in the place of a value of any type: `{{ .Values.metrics.port }}`. */
export function action(expression: string): string {
  return token("action", `{{ ${expression} }}`);
}

/** Returns the token of an expression that is always text. It is quoted if it is a whole value, such as the name `123`. */
export function textAction(expression: string): string {
  return token("text", expression);
}

/**
 * Returns the token of whole lines, as an item of a list or as a key of a mapping with the value null. In the lines,
 * `<indent>` and `<indent+2>` stand for the number of columns before them. `salt` tells equal lines of one mapping apart.
 */
export function lines(text: string, salt = ""): string {
  return token("lines", text, salt);
}

/** Puts list items under a condition, and others under its contrary. */
export function itemsWhen(condition: string, items: readonly unknown[], otherwise: readonly unknown[] = []) {
  if (items.length === 0 && otherwise.length === 0) return [];
  return [
    lines(`{{- if ${condition} }}`),
    ...items,
    ...(otherwise.length === 0 ? [] : [lines("{{- else }}"), ...otherwise]),
    lines("{{- end }}"),
  ];
}

/** Puts keys of a mapping under a condition. */
export function keysWhen(condition: string, keys: Readonly<Record<string, unknown>>) {
  const salt = Object.keys(keys).join();
  return { [lines(`{{- if ${condition} }}`, salt)]: null, ...keys, [lines("{{- end }}", salt)]: null };
}

/** Makes a key that is only present if the value is set: `nodeSelector`. */
export function optionalKey(key: string, value: string): Record<string, null> {
  const text = `{{- with ${value} }}\n${key}:\n  {{- toYaml . | nindent <indent+2> }}\n{{- end }}`;
  return { [lines(text)]: null };
}

/** Makes a key whose whole content comes from the values. */
export function valueKey(key: string, value: string): Record<string, null> {
  return { [lines(`${key}:\n  {{- toYaml ${value} | nindent <indent+2> }}`)]: null };
}

/** Formats an object with tokens as a Helm template. */
export function formatTemplate(value: unknown): string {
  const document = new Document(value, { compat: "yaml-1.1", aliasDuplicateObjects: false });
  // Whole texts are found before printing: afterwards, a line of a longer text would look the same.
  visit(document, {
    Scalar(_, scalar) {
      const payload = wholeTextPattern.exec(String(scalar.value))?.[1];
      if (payload !== undefined) scalar.value = action(`${readToken(payload)} | quote`);
    },
  });
  return document
    .toString({ lineWidth: 0, indentSeq: false })
    .replaceAll("{{", '{{ "{{" }}')
    .replaceAll(linesPattern, (_, indent: string, payload: string) => indentLines(readToken(payload), indent))
    .replaceAll(textPattern, (_, payload: string) => `{{ ${readToken(payload)} }}`)
    .replaceAll(actionPattern, (_, payload: string) => readToken(payload));
}

// Private-use characters: no manifest contains them, and YAML does not escape them.
const [open, close] = ["\uE000", "\uE001"];
const actionPattern = new RegExp(`${open}action:([\\w-]*)${close}`, "gu");
const textPattern = new RegExp(`${open}text:([\\w-]*)${close}`, "gu");
const wholeTextPattern = new RegExp(`^${open}text:([\\w-]*)${close}$`, "u");
const linesPattern = new RegExp(`^( *)(?:- )?"?${open}lines:([\\w-]*)${close}"?(?:: null)?$`, "gmu");

function token(type: "action" | "text" | "lines", text: string, salt = ""): string {
  return `${open}${type}:${Buffer.from(JSON.stringify([text, salt])).toString("base64url")}${close}`;
}

function readToken(payload: string): string {
  const [text] = JSON.parse(Buffer.from(payload, "base64url").toString()) as [string, string];
  return text;
}

function indentLines(text: string, indent: string): string {
  return text
    .replaceAll(/<indent(?:\+(\d+))?>/gu, (_, more = "0") => String(indent.length + Number(more)))
    .split("\n")
    .map((line) => `${indent}${line}`)
    .join("\n");
}
