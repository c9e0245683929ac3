import { compareText } from "@tsbuilder/apimachinery/text";
import { text } from "../markers/definition.ts";
import { emitFile } from "../emit.ts";
import { isGateOn } from "../feature-gates.ts";
import type { ProjectSources } from "../project-sources.ts";
import type { Schema } from "../schema/schema.ts";
import { SchemaBuilder } from "../schema/schema-builder.ts";
import { settle } from "../schema/settle.ts";
import { type CustomResourceDefinition, customResourceDefinition } from "./custom-resource-definition.ts";
import { limitDescriptions } from "../schema/descriptions.ts";
import { findKinds, type KindVersion, reportUndefinedKinds, warnOfLostKindMarkers } from "./find-kinds.ts";
import { trimDescriptions } from "./size.ts";
import { crdVersion } from "./version.ts";

/** A CRD and the file it is written to. */
export interface GeneratedCrd {
  readonly fileName: string;
  readonly text: string;
  readonly crd: CustomResourceDefinition;
  readonly kinds: readonly KindVersion[];
}

/** Generates the CRDs of all kinds in a project, sorted by kind and group. */
export function generateCrds(
  sources: ProjectSources,
  check: (generated: GeneratedCrd) => void = () => undefined,
): GeneratedCrd[] {
  const builder = new SchemaBuilder(sources);
  const declared: KindVersion[] = [];
  const kinds = sources.apiModules.flatMap((module) => {
    const found = findKinds(module, sources);
    declared.push(...found);
    reportUndefinedKinds(module, found, sources);
    checkPackage(found, sources);
    const isSkipped = sources.packageMarkers(module).some(({ name }) => name === "kubebuilder:skip");
    return isSkipped ? [] : found.filter((kind) => isOn(kind, sources));
  });
  if (!sources.log.hasErrors) warnOfLostKindMarkers(sources.apiModules, declared, sources);
  reportPluralClashes(kinds, sources);
  const byKind = groupBy(kinds);
  return [...byKind.values()]
    .sort(([a], [b]) => compareText(`${a!.kind}.${a!.group}`, `${b!.kind}.${b!.group}`))
    .flatMap((versions) => {
      const kept = versions.filter(
        ({ markers }) => !markers.some(({ name }) => name === "kubebuilder:skipversion"),
      );
      if (kept.length === 0) return [];
      return [
        reuse(kept, sources, (checked) => {
          const generated = generateCrd(kept, builder);
          if (!sources.log.hasErrors && generated.text !== checked?.text) check(generated);
          return generated;
        }),
      ];
    });
}

function generateCrd(kinds: readonly KindVersion[], builder: SchemaBuilder): GeneratedCrd {
  const { log, options } = builder.sources;
  const built = kinds.map((kind) => crdVersion(kind, rootSchema(kind, builder), log));
  const whole = customResourceDefinition(kinds, built, options, log);
  const crd = options.trimDescriptions ? trimDescriptions(whole) : whole;
  const { group, plural } = kinds[0]!;
  return { fileName: `${group}_${plural}.yaml`, text: emitFile([crd], options), crd, kinds };
}

/**
 * Reuses a CRD of the previous run if none of its sources have changed. Otherwise `generate` receives the previous one,
 * if it had no findings: unchanged text need not be validated again.
 */
function reuse(
  kinds: readonly KindVersion[],
  sources: ProjectSources,
  generate: (checked: GeneratedCrd | undefined) => GeneratedCrd,
): GeneratedCrd {
  const { cache, graph, log } = sources;
  const { kind, group } = kinds[0]!;
  const modules = graph.reachable([...kinds.map(({ module }) => module), ...sources.augmentingModules]);
  const key = modules.map((module) => sources.packageKey(module)).join("\n");
  const known = cache.crds.get(`${kind}.${group}`);
  const isSame = known?.key === key && known.modules.length === modules.length;
  if (isSame && known.modules.every((module, i) => module === modules[i])) {
    log.repeat(known.warnings);
    return known.generated;
  }
  const findings = log.size;
  const generated = generate(known?.warnings.length === 0 ? known.generated : undefined);
  const warnings = log.since(findings);
  // After an error, CRDs are not validated.
  if (!log.hasErrors) cache.crds.set(`${kind}.${group}`, { key, modules, generated, warnings });
  return generated;
}

function rootSchema(kind: KindVersion, builder: SchemaBuilder): Schema {
  const typed = { node: kind.type, env: { module: kind.module, bindings: new Map() } };
  const schema = settle(builder.use(typed), kind.place, builder.sources.log);
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

function groupBy(kinds: readonly KindVersion[]): Map<string, KindVersion[]> {
  const groups = new Map<string, KindVersion[]>();
  for (const kind of kinds) {
    const key = `${kind.group}\0${kind.kind}`;
    groups.set(key, [...(groups.get(key) ?? []), kind]);
  }
  return groups;
}

/** Two kinds with the same plural would share a URL and a file. */
function reportPluralClashes(kinds: readonly KindVersion[], { log }: ProjectSources): void {
  const owners = new Map<string, KindVersion>();
  for (const kind of kinds) {
    const key = `${kind.plural}.${kind.group}`;
    const owner = owners.get(key);
    if (!owner) owners.set(key, kind);
    else if (owner.kind !== kind.kind) {
      log.error(
        kind.place,
        `${owner.kind} and ${kind.kind} have the same plural "${kind.plural}" in ${kind.group}`,
        "change the plural of one of them",
      );
    }
  }
}

/** The markers +groupName and +versionName may repeat what groupVersion says. */
function checkPackage(kinds: readonly KindVersion[], sources: ProjectSources): void {
  for (const { module, group, version } of kinds) {
    for (const { name, args, place } of sources.packageMarkers(module)) {
      const said = { groupName: group, versionName: version }[name];
      if (said === undefined || args[""] === undefined || args[""] === said) continue;
      sources.log.error(
        place,
        `the marker says "${text(args)}", but groupVersion says "${said}"`,
        "remove the marker",
      );
    }
  }
}

function isOn({ markers }: KindVersion, { options }: ProjectSources): boolean {
  const gate = markers.find(({ name }) => name === "tsbuilder:featureGate")?.args[""];
  return isGateOn(gate, options);
}
