import { isObject, type JSONValue, memberOf } from "../json/index.ts";

/** Formats a value as Go's `%v` does: some messages of the API server contain values in that form. */
export function goText(value: JSONValue): string {
  if (value === null) return "<nil>";
  if (Array.isArray(value)) return `[${value.map(goText).join(" ")}]`;
  if (!isObject(value)) return String(value);
  const members = Object.keys(value)
    .sort()
    .map((name) => `${name}:${goText(memberOf(value, name)!)}`);
  return `map[${members.join(" ")}]`;
}

/** Formats a value as Go's `%#v` does: Go syntax, with types and quotes. */
export function goSyntax(value: JSONValue): string {
  if (value === null) return "interface {}(nil)";
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(", ")}}`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${goSyntax(memberOf(value, name)!)}`);
  return `map[string]interface {}{${members.join(", ")}}`;
}
