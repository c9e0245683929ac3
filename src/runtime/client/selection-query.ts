import type { Selection } from "./options.ts";

/** Writes a selection as the server's query parameters. */
export function selectionQuery({ labels, fields }: Pick<Selection, "labels" | "fields">): {
  labelSelector?: string;
  fieldSelector?: string;
} {
  const labelSelector = typeof labels === "string" ? labels : equalities(labels);
  const fieldSelector = equalities(fields);
  return { ...(labelSelector && { labelSelector }), ...(fieldSelector && { fieldSelector }) };
}

function equalities(pairs: { readonly [name: string]: string | undefined } | undefined): string {
  return Object.entries(pairs ?? {})
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${value}`)
    .join(",");
}
