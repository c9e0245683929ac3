import type { KubernetesObject, LabelSelector } from "@tsbuilder/apimachinery/meta";
import {
  formatLabelSelector,
  matchesFields,
  matchesLabelSelector,
  matchesRequirements,
  parseFieldSelector,
  parseLabelSelector,
} from "@tsbuilder/apimachinery/selector";
import type { Selection } from "./client.ts";

/** Converts a selection to the server's query parameters. */
export function selectionQuery({ labels, fields }: Pick<Selection, "labels" | "fields">): {
  labelSelector?: string;
  fieldSelector?: string;
} {
  const labelSelector = labelText(labels);
  const fieldSelector = equalities(fields);
  return { ...(labelSelector && { labelSelector }), ...(fieldSelector && { fieldSelector }) };
}

/** Distinguishes a label selector from a map of labels. */
function isLabelSelector(labels: Exclude<Selection["labels"], string>): labels is LabelSelector {
  const { matchLabels, matchExpressions } = (labels ?? {}) as LabelSelector;
  return typeof matchLabels === "object" || Array.isArray(matchExpressions);
}

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

function labelText(labels: Selection["labels"]): string {
  if (typeof labels === "string") return labels;
  return isLabelSelector(labels) ? formatLabelSelector(labels) : equalities(labels);
}

function equalities(pairs: { readonly [name: string]: string | undefined } | undefined): string {
  return Object.entries(pairs ?? {})
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${value}`)
    .join(",");
}
