/**
 * Generates the CRDs, or takes them from the cache. `find-kinds.ts` finds the kinds of a module,
 * `custom-resource-definition.ts` joins the versions of a kind, `check-crd.ts` checks the result as an API server does.
 */

import { compareText } from "@tsbuilder/apimachinery/text";
import { text } from "../markers/definition.ts";
import { emitFile } from "../model/emit.ts";
import { isGateOn } from "../model/options.ts";
import type { Module } from "../loader/index.ts";
import type { CrdFile, KindMarker, KindSummary, MadeFrom } from "../sources/cache.ts";
import type { ProjectSources } from "../sources/project-sources.ts";
import { type Schema, limitDescriptions } from "../model/schema.ts";
import { SchemaBuilder } from "../schema/schema-builder.ts";
import { settle } from "../schema/merge.ts";
import type { CustomResourceDefinition } from "./custom-resource-definition.ts";
import { crdVersion, customResourceDefinition, trimDescriptions } from "./custom-resource-definition.ts";
import {
  type KindVersion,
  findKinds,
  findKindMarkers,
  reportUndefinedKinds,
  restoreKind,
  warnOfLostKindMarkers,
} from "./find-kinds.ts";

/** A CRD with the versions of the kind that it was generated from. */
export interface GeneratedCrd extends CrdFile {
  readonly crd: CustomResourceDefinition;
  readonly kinds: readonly KindVersion[];
}

/** Generates the CRDs of all kinds in a project, sorted by kind and group, without the cache and without checks. */
export function generateCrds(sources: ProjectSources): GeneratedCrd[] {
  const builder = new SchemaBuilder(sources);
  return groupKindsByCrd(sources).map((kinds) => generateCrd(kinds, builder));
}

/** Reports what an API server would reject in a CRD. */
type Check = (generated: GeneratedCrd) => void;

/** Generates all CRDs, sorted by kind and group. Those with unchanged sources are taken from the cache, unchecked. */
export function generateCrdFiles(sources: ProjectSources, check: Check): CrdFile[] {
  const builder = new SchemaBuilder(sources);
  const { files } = sources.cache;
  return groupKindsByCrd(sources).map((kinds) => {
    const name = crdName(kinds);
    const from = listSources(kinds, sources);
    const known = files.get(name);
    return known && isSame(known, from) ? known : generateUnlessKept(kinds, from, builder, sources, check);
  });
}

/** Returns the CRD of the previous run if its sources are the same; otherwise generates it, and checks a new text. */
function generateUnlessKept(
  kinds: readonly KindVersion[],
  from: MadeFrom,
  builder: SchemaBuilder,
  { cache, log }: ProjectSources,
  check: Check,
): CrdFile {
  const name = crdName(kinds);
  const known = cache.crds.get(name);
  if (known && isSame(known, from)) {
    log.repeat(known.warnings);
    return known;
  }
  const checked = known?.warnings.length === 0 ? known : cache.files.get(name);
  const findings = log.size;
  const generated = generateCrd(kinds, builder);
  const { fileName, text } = generated;
  if (!log.hasErrors && text !== checked?.text) check(generated);
  const made = { ...from, fileName, text, warnings: log.since(findings) };
  // After an error, CRDs are not validated.
  if (!log.hasErrors) cache.crds.set(name, made);
  return made;
}

function isSame(known: MadeFrom, { key, modules }: MadeFrom): boolean {
  return (
    known.key === key &&
    known.modules.length === modules.length &&
    known.modules.every((module, i) => module === modules[i])
  );
}

function crdName([first]: readonly KindVersion[]): string {
  return `${first!.kind}.${first!.group}`;
}

/** Lists what kinds are generated from: modules, options and markers of packages. */
function listSources(kinds: readonly { readonly module: Module }[], sources: ProjectSources): MadeFrom {
  const roots = [...kinds.map(({ module }) => module), ...sources.augmentingModules];
  const modules = sources.graph.reachable(roots);
  return { modules, key: modules.map((module) => sources.packageKey(module)).join("\n") };
}

/** Finds all kinds of the API, and groups their versions, without those that markers and feature gates leave out. */
function groupKindsByCrd(sources: ProjectSources): KindVersion[][] {
  const declared: KindVersion[] = [];
  const kinds = sources.apiModules.flatMap((module) => {
    const found = findKindsCached(module, sources);
    declared.push(...found);
    const isSkipped = sources.packageMarkers(module).some(({ name }) => name === "kubebuilder:skip");
    return isSkipped ? [] : found.filter(({ featureGate }) => isGateOn(featureGate, sources.options));
  });
  if (!sources.log.hasErrors) {
    const markersIn = (module: Module): readonly KindMarker[] => listKindMarkers(module, sources);
    warnOfLostKindMarkers(sources.apiModules, declared, markersIn, sources.log);
  }
  reportPluralClashes(kinds, sources);
  return [...groupByKind(kinds).values()]
    .sort(([a], [b]) => compareText(`${a!.kind}.${a!.group}`, `${b!.kind}.${b!.group}`))
    .map((versions) => versions.filter(({ isSkipped }) => !isSkipped))
    .filter((versions) => versions.length > 0);
}

/** Finds the kinds of a module; takes them from the cache if an earlier run with the same sources had no findings. */
function findKindsCached(module: Module, sources: ProjectSources): KindVersion[] {
  const { cache, log } = sources;
  const from = listSources([{ module }], sources);
  const known = cache.kinds.get(module.file);
  if (known && isSame(known, from)) return known.kinds.map((kind) => restoreKind(kind, module, sources));
  const findings = log.size;
  const found = findKinds(module, sources);
  reportUndefinedKinds(module, found, sources);
  checkPackage(found, sources);
  // An error that another module has in common with this one is only counted once.
  if (log.size === findings && !log.hasErrors)
    cache.kinds.set(module.file, { ...from, kinds: found.map(summaryOf) });
  else cache.kinds.delete(module.file);
  return found;
}

function summaryOf(found: KindVersion): KindSummary {
  const { group, version, kind, plural, scope, pos, featureGate, isSkipped, markedAt } = found;
  return { group, version, kind, plural, scope, pos, featureGate, isSkipped, markedAt };
}

/** Reports a marker +groupName or +versionName that contradicts groupVersion. */
function checkPackage(kinds: readonly KindVersion[], sources: ProjectSources): void {
  for (const { module, group, version } of kinds) {
    for (const { name, args, place } of sources.packageMarkers(module)) {
      const defined = { groupName: group, versionName: version }[name];
      if (defined === undefined || args[""] === undefined || args[""] === defined) continue;
      const message = `the marker says "${text(args)}", but groupVersion says "${defined}"`;
      sources.log.error(place, message, "remove the marker");
    }
  }
}

function listKindMarkers(module: Module, sources: ProjectSources): readonly KindMarker[] {
  const known = sources.cache.kindMarkers.get(module);
  if (known) return known;
  const found = findKindMarkers(module, sources);
  sources.cache.kindMarkers.set(module, found);
  return found;
}

/** Reports two kinds with the same plural, which would share a URL and a file. */
function reportPluralClashes(kinds: readonly KindVersion[], { log }: ProjectSources): void {
  const owners = new Map<string, KindVersion>();
  for (const kind of kinds) {
    const key = `${kind.plural}.${kind.group}`;
    const owner = owners.get(key);
    if (!owner) owners.set(key, kind);
    else if (owner.kind !== kind.kind) {
      const message = `${owner.kind} and ${kind.kind} have the same plural "${kind.plural}" in ${kind.group}`;
      log.error(kind.place, message, "change the plural of one of them");
    }
  }
}

function groupByKind(kinds: readonly KindVersion[]): Map<string, KindVersion[]> {
  const groups = new Map<string, KindVersion[]>();
  for (const kind of kinds) {
    const key = `${kind.group}\0${kind.kind}`;
    groups.set(key, [...(groups.get(key) ?? []), kind]);
  }
  return groups;
}

function generateCrd(kinds: readonly KindVersion[], builder: SchemaBuilder): GeneratedCrd {
  const { log, options } = builder.sources;
  const built = kinds.map((kind) => crdVersion(kind, rootSchema(kind, builder), log));
  const whole = customResourceDefinition(kinds, built, options, log);
  const crd = options.trimDescriptions ? trimDescriptions(whole) : whole;
  const { group, plural } = kinds[0]!;
  return { fileName: `${group}_${plural}.yaml`, text: emitFile([crd], options), crd, kinds };
}

/** Returns the schema of a kind with the fields that all objects have. */
function rootSchema(kind: KindVersion, builder: SchemaBuilder): Schema {
  const typed = { node: kind.type, env: { module: kind.module, bindings: new Map() } };
  const schema = settle(builder.schemaAtUse(typed), kind.place, builder.sources.log);
  const { metadata: _, ...properties } = schema.properties ?? {};
  const root: Schema = {
    ...schema,
    type: "object",
    properties: {
      ...properties,
      apiVersion: { type: "string", description: builder.sources.typeMetaText("apiVersion") },
      kind: { type: "string", description: builder.sources.typeMetaText("kind") },
      metadata: { type: "object" },
    },
    // Every object has a kind; metadata is required where a type says so.
    required: schema.required?.filter((name) => !["apiVersion", "kind"].includes(name)),
  };
  if (root.required?.length === 0) root.required = undefined;
  return limitDescriptions(root, builder.sources.options.maxDescLen);
}
