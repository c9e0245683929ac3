/** A line of facts with the one above it that has less of an indent: the field of a type, a resource of a version. */
type Entries = ReadonlyMap<string, string>;

/** Returns what differs between two versions of a file of facts, by entry, and what a person has to do about it. */
export function compareFacts(
  name: string,
  old: readonly string[],
  lines: readonly string[],
  rules: readonly string[],
): string[] {
  const before = entriesOf(old);
  const after = entriesOf(lines);
  const report: string[] = [];
  for (const [key, text] of after) {
    const known = before.get(key);
    if (known === undefined) report.push(`+ ${key} ${text}`.trimEnd());
    else if (known !== text) report.push(`~ ${key} ${known} -> ${text}`);
  }
  for (const key of before.keys()) if (!after.has(key)) report.push(`- ${key}`);
  if (report.length > 0) report.unshift(`${name}: ${report.length} of ${after.size} entries differ`);
  if (name === "resources.txt") report.push(...toDecide(before, after, rules));
  return report;
}

/** New kinds need rules and a strategy; rules of kinds that are gone go. */
function toDecide(before: Entries, after: Entries, rules: readonly string[]): string[] {
  const added = [...after.keys()].filter((key) => /^\S+ \S+$/u.test(key) && !before.has(key));
  const stale = rules.filter((line) => /^\w/u.test(line) && !after.has(line.split(" ", 2).join(" ")));
  return [
    ...added.map(
      (key) => `to write: rules.txt (generation, field selectors …) and src/cluster/kinds for ${key}`,
    ),
    ...stale.map((line) => `to remove: rules.txt has ${line}`),
  ];
}

function entriesOf(lines: readonly string[]): Entries {
  const entries = new Map<string, string>();
  let parents: string[] = [];
  for (const line of lines.filter((text) => text !== "" && !text.startsWith("#"))) {
    const depth = /^ */u.exec(line)![0].length;
    const [name = "", ...words] = line.trim().split(" ");
    // Columns have no name.
    const isColumns = depth === 4;
    parents = [...parents.slice(0, Math.ceil(depth / 2)), isColumns ? "columns" : name.replace("!", "")];
    entries.set(
      parents.join(" "),
      isColumns ? line.trim() : [name.endsWith("!") && "required", ...words].filter(Boolean).join(" "),
    );
  }
  return entries;
}
