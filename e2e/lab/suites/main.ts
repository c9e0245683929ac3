import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder } from "../../oracle/real/build-kubernetes.ts";
import { findBinaries } from "../../oracle/real/control-plane-binaries.ts";
import { fetchModule } from "../../oracle/real/go-suites/fetch-module.ts";
import { compileSuite, runSuite, type SuiteOutcome } from "../../oracle/real/go-suites/run-suite.ts";
import { findPrograms } from "../../support/kubectl-binaries.ts";
import { projects } from "./projects.ts";

// Runs the envtest suites of other projects on the embedded cluster, as `tsbuilder envtest use` has it, and on kube-apiserver
// and etcd, one after the other. Prints a row for each package: what passed and failed, and the seconds.

const [wanted, ...wantedPackages] = process.argv.slice(2);
const names = wanted === undefined ? Object.keys(projects) : [wanted];
const unknown = names.find((name) => !Object.hasOwn(projects, name));
if (unknown !== undefined) throw new Error(`no project "${unknown}": ${Object.keys(projects).join(", ")}`);

const programs = findPrograms("36");
if ("missing" in programs) throw new Error(programs.missing);
const { kubectl } = programs;
const binaries = findBinaries();
if ("missing" in binaries) throw new Error(binaries.missing);
const controlPlanes = { embedded: embeddedVariables(), real: realVariables(binaries.folder) };

const work = join(cacheFolder("suites"), "..");
mkdirSync(work, { recursive: true });
console.log(
  "| package | embedded: passed, failed, seconds | kube-apiserver: passed, failed, seconds |\n| --- | --- | --- |",
);
for (const name of names) {
  const { module, version, packages, isGinkgo, prepare } = projects[name]!;
  const folder = fetchModule(module, version);
  prepare?.(folder, kubectl);
  for (const pkg of packages) {
    if (wantedPackages.length > 0 && !wantedPackages.includes(pkg)) continue;
    const id = `${name}-${pkg.replaceAll("/", "-")}`;
    const suite = await compileSuite(folder, pkg, join(work, `${id}.test`));
    const outcomes: Record<string, SuiteOutcome> = {};
    const cells: string[] = [];
    for (const [plane, variables] of Object.entries(controlPlanes)) {
      const start = process.hrtime.bigint();
      const outcome = await runSuite(suite, variables, isGinkgo ? undefined : ".");
      const seconds = Number(process.hrtime.bigint() - start) / 1e9;
      writeFileSync(join(work, `${id}.${plane}.log`), outcome.output);
      outcomes[plane] = outcome;
      cells.push(`${outcome.passed}, ${outcome.failed.size}, ${seconds.toFixed(1)}`);
    }
    console.log(`| ${name} ${pkg} | ${cells.join(" | ")} |`);
    const { embedded, real } = outcomes as { embedded: SuiteOutcome; real: SuiteOutcome };
    for (const [spec, reason] of embedded.failed)
      if (!real.failed.has(spec)) console.error(`  only embedded fails: ${spec}: ${reason.split("\n")[0]}`);
    for (const spec of real.failed.keys())
      if (!embedded.failed.has(spec)) console.error(`  only kube-apiserver fails: ${spec}`);
  }
}
console.error(`what the suites printed: ${work}`);

/** The variables that `tsbuilder envtest use` prints. */
function embeddedVariables(): Record<string, string> {
  const printed = execFileSync("node", [
    join(import.meta.dirname, "../../../bin/tsbuilder.js"),
    "envtest",
    "use",
  ]);
  const lines = String(printed).matchAll(/^export (\w+)=(.*)$/gmu);
  const variables = Object.fromEntries([...lines].map(([, name, value]) => [name!, value!]));
  return { ...variables, TEST_ASSET_KUBECTL: kubectl };
}

function realVariables(folder: string): Record<string, string> {
  return {
    KUBEBUILDER_ASSETS: folder,
    TEST_ASSET_KUBE_APISERVER: join(folder, "kube-apiserver"),
    TEST_ASSET_ETCD: join(folder, "etcd"),
    TEST_ASSET_KUBECTL: kubectl,
  };
}
