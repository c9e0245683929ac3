import { visibleText } from "@tsbuilder/apimachinery/text";
import { options, type VNode } from "preact";

/**
 * Has all text of the page pass through `visibleText()`: what it shows comes from a cluster, or from a recording of
 * others, and characters that change the direction of text would put a difference in another order.
 */
export function showAllCharacters(): void {
  const { vnode: before } = options;
  options.vnode = (node) => {
    if (node.type === null && typeof node.props === "string")
      (node as { props: unknown }).props = visibleText(node.props);
    else if (hasTitle(node)) node.props.title = visibleText(node.props.title);
    before?.(node);
  };
}

const hasTitle = (node: VNode): node is VNode<{ title: string }> =>
  typeof (node.props as { title?: unknown } | null)?.title === "string";
