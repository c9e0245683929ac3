import type { Verdict } from "./verdicts.ts";

/** A spec of the suite with what became of it. */
export interface Row {
  readonly spec: string;
  readonly verdict: "passed" | "failed" | "left out";
  readonly why: string;
}

/** A row for each spec: its verdict, or why it was left out. */
export function rowsOf(
  specs: readonly string[],
  verdicts: readonly Verdict[],
  whyLeftOut: (spec: string) => string | undefined,
): Row[] {
  const ran = new Map(verdicts.map((verdict) => [verdict.spec, verdict]));
  return specs.map((spec) => {
    const found = ran.get(spec);
    if (found?.passed) return { spec, verdict: "passed", why: "" };
    if (found) return { spec, verdict: "failed", why: firstSentence(found.message) };
    const why = whyLeftOut(spec);
    return why === undefined
      ? { spec, verdict: "failed", why: "it did not run" }
      : { spec, verdict: "left out", why };
  });
}

/** The rows of a page, to which the specs that have run since are added. */
export function readRows(page: string): Row[] {
  const rows = page.matchAll(/^\| (\[sig-.*?) \| (passed|failed|left out) \| (.*?) ?\|$/gmu);
  return [...rows].map(([, spec = "", verdict, why = ""]) => ({
    spec: plain(spec),
    verdict: verdict as Row["verdict"],
    why: plain(why),
  }));
}

/** The page of all verdicts, for people. */
export function verdictsPage(rows: readonly Row[], introduction: string): string {
  const groups = [...new Set(rows.map(groupOf))];
  const inGroup = (group: string): Row[] => rows.filter((row) => groupOf(row) === group);
  const counts = [...groups.map((group) => countLine(group, inGroup(group))), countLine("all", rows)];
  return `# Kubernetes' conformance suite on the embedded cluster

${introduction}

| group | specs | passed | failed | left out |
| --- | --- | --- | --- | --- |
${counts.join("\n")}

| spec | verdict | why |
| --- | --- | --- |
${rows.map(({ spec, verdict, why }) => `| ${escaped(titleOf(spec))} | ${verdict} | ${escaped(why)} |`).join("\n")}
`;
}

function countLine(group: string, rows: readonly Row[]): string {
  const count = (verdict: Row["verdict"]): number => rows.filter((row) => row.verdict === verdict).length;
  return `| ${group} | ${rows.length} | ${count("passed")} | ${count("failed")} | ${count("left out")} |`;
}

/** The special interest group that owns a spec. */
function groupOf({ spec }: Row): string {
  return /^\[sig-([^\]]+)\]/.exec(spec)?.[1] ?? "none";
}

/** The name of a spec without what all of them share. */
export function titleOf(spec: string): string {
  return spec.replace(/ \[(?:Conformance|NodeConformance|LinuxOnly|Privileged:ClusterAdmin)\]/g, "");
}

function firstSentence(message: string): string {
  return message.split("\n")[0]!.slice(0, 200).trim();
}

/** The text of a cell. */
function plain(cell: string): string {
  return cell.replace(/\\([|*_<`\\])/g, "$1");
}

/** Text for a cell of a Markdown table. */
function escaped(text: string): string {
  return text.replace(/[|*_<`\\]/g, "\\$&");
}
