import { visibleText } from "@tsbuilder/apimachinery/text";

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
