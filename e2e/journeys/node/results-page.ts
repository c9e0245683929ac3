import { relative } from "node:path";

/** The fields of vitest's JSON report that are read here. */
export interface VitestReport {
  readonly startTime: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly {
      readonly title: string;
      /** The group of the test, such as the tests beside another control plane. */
      readonly ancestorTitles?: readonly string[];
      readonly status: string;
      readonly duration?: number | null;
    }[];
  }[];
}

/** The page with the results of a run on a control plane; files of which nothing ran, or could run, keep those of their last one. */
export function resultsPage(
  before: string,
  { startTime, testResults: all }: VitestReport,
  { root, controlPlane }: { readonly root: string; readonly controlPlane: string },
): string {
  const testResults = all.filter(({ assertionResults }) =>
    assertionResults.some(({ status }) => status === "passed" || status === "failed"),
  );
  const begins = testResults.map(({ name }) => `| ${relative(root, name)} | ${controlPlane} |`);
  const kept = before
    .split("\n")
    .filter((line) => line.startsWith("| e2e/") && !begins.some((begin) => line.startsWith(begin)));
  const at = new Date(startTime).toISOString().slice(0, 16);
  const rows = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ title, ancestorTitles = [], status, duration }) => {
      const what = [...ancestorTitles, title].join(": ");
      const seconds = ((duration ?? 0) / 1000).toFixed(0);
      return `| ${relative(root, name)} | ${controlPlane} | ${what} | ${status} | ${seconds} | ${at} |`;
    }),
  );
  return `# The last run of each test on a real Kubernetes

Written by \`npm run lab -- node\`, with \`CONTROL_PLANE=embedded\` for the embedded one. The seconds are those of a machine of two cores,
which may have had other work.

| file | control plane | test | verdict | seconds | at |
| --- | --- | --- | --- | --- | --- |
${[...kept, ...rows].toSorted((left, right) => fileOf(left).localeCompare(fileOf(right))).join("\n")}
`;
}

function fileOf(row: string): string {
  return row.split(" ")[1]!;
}
