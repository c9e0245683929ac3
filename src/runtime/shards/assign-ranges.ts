import { fnv64 } from "@tsbuilder/apimachinery/text";
import { noRanges, rangeCount, type Ranges } from "./ranges.ts";

/**
 * Assigns every range to one of the members. The numbers of ranges differ by one at most, all processes that know the
 * same members come to the same result, and a member that joins or leaves moves few ranges but its own: each range goes
 * to the member with the highest rank for it that has room.
 */
export function assignRanges(members: readonly string[]): ReadonlyMap<string, Ranges> {
  const assigned = new Map(
    members.map((member) => [member, { hash: fnv64(member), ranges: noRanges, count: 0 }]),
  );
  const least = Math.floor(rangeCount / members.length);
  /** How many members may have one more than the others. */
  let extra = rangeCount % members.length;
  for (let range = 0; range < rangeCount && members.length > 0; range++) {
    const hasRoom = ({ count }: { readonly count: number }) =>
      count < least || (count === least && extra > 0);
    const [best] = [...assigned]
      .filter(([, has]) => hasRoom(has))
      .map(([member, has]) => ({ member, has, rank: rankOf(has.hash, range) }))
      .sort((a, b) => (a.rank === b.rank ? (a.member < b.member ? -1 : 1) : a.rank > b.rank ? -1 : 1));
    if (!best) continue;
    if (best.has.count === least) extra--;
    best.has.count++;
    best.has.ranges |= 1n << BigInt(range);
  }
  return new Map([...assigned].map(([member, { ranges }]) => [member, ranges]));
}

/** The finalizer of SplitMix64: one bit of difference in the hash or the range changes half of the bits. */
function rankOf(hash: bigint, range: number): bigint {
  let mixed = BigInt.asUintN(64, hash + BigInt(range + 1) * 0x9e3779b97f4a7c15n);
  mixed = BigInt.asUintN(64, (mixed ^ (mixed >> 30n)) * 0xbf58476d1ce4e5b9n);
  mixed = BigInt.asUintN(64, (mixed ^ (mixed >> 27n)) * 0x94d049bb133111ebn);
  return mixed ^ (mixed >> 31n);
}
