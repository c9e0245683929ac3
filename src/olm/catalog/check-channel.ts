import type { Located } from "../located.ts";
import { parseRange } from "../version-range.ts";
import { type CatalogFinding, finding } from "./finding.ts";

/** The upgrades of a channel: from any entry, a way leads to its one head. */
export function* checkChannel(channel: Located): Iterable<CatalogFinding> {
  const entries = new Map<string, Located>();
  const listed = channel.get("entries").items;
  if (listed.length === 0) {
    const message = `the channel "${channel.get("name").text}" has no entries`;
    yield finding("channel-empty", channel.get("entries"), message, "add a bundle: tsbuilder catalog add");
    return;
  }
  for (const entry of listed) {
    const name = entry.get("name");
    if (name.text === undefined || entries.has(name.text)) {
      const message =
        name.text === undefined ? "an entry has no name" : `"${name.text}" is in the channel twice`;
      yield finding("entry-duplicate", name, message, "list each bundle once");
      continue;
    }
    entries.set(name.text, entry);
    for (const skipped of entry.get("skips").items.filter((one) => !one.text)) {
      const message = `the name of a skipped bundle is ${skipped.value === "" ? "empty" : "not a text"}`;
      yield finding("entry-skips", skipped, message, "name it, or delete it");
    }
    const range = entry.get("skipRange");
    if (range.isMissing || range.value === "" || parseRange(range.text ?? "")) continue;
    const message = `skipRange ${JSON.stringify(range.value)} is not a range of versions`;
    yield finding("entry-skip-range", range, message, 'use one such as ">=1.0.0 <1.2.0"');
  }
  yield* checkGraph(channel, entries);
}

function* checkGraph(channel: Located, entries: ReadonlyMap<string, Located>): Iterable<CatalogFinding> {
  const skipped = new Set([...entries.values()].flatMap((entry) => entry.get("skips").texts));
  const replaced = new Set([...entries.values()].map((entry) => entry.get("replaces").text));
  const heads = [...entries.keys()].filter((name) => !skipped.has(name) && !replaced.has(name));
  // With a head, entries that are skipped may replace each other.
  const starts = [...entries.keys()].filter((name) => heads.length !== 1 || !skipped.has(name));
  const cycle = findCycle(entries, starts);
  if (cycle !== undefined) {
    const message = `the upgrades form a cycle: ${cycle.join(" replaces ")}`;
    yield finding(
      "channel-cycle",
      entries.get(cycle[0]!)!.get("replaces"),
      message,
      "each bundle replaces an earlier one",
    );
    return;
  }
  if (heads.length !== 1) {
    const message =
      heads.length === 0
        ? "every entry of the channel is replaced or skipped, so none is installed"
        : `the channel has several heads: ${heads.join(", ")}`;
    const hint =
      "set replaces or skips of the newest bundle, so that it alone is neither replaced nor skipped";
    yield finding("channel-head", channel.get("entries"), message, hint);
    return;
  }
  const reached = new Set<string>();
  for (
    let name: string | undefined = heads[0];
    name !== undefined;
    name = entries.get(name)?.get("replaces").text
  ) {
    reached.add(name);
  }
  for (const [name, entry] of entries) {
    if (reached.has(name) || skipped.has(name)) continue;
    const message = `no upgrade leads from "${name}" to the head "${heads[0]}"`;
    yield finding("channel-stranded", entry.get("name"), message, "have a later bundle replace or skip it");
  }
}

/** The names on a circle of replacements, from one of them back to it. */
function findCycle(entries: ReadonlyMap<string, Located>, starts: readonly string[]): string[] | undefined {
  const done = new Set<string>();
  for (const start of starts) {
    const way: string[] = [];
    for (
      let name: string | undefined = start;
      name !== undefined && entries.has(name) && !done.has(name);
      name = entries.get(name)!.get("replaces").text
    ) {
      if (way.includes(name)) return [...way.slice(way.indexOf(name)), name];
      way.push(name);
    }
    for (const name of way) done.add(name);
  }
  return undefined;
}
