import type { Selection } from "../client/options.ts";

type Labels = { readonly [label: string]: string } | undefined;

/** Makes a test for labels out of what a selection says of them. */
export function matchLabels(labels: Selection["labels"]): (labels: Labels) => boolean {
  if (labels === undefined) return () => true;
  if (typeof labels === "string") throw new Error("selector");
  const pairs = Object.entries(labels).filter(([, value]) => value !== undefined);
  return (actual) => pairs.every(([label, value]) => actual?.[label] === value);
}
