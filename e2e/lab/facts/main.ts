import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { buildKubernetes, kubernetesVersion } from "../../oracle/real/build-kubernetes.ts";
import { compareFacts } from "./compare-facts.ts";
import { readDiscovery } from "./read-discovery.ts";
import { readFeatureGates } from "./read-feature-gates.ts";
import { type GoFacts, reduceResources, reduceTypes, rootTypes } from "./reduce-facts.ts";

/**
 * `npm run lab -- facts [--kubernetes-version X] [--write]`: reduces Kubernetes' Go module to the facts from which
 * `npm run lab -- tables` makes the tables. Prints what differs from the facts in the repository, and what a person has
 * to decide about it; writes the new facts only if told to.
 */
const { values } = parseArgs({
  options: {
    "kubernetes-version": { type: "string", default: kubernetesVersion },
    write: { type: "boolean", default: false },
  },
});
const version = values["kubernetes-version"];
const folder = new URL("../../../src/apimachinery/kinds/build/facts/", import.meta.url);

const { module, facts } = readModule();
const discovery = readDiscovery(join(module, "api/discovery"));
const files = {
  "resources.txt": reduceResources(discovery, facts),
  "types.txt": reduceTypes(facts, rootTypes(discovery)),
};
const rules = readFileSync(new URL("rules.txt", folder), "utf8").split("\n");
for (const [name, lines] of Object.entries(files)) {
  const old = readFileSync(new URL(name, folder), "utf8").split("\n");
  const head = old
    .filter((line) => line.startsWith("#"))
    .map((line) => line.replace(/1\.\d+\.\d+/u, version));
  for (const line of compareFacts(name, old, lines, rules)) console.log(line);
  if (values.write) writeFileSync(new URL(name, folder), [...head, ...lines, ""].join("\n"));
}

/** Builds facts.go with Kubernetes' module and runs it. */
function readModule(): { module: string; facts: GoFacts } {
  const built = mkdtempSync(join(tmpdir(), "kubernetes-facts-"));
  try {
    const source = readFileSync(new URL("facts.go", import.meta.url), "utf8");
    const module = buildKubernetes(built, [{ output: "facts", path: "./facts", source }], version);
    const text = execFileSync(join(built, "facts"), { encoding: "utf8", maxBuffer: 2 ** 28 });
    // The parts of Kubernetes are modules of their own, which Go keeps beside it.
    const gatedFields = readFeatureGates(join(module, "..", `api@v${version.replace(/^1/u, "0")}`));
    return { module, facts: { ...(JSON.parse(text) as Omit<GoFacts, "gatedFields">), gatedFields } };
  } finally {
    rmSync(built, { recursive: true });
  }
}
