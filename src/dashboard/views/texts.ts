import { visibleText } from "@tsbuilder/apimachinery/text";

/** Formats the time of day in UTC with milliseconds, as `tsbuilder replay` does. */
export function timeOfDay(at: number): string {
  return Number.isFinite(at) ? new Date(at).toISOString().slice(11, 23) : "";
}

/** Formats a duration in its most readable unit. */
export function duration(milliseconds: number): string {
  if (milliseconds < 1) return "under 1 ms";
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(1)} s`;
  return `${Math.floor(milliseconds / 60_000)} min ${Math.round((milliseconds % 60_000) / 1000)} s`;
}

/** Returns a predicate for texts that contain all words of a filter, in any case. */
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
 * Passes the text and the title of a node through `visibleText()`: texts come from a cluster, or from a recording by
 * somebody else, and characters that change the direction of text could disguise a difference.
 */
export function showAllCharacters(node: Node): void {
  if (node.type === null && typeof node.props === "string") node.props = visibleText(node.props);
  const props = node.props as { title?: unknown } | null;
  if (typeof props?.title === "string") props.title = visibleText(props.title);
}
