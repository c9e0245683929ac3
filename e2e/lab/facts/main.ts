import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Release, defaultRelease, releases } from "@tsbuilder/apimachinery/kinds";
import { buildResources } from "../../../src/apimachinery/kinds/build/build-resources.ts";
import { readBlocks, readFacts } from "../../../src/apimachinery/kinds/build/model.ts";
import { buildKubernetes, kubernetesVersion } from "../../oracle/real/build-kubernetes.ts";
import { compareFacts } from "./compare-facts.ts";
import { readDiscovery } from "./read-discovery.ts";
import { readFeatureGates } from "./read-feature-gates.ts";
import {
  type GoFacts,
  reduceGates,
  reduceLifetimes,
  reduceResources,
  reduceTypes,
  rootTypes,
} from "./reduce-facts.ts";
import { differingBlocks, withoutLines } from "./release-facts.ts";

/**
 * `npm run lab -- facts [--kubernetes-version X] [--write]`: reduces Kubernetes' Go module to the facts from which
 * `npm run lab -- tables` makes the tables. Prints what differs from the facts in the repository, and what a person has
 * to decide about it; writes the new facts only if told to. Those of another release than the default one are written as
 * what differs, into a folder of its name; a new release has a line in src/apimachinery/kinds/releases.ts, too.
 */
const { values } = parseArgs({
  options: {
    "kubernetes-version": { type: "string", default: kubernetesVersion },
    write: { type: "boolean", default: false },
  },
});
const version = values["kubernetes-version"];
// Of a pre-release, too: `1.38.0-beta.0` is of 1.38.
const release = /^\d+\.\d+/u.exec(version)![0] as Release;
const isDefault = release === defaultRelease;
/** What the facts are compared with: those of the same release, or of the newest one before a new release. */
const known = releases.includes(release) ? release : releases.at(-1);
const folder = new URL("../../../src/apimachinery/kinds/build/facts/", import.meta.url);

const { module, facts } = readModule();
const discovery = readDiscovery(join(module, "api/discovery"));
const files = {
  "resources.txt": reduceResources(discovery, facts),
  "types.txt": reduceTypes(facts, rootTypes(discovery)),
  "gates.txt": reduceGates(facts),
  "lifetimes.txt": reduceLifetimes(facts),
};
const kept = releases.filter((other) => other !== release).flatMap((other) => buildResources(other));
const rules = readFileSync(new URL("rules.txt", folder), "utf8")
  .split("\n")
  .filter((line) => !kept.some(({ apiVersion, kind }) => line.startsWith(`${apiVersion} ${kind} `)));
for (const [name, lines] of Object.entries(files)) {
  const relevant = isDefault ? (all: readonly string[]) => all : withoutLines;
  const before = [...readFacts(name, known).values()].flat();
  for (const line of compareFacts(name, relevant(before), relevant(lines), rules)) console.log(line);
  if (values.write) write(name, lines);
}

function write(name: string, lines: readonly string[]): void {
  const head = readFileSync(new URL(name, folder), "utf8")
    .split("\n", 1)[0]!
    .replace(/1\.\d+\.\d+/u, version);
  const written = isDefault ? lines : differingBlocks(readFacts(name), readBlocks(lines));
  const target = new URL(isDefault ? name : `${release}/${name}`, folder);
  mkdirSync(new URL(".", target), { recursive: true });
  writeFileSync(target, [head, ...written, ""].join("\n"));
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
