import { controllerGenVersion } from "../../oracle/real/controller-gen/go-twin.ts";
import type { ComparedKind, ComparedOperator } from "./compare-operator.ts";
import type { Operator } from "./operators.ts";
import { verdict } from "./report.ts";

/** The page with what became of all operators. */
export function resultsPage(compared: ReadonlyMap<Operator, ComparedOperator>): string {
  const all = [...compared.values()].flatMap(({ kinds }) => kinds);
  const rows = [...compared].map(([{ name, module, version }, { kinds, removed }]) => {
    const counts = verdicts.map((each) => countOf(kinds, each));
    return `| ${name} | \`${module}@${version}\` | ${kinds.length} | ${counts.join(" | ")} | ${removed.length} |`;
  });
  const reasons = countEach(all.flatMap(({ deliberate }) => [...deliberate.keys()]));
  const removedAll = [...compared.values()].flatMap(({ removed }) => removed);
  const markers = countEach(removedAll.map((marker) => /^\+[\w:]*\w/u.exec(marker)?.[0] ?? marker));
  return `# Kinds of operators written in Go, in TypeScript

Written by \`npm run lab -- go-types\`, which translates their types and compares the CRDs with those of controller-gen ${controllerGenVersion}.

| operator | module | kinds | equal byte for byte | equal but for the differences below | different | markers left out |
| --- | --- | ---: | ---: | ---: | ---: | ---: |
${rows.join("\n")}
| all | | ${all.length} | ${verdicts.map((each) => countOf(all, each)).join(" | ")} | ${removedAll.length} |

| difference on purpose | kinds |
| --- | ---: |
${[...reasons].map(([name, count]) => `| ${name} | ${count} |\n`).join("")}
The reasons stand in [the list of differences](../../src/generators/differences.md).

| marker that was left out: controller-gen ignores it, our generators refuse it | times |
| --- | ---: |
${[...markers].map(([name, count]) => `| \`${name}\` | ${count} |\n`).join("")}`;
}

/** How often each text is among some. */
function countEach(texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return new Map([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
}

const verdicts = ["equal", "equal but", "different"] as const;

function countOf(kinds: readonly ComparedKind[], wanted: (typeof verdicts)[number]): number {
  return kinds.filter((kind) => verdict(kind) === wanted).length;
}
