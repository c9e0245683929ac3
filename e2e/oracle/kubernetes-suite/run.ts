import { readFileSync, writeFileSync } from "node:fs";
import { defaultVersion, kubernetesVersion } from "../real/build-kubernetes.ts";
import { findProgram } from "./find-program.ts";
import { whyLeftOut } from "./left-out.ts";
import { runOnNodes, startNodesCluster } from "./run-on-nodes.ts";
import { type Program, listSpecs, runSpecs } from "./run-specs.ts";
import { parseSuiteOptions, suiteHelp } from "./suite-options.ts";
import { prepareSuiteImages } from "./suite-images.ts";
import { type Row, readRows, rowsOf, titleOf, verdictsPage } from "./table.ts";
import type { Verdict } from "./verdicts.ts";

/** Each release has a page; that of the default one is the one that tests read. */
const [major, minor] = kubernetesVersion.split(".");
const page = new URL(
  kubernetesVersion === defaultVersion ? "VERDICTS.md" : `VERDICTS-${major}.${minor}.md`,
  import.meta.url,
);
const introduction = `Written by \`${kubernetesVersion === defaultVersion ? "" : `KUBERNETES_VERSION=${kubernetesVersion} `}npm run lab -- conformance\`, which runs the [Conformance] specs of Kubernetes ${kubernetesVersion} that need no running container.
The suite's webhooks and the containers of its Jobs have stand-ins: \`sample-webhooks.ts\` and \`container-stages.ts\`.`;

const nodesPage = new URL("VERDICTS-NODES.md", import.meta.url);
const nodesIntroduction = `Written by \`npm run lab -- conformance --nodes 2\`, which runs all [Conformance] specs of Kubernetes ${kubernetesVersion} on an embedded
cluster with two real nodes, whose pods are containers; nothing stands in for anything but images (\`suite-images.ts\`). Each spec has its
last verdict: a spec is run when what it is about has changed, so not all are of one commit.`;

if (process.argv.includes("--help")) {
  console.log(suiteHelp);
  process.exit();
}
const { build, focus, shares, nodes, rest } = parseSuiteOptions(process.argv.slice(2));
const program = findProgram();
if ("missing" in program) {
  console.log(`left out: Kubernetes' conformance suite: ${program.missing}`);
  process.exit();
}
if (build) {
  const images = nodes > 0 ? prepareSuiteImages() : [];
  if ("missing" in images) console.log(images.missing);
  process.exit("missing" in images ? 1 : 0);
}
// Without a listener, a signal ends this process before it can end those of e2e.test.
for (const [signal, number] of [
  ["SIGINT", 2],
  ["SIGTERM", 15],
  ["SIGHUP", 1],
] as const)
  process.once(signal, () => process.exit(128 + number));
const all = await listSpecs(program);
if (nodes > 0) await runWithNodes(program);
else await runWithout(program);

async function runWithout(program: Program): Promise<void> {
  const specs = all.filter((spec) =>
    focus === undefined ? whyLeftOut(spec) === undefined : spec.includes(focus),
  );
  const output = focus === undefined ? "ignore" : "inherit";
  const verdicts = await runSpecs(program, specs, { shares, output });
  const rows = rowsOf(focus === undefined ? all : specs, verdicts, whyLeftOut);
  report(rows, specs.length);
  if (focus === undefined) writeFileSync(page, verdictsPage(rows, introduction));
}

/** Runs specs on nodes, and adds what becomes of them to the page as it becomes known. */
async function runWithNodes(program: Program): Promise<void> {
  const readPage = () => new Map(readRows(readFileSync(nodesPage, "utf8")).map((row) => [row.spec, row]));
  const before = readPage();
  const hasPassed = (spec: string): boolean => before.get(titleOf(spec))?.verdict === "passed";
  const whyNot = (spec: string): string | undefined => whyLeftOut(spec, { nodes });
  const specs = all.filter(
    (spec) =>
      (focus === undefined ? whyNot(spec) === undefined : spec.includes(focus)) && !(rest && hasPassed(spec)),
  );
  const cluster = await startNodesCluster(nodes);
  if ("missing" in cluster) {
    console.log(`left out: Kubernetes' conformance suite on nodes: ${cluster.missing}`);
    return;
  }
  const verdicts: Verdict[] = [];
  try {
    await runOnNodes(program, cluster, specs, {
      shares,
      output: focus === undefined ? "ignore" : "inherit",
      tell(more) {
        verdicts.push(...more);
        for (const { spec, passed, message } of more)
          console.log(
            `${verdicts.length}/${specs.length} ${passed ? "passed" : "FAILED"} ${titleOf(spec)} ${message}`,
          );
        // Another run may have written meanwhile.
        const known = readPage();
        const ran = rowsOf(
          more.map(({ spec }) => spec),
          more,
          () => undefined,
        );
        for (const row of ran) known.set(titleOf(row.spec), { ...row, spec: titleOf(row.spec) });
        const rows = all.map((each): Row => {
          const spec = titleOf(each);
          const found = known.get(spec);
          const why = whyNot(each);
          if (found && (found.verdict === "passed" || why === undefined)) return found;
          return { spec, verdict: "left out", why: why ?? "was not run" };
        });
        writeFileSync(nodesPage, verdictsPage(rows, nodesIntroduction));
      },
    });
  } finally {
    await cluster.stop();
  }
  report(
    rowsOf(specs, verdicts, () => undefined),
    specs.length,
  );
}

function report(rows: readonly Row[], count: number): void {
  const failed = rows.filter(({ verdict }) => verdict === "failed");
  for (const { spec, why } of failed) console.log(`failed: ${titleOf(spec)}: ${why}`);
  console.log(`${count - failed.length} specs passed, ${failed.length} failed`);
  console.log(`left out: ${all.length - count} of ${all.length} conformance specs of Kubernetes`);
  if (failed.length > 0) process.exitCode = 1;
}
