import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import {
  matchesFields,
  matchesLabelSelector,
  matchesRequirements,
  parseFieldSelector,
  parseLabelSelector,
} from "@tsbuilder/apimachinery/selector";
import { isLabelSelector } from "../client/selection-query.ts";
import type { Selection } from "../client/options.ts";

type Labels = { readonly [label: string]: string } | undefined;

/** Creates a predicate for labels from a label selector. */
export function matchLabels(labels: Selection["labels"]): (labels: Labels) => boolean {
  if (labels === undefined) return () => true;
  if (typeof labels === "string") {
    const requirements = parseLabelSelector(labels);
    return (actual) => matchesRequirements(requirements, actual);
  }
  if (isLabelSelector(labels)) return (actual) => matchesLabelSelector(labels, actual);
  const pairs = Object.entries(labels).filter(([, value]) => value !== undefined);
  return (actual) => pairs.every(([label, value]) => actual?.[label] === value);
}

/** Creates a predicate for objects from a field selector. Fields are read by their path, named as on the server. */
export function matchFields(fields: string | undefined): (object: KubernetesObject) => boolean {
  if (!fields) return () => true;
  const terms = parseFieldSelector(fields);
  return (object) => matchesFields(terms, (field) => textAt(object, field));
}

function textAt(object: unknown, path: string): string | undefined {
  let value = object;
  for (const field of path.split(".")) value = (value as { [field: string]: unknown } | undefined)?.[field];
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : undefined;
}
