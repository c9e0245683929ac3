import { posix } from "node:path";
import { type BuiltinResource, builtinResources } from "@tsbuilder/apimachinery/kinds";
import type { Module } from "../loader/index.ts";
import type { Marker } from "../markers/collect.ts";
import { strings } from "../markers/definition.ts";
import type { DiagnosticLog } from "../model/diagnostic.ts";
import type { SourceTree } from "../model/files.ts";

/** The verbs that a call needs, whose first argument is a kind. Reads are left out: a live one needs no more than `get`. */
const verbsByCall: Readonly<Record<string, readonly string[]>> = {
  controllerFor: ["list", "watch"],
  owns: ["list", "watch"],
  watches: ["list", "watch"],
  watchesEvents: ["list", "watch"],
  create: ["create"],
  apply: ["create", "patch"],
  set: ["create", "patch"],
  add: ["create", "patch"],
  addEach: ["create", "patch"],
  applyFields: ["patch"],
  patch: ["patch"],
  update: ["update"],
  delete: ["delete"],
};
const calls = new RegExp(
  `\\.(${Object.keys(verbsByCall).join("|")})\\(\\s*(?:metadataOnly\\(\\s*)?([A-Z]\\w*)\\b`,
  "gu",
);

const builtInKinds = "@tsbuilder/runtime/k8s/";

/** Warns of built-in kinds that a file with markers watches or writes, if no marker of the project allows that. */
export function checkPermissions(
  modules: readonly Module[],
  markers: readonly Marker[],
  tree: SourceTree,
  log: DiagnosticLog,
): void {
  if (markers.length === 0) return;
  for (const module of modules) {
    for (const { resource, kind, verbs, pos } of usesIn(module)) {
      const missing = [...verbs].filter((verb) => !markers.some((marker) => allows(marker, resource, verb)));
      const { group, plural } = resource;
      if (missing.length === 0 || isInOtherRole(tree, plural)) continue;
      const list = missing.join(";");
      const message = `no marker allows what is done with ${kind} here: ${missing.join(", ")} of "${plural}"`;
      const hint = `add // +kubebuilder:rbac:groups=${group || '""'},resources=${plural},verbs=${list}`;
      log.warn({ module, pos }, message, hint);
    }
  }
}

interface Use {
  readonly resource: BuiltinResource;
  readonly kind: string;
  readonly verbs: Set<string>;
  /** Where the kind is used first. */
  readonly pos: number;
}

/** Finds the calls by their text: nothing else has a kind, which is imported from our packages, as its first argument. */
function usesIn({ text, imports, comments }: Module): Iterable<Use> {
  const uses = new Map<string, Use>();
  for (const { index, 1: call = "", 2: kind = "" } of text.matchAll(calls)) {
    const imported = imports.get(kind);
    if (!imported?.specifier.startsWith(builtInKinds)) continue;
    if (comments.some(({ pos, end }) => pos <= index && index < end)) continue;
    const type = `${imported.specifier.slice(builtInKinds.length)}.${imported.name}`;
    const resource = builtinResources().find((one) => one.type === type);
    // Everybody may ask for their own permissions.
    if (!resource || resource.plural.startsWith("selfsubject")) continue;
    const use = uses.get(kind) ?? { resource, kind, verbs: new Set(), pos: index + 1 };
    for (const verb of verbsByCall[call] ?? []) use.verbs.add(verb);
    uses.set(kind, use);
  }
  return uses.values();
}

function allows({ args }: Marker, { group, plural }: BuiltinResource, verb: string): boolean {
  const has = (name: string, ...values: string[]): boolean =>
    strings(args, name).some((value) => value === "*" || values.includes(value));
  return (
    has("groups", ...(group === "" ? ["", "core"] : [group])) &&
    has("resources", plural) &&
    has("verbs", verb)
  );
}

/** Roles that are scaffolded, in which an operator may find a built-in kind, say nothing about its reconcilers. */
const scaffoldedRoles = /^(?:leader_election_|metrics_|role\.yaml$)/u;

/** The resources of a rule, in lines or in brackets. */
const resourceLists = /\bresources:\s*(?:\[[^\]]*\]|(?:-\s+\S+\s*)+)/gu;

/** Returns whether a role that somebody wrote by hand may give the permission. */
function isInOtherRole(tree: SourceTree, plural: string): boolean {
  return tree
    .list("config/rbac")
    .filter((path) => /\.ya?ml$/u.test(path) && !scaffoldedRoles.test(posix.basename(path)))
    .map((path) => tree.read(path) ?? "")
    .filter((text) => /^kind: (?:Cluster)?Role\s*$/mu.test(text))
    .flatMap((text) => text.match(resourceLists) ?? [])
    .some((list) => list.split(/[\s,"'[\]]+/u).some((name) => name === plural || name === "*"));
}
