import { isObject } from "@tsbuilder/apimachinery/json";
import { parse } from "yaml";
import { readPath } from "./read-path.ts";

/**
 * Renders a stage's template and parses it as YAML. Of Go's template language it supports the time, `{{ Now
 * }}`, and fields of the object, `{{ .spec.nodeName }}`, each also with `| Quote`; anything else is rejected.
 */
export function renderTemplate(template: string, object: object, now: string): object {
  const text = template.replaceAll(/\{\{-?\s*(.*?)\s*-?\}\}/gs, (_, action: string) => {
    return evaluate(action, object, now);
  });
  const value: unknown = parse(text);
  if (isObject(value)) return value;
  throw new TypeError("a statusTemplate must render to an object");
}

function evaluate(action: string, object: object, now: string): string {
  const [expression = "", ...filters] = action.split("|").map((part) => part.trim());
  const unknown = filters.find((filter) => filter !== "Quote");
  const value =
    expression === "Now" ? now : /^(\.[\w-]+)+$/.test(expression) ? readPath(object, expression) : undefined;
  const understood = expression === "Now" || expression.startsWith(".");
  if (!understood || unknown !== undefined) {
    throw new TypeError(`can't evaluate "{{ ${action} }}": only Now, fields and "| Quote" are supported`);
  }
  return JSON.stringify(value ?? "");
}
