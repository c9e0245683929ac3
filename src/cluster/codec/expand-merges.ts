import { type Document, isAlias, isMap, isScalar, isSeq, type Pair, type YAMLMap } from "yaml";

/** How many members the merges of a document may add: merges of merges could add billions. */
const limit = 100_000;

/**
 * Replaces each merge (`<<`) of a document by the members that it adds. Go sets them in the order of the text, so that
 * the last one wins, and counts a key that is set already as a duplicate.
 */
export function expandMerges(document: Document): void {
  const expanded = new Set<YAMLMap>();
  let left = limit;

  function expand(node: unknown): void {
    if (isSeq(node)) node.items.forEach(expand);
    if (!isMap(node) || expanded.has(node)) return;
    expanded.add(node);
    for (const { value } of node.items) expand(value);
    if (node.items.some(isMerge))
      node.items = node.items.flatMap((pair) => (isMerge(pair) ? membersOf(pair.value) : [pair]));
  }

  /** Of several mappings, the first one wins: it is set last. */
  function membersOf(value: unknown): Pair[] {
    const source = isAlias(value) ? value.resolve(document) : value;
    if (isSeq(source)) return source.items.toReversed().flatMap(membersOf);
    if (!isMap(source)) throw new TypeError("map merge requires map or sequence of maps as the value");
    expand(source);
    left -= source.items.length;
    if (left < 0) throw new RangeError("document contains excessive aliasing");
    return source.items;
  }

  expand(document.contents);
}

function isMerge({ key }: Pair): boolean {
  if (!isScalar(key) || key.type !== "PLAIN") return false;
  const { value } = key;
  return value === "<<" || (typeof value === "symbol" && value.description === "<<");
}
