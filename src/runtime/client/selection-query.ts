import type { LabelSelector } from "@tsbuilder/apimachinery/meta";
import { formatLabelSelector } from "@tsbuilder/apimachinery/selector";
import type { Selection } from "./options.ts";

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
export function isLabelSelector(labels: Exclude<Selection["labels"], string>): labels is LabelSelector {
  const { matchLabels, matchExpressions } = (labels ?? {}) as LabelSelector;
  return typeof matchLabels === "object" || Array.isArray(matchExpressions);
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
