import { visibleText } from "@tsbuilder/apimachinery/text";
import { options } from "preact";

/**
 * Has all text of the page pass through `visibleText()`: what it shows comes from a cluster, or from a recording of
 * others, and characters that change the direction of text would put a difference in another order.
 */
export function showAllCharacters(): void {
  options.vnode = (node: { readonly type: unknown; props: unknown }) => {
    if (node.type === null && typeof node.props === "string") node.props = visibleText(node.props);
    const props = node.props as { title?: unknown } | null;
    if (typeof props?.title === "string") props.title = visibleText(props.title);
  };
}
