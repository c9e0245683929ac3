import { parse } from "yaml";
import { planManifests } from "../../../src/generators/manifests.ts";
import type { GeneratorOptions } from "../../../src/generators/model/options.ts";
import { memoryTree } from "../../../src/scaffold/tree.ts";
import { controllerGenVersion } from "../../oracle/real/controller-gen/go-twin.ts";
import { classify, type Known } from "./classify.ts";
import { declaredAnew } from "./declared-anew.ts";
import { type Difference, differencesOf } from "./differences.ts";
import { GoModules } from "../../../src/importer/go/modules.ts";
import { readPackages } from "../../../src/importer/go/read-packages.ts";
import { translateTypes } from "../../../src/importer/types/write-module.ts";
import { importPaths, moduleFolder, runControllerGen } from "./go-module.ts";
import { kubernetesTexts } from "./kubernetes-texts.ts";
import type { Operator } from "./operators.ts";
import { removeRefusedMarkers } from "../../../src/importer/types/kind-markers.ts";

/** The result of comparing a kind. */
export interface ComparedKind {
  /** The name of its file. */
  readonly name: string;
  readonly isSameText: boolean;
  /** The names of the deliberate differences, with how many places each has. */
  readonly deliberate: ReadonlyMap<string, number>;
  /** The other places; undefined where one of the two wrote no file. */
  readonly others: readonly Difference[] | undefined;
}

/** The result of comparing an operator. */
export interface ComparedOperator {
  readonly kinds: readonly ComparedKind[];
  /** Markers that controller-gen ignores and the generators refuse; they are left out. */
  readonly removed: readonly string[];
  /** Errors and warnings of either generator. */
  readonly complaints: readonly string[];
}

/** Translates an operator's types, runs both generators, and compares what they write. */
export async function compareOperator(operator: Operator, controllerGen: string): Promise<ComparedOperator> {
  const folder = moduleFolder(operator);
  const paths = importPaths(operator);
  const { packages, notes } = readPackages(new GoModules(folder), paths);
  const folderOf = (path: string): string => `${paths.includes(path) ? "api" : "types"}/${path}`;
  const files = Object.fromEntries(
    translateTypes(packages, { folderOf, roots: paths, hasGroupVersion: () => false }),
  );
  const embedded = operator.generateEmbeddedObjectMeta === true;
  const flags = `allowDangerousTypes=true,generateEmbeddedObjectMeta=${embedded}`;
  const theirs = runControllerGen(controllerGen, folder, paths, flags);
  const { texts, removed, errors } = await runOurs(files, embedded);
  const known: Known = { texts: await kubernetesTexts(), anew: declaredAnew(packages) };
  const names = [...new Set([...theirs.files.keys(), ...texts.keys()])].sort();
  const kinds = names.map((name) => compareKind(name, theirs.files.get(name), texts.get(name), known));
  return {
    kinds,
    removed,
    complaints: [theirs.complaints, ...notes, ...errors].filter((text) => text !== ""),
  };
}

/** Runs `manifests` over the files, without the markers that it refuses. */
async function runOurs(
  files: Record<string, string>,
  generateEmbeddedObjectMeta: boolean,
): Promise<{ texts: Map<string, string>; removed: string[]; errors: string[] }> {
  const options: GeneratorOptions = {
    only: ["crd"],
    allowDangerousTypes: true,
    generateEmbeddedObjectMeta,
    versionAnnotation: { key: "controller-gen.kubebuilder.io/version", value: controllerGenVersion },
  };
  const removed: string[] = [];
  let plan = await planManifests(memoryTree(files), options);
  for (;;) {
    const more = removeRefusedMarkers(files, plan.diagnostics);
    if (more.length === 0) break;
    removed.push(...more);
    plan = await planManifests(memoryTree(files), options);
  }
  const errors = plan.diagnostics.filter(({ severity }) => severity === "error");
  return {
    texts: new Map(plan.changes.map(({ path, content }) => [path.replace(/^.*\//u, ""), content ?? ""])),
    removed,
    errors: errors.map(({ at, message }) => `${at?.file}:${at?.line}: ${message}`),
  };
}

function compareKind(
  name: string,
  theirs: string | undefined,
  ours: string | undefined,
  known: Known,
): ComparedKind {
  const isSameText = theirs === ours;
  const deliberate = new Map<string, number>();
  if (theirs === undefined || ours === undefined) return { name, isSameText, deliberate, others: undefined };
  const others: Difference[] = [];
  const found = isSameText ? [] : differencesOf(readYaml(theirs), readYaml(ours));
  for (const difference of found) {
    const reason = classify(difference, known);
    if (reason === undefined) others.push(difference);
    else deliberate.set(reason, (deliberate.get(reason) ?? 0) + 1);
  }
  if (!isSameText && found.length === 0) others.push({ path: "text", theirs, ours, within: undefined });
  return { name, isSameText, deliberate, others };
}

function readYaml(text: string): unknown {
  return parse(text, { version: "1.1", intAsBigInt: false, maxAliasCount: -1 });
}
