import { fnv64 } from "@tsbuilder/apimachinery/text";

/** The hashes are divided into this many ranges of the same size, the unit in which they move between processes. */
export const rangeCount = 64;

/** A set of ranges: bit n stands for range n. */
export type Ranges = bigint;

export const noRanges: Ranges = 0n;
export const allRanges: Ranges = (1n << BigInt(rangeCount)) - 1n;
const rangeSize = 2n ** 64n / BigInt(rangeCount);

/** The range of a uid or a namespace: the first bits of the hash by which API servers shard lists and watches. */
export function rangeOf(text: string): number {
  return Number(fnv64(text) / rangeSize);
}

export function hasRange(ranges: Ranges, range: number): boolean {
  return ((ranges >> BigInt(range)) & 1n) === 1n;
}

export function listRanges(ranges: Ranges): number[] {
  return Array.from({ length: rangeCount }, (_, range) => range).filter((range) => hasRange(ranges, range));
}

export function countRanges(ranges: Ranges): number {
  return listRanges(ranges).length;
}

/** Formats ranges as sixteen hex digits, for the annotation of a Lease. */
export function formatRanges(ranges: Ranges): string {
  return ranges.toString(16).padStart(rangeCount / 4, "0");
}

/** Parses the text of `formatRanges`; undefined for anything else. */
export function parseRanges(text: string | undefined): Ranges | undefined {
  return text !== undefined && /^[0-9a-f]{16}$/.test(text) ? BigInt(`0x${text}`) : undefined;
}

/** The shard selector of KEP-5866 for the objects of some ranges; neighbors are joined. Not for no ranges: "" selects all. */
export function shardSelectorOf(field: "uid" | "namespace", ranges: Ranges): string {
  const bounds: { start: bigint; end: bigint }[] = [];
  for (const range of listRanges(ranges)) {
    const start = BigInt(range) * rangeSize;
    const last = bounds.at(-1);
    if (last?.end === start) last.end += rangeSize;
    else bounds.push({ start, end: start + rangeSize });
  }
  return bounds
    .map(({ start, end }) => `shardRange(object.metadata.${field},'${hex(start)}','${hex(end)}')`)
    .join("||");
}

function hex(bound: bigint): string {
  return `0x${bound.toString(16).padStart(16, "0")}`;
}
