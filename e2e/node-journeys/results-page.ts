import { relative } from "node:path";

/** What vitest's JSON reporter writes, as far as it is read here. */
export interface VitestReport {
  readonly startTime: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly {
      readonly title: string;
      readonly status: string;
      readonly duration?: number | null;
    }[];
  }[];
}

/** The page with the results of a run. */
export function resultsPage({ startTime, testResults }: VitestReport, root: string): string {
  const rows = testResults
    .toSorted((left, right) => left.name.localeCompare(right.name))
    .flatMap(({ name, assertionResults }) =>
      assertionResults.map(({ title, status, duration }) => {
        const seconds = ((duration ?? 0) / 1000).toFixed(0);
        return `| ${relative(root, name)} | ${title} | ${status} | ${seconds} |`;
      }),
    );
  return `# The last full run on a real Kubernetes

Written by \`npm run e2e:node\`, which started at ${new Date(startTime).toISOString()}.

| file | test | verdict | seconds |
| --- | --- | --- | --- |
${rows.join("\n")}
`;
}
