import { visibleText } from "@tsbuilder/apimachinery/text";

/** The time of day, in UTC and with milliseconds, as `tsbuilder replay` tells it. */
export function timeOfDay(at: number): string {
  return Number.isFinite(at) ? new Date(at).toISOString().slice(11, 23) : "";
}

/** Bytes in megabytes. */
export function megabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(bytes < 100 * 1024 * 1024 ? 1 : 0)} MB`;
}

/** A duration in its most readable unit. */
export function duration(milliseconds: number): string {
  if (milliseconds < 1) return "under 1 ms";
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(1)} s`;
  return `${Math.floor(milliseconds / 60_000)} min ${Math.round((milliseconds % 60_000) / 1000)} s`;
}

/** Tells of texts whether they have all words of a filter; it is made once for many. */
export function matcher(filter: string): (text: string) => boolean {
  const words = filter
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== "");
  if (words.length === 0) return () => true;
  return (text) => {
    const lower = text.toLowerCase();
    return words.every((word) => lower.includes(word));
  };
}

interface Node {
  readonly type: unknown;
  props: unknown;
}

/**
 * Passes the text and the title of a node through `visibleText()`: what the page shows comes from a cluster, or from a
 * recording of others, and characters that change the direction of text would put a difference in another order.
 */
export function showAllCharacters(node: Node): void {
  if (node.type === null && typeof node.props === "string") node.props = visibleText(node.props);
  const props = node.props as { title?: unknown } | null;
  if (typeof props?.title === "string") props.title = visibleText(props.title);
}
