import { isObject } from "@tsbuilder/apimachinery/json";
import type { Scope } from "@tsbuilder/apimachinery/meta";
import { label1035Pattern, labelPattern } from "@tsbuilder/apimachinery/naming";
import { listWords } from "../../shared/text.ts";
import type { DiagnosticLog, Place } from "../model/diagnostic.ts";
import type { ConstDeclaration, Declared, Module, ReferenceNode, StaticValue } from "../loader/index.ts";
import { NotStatic, evaluate, isDefineKind } from "../loader/index.ts";
import type { Marker } from "../markers/collect.ts";
import { kinds as kindFamily } from "../markers/families/kinds.ts";
import { lookUpMarker } from "../markers/registry.ts";
import { deprecation } from "../markers/jsdoc-tags.ts";
import type { SchemaSources } from "../schema/builder.ts";
import type { KindMarker, KindSummary } from "../sources/cache.ts";

/** One version of a kind, as declared in the sources. */
export interface KindVersion extends KindSummary {
  readonly module: Module;
  /** The interface of the kind, and the options of `defineKind`. */
  readonly parts: readonly Declared[];
  readonly type: ReferenceNode;
  /** Markers on the interface and on the constant. */
  readonly markers: readonly Marker[];
  readonly place: Place;
}

/** Finds the kinds of a module by their calls of `defineKind`, without running the code. Reports invalid calls. */
export function findKinds(module: Module, sources: SchemaSources): KindVersion[] {
  return [...module.declarations.values()].flat().flatMap((declaration) => {
    if (declaration.kind !== "const" || !isDefineKind(declaration, module)) return [];
    const kind = readKind(declaration, module, sources);
    return kind ? [kind] : [];
  });
}

const defineHint =
  'for example: defineKind<MySQL>(groupVersion, { kind: "MySQL", plural: "mysqls" }), with literals or constants of literals';

function readKind(
  declaration: ConstDeclaration,
  module: Module,
  sources: SchemaSources,
): KindVersion | undefined {
  const { graph, log } = sources;
  const call = declaration.value;
  if (call.kind !== "call") return undefined;
  const place: Place = { module, pos: declaration.pos };
  const groupVersion = call.arguments[0] && staticObject(evaluate(call.arguments[0], module, graph), log);
  const definition = call.arguments[1] && staticObject(evaluate(call.arguments[1], module, graph), log);
  if (!groupVersion || !definition) {
    if (call.arguments.length < 2)
      log.error(place, "defineKind requires a group version and options", defineHint);
    return undefined;
  }
  const readString = (from: Record<string, StaticValue | undefined>, name: string): string | undefined => {
    const value = from[name];
    if (typeof value === "string") return value;
    log.error(place, `defineKind requires the string "${name}"`, defineHint);
    return undefined;
  };
  const group = readString(groupVersion, "group");
  const version = readString(groupVersion, "version");
  const kind = readString(definition, "kind");
  const plural = readString(definition, "plural");
  const scope = (definition["scope"] ?? "Namespaced") as Scope;
  if (group === undefined || version === undefined || kind === undefined || plural === undefined)
    return undefined;
  const problems = checkNames({ version, kind, plural, scope });
  for (const problem of problems) log.error(place, problem, defineHint);
  const type = readKindType(declaration, kind, log, place);
  const resolved = type && graph.resolve(type.name, module);
  if (!type || resolved?.kind !== "declared") {
    const hint = "declare an interface that extends CustomResource<Spec, Status>";
    if (type) log.error(place, `no type "${type.name}" found for the kind`, hint);
    return undefined;
  }
  const parts = resolved.parts.filter(({ declaration }) => declaration.kind !== "const");
  const markers = [
    ...parts.flatMap((part) => sources.markersOf(part.module).on(part.declaration.comments)),
    ...sources.markersOf(module).on(declaration.comments),
    ...parts.flatMap(deprecationMarkers),
  ];
  return {
    group,
    version,
    kind,
    plural,
    scope,
    pos: declaration.pos,
    featureGate: markers.find(({ name }) => name === "tsbuilder:featureGate")?.args[""],
    isSkipped: markers.some(({ name }) => name === "kubebuilder:skipversion"),
    markedAt: markers.map(({ place: at }) => positionOf(at)),
    module,
    parts,
    type,
    markers,
    place,
  };
}

/** Returns the type argument of `defineKind`; without one, the interface with the constant's name. */
function readKindType(
  declaration: ConstDeclaration,
  kind: string,
  log: DiagnosticLog,
  place: Place,
): ReferenceNode | undefined {
  const argument = declaration.value.kind === "call" ? declaration.value.typeArguments[0] : undefined;
  if (argument?.kind === "reference") return argument;
  if (argument) {
    const message = "the type of a kind must have a name";
    log.error(place, message, `declare interface ${kind} extends CustomResource<Spec, Status> {}`);
    return undefined;
  }
  return { kind: "reference", name: declaration.name, args: [], specifier: undefined, pos: declaration.pos };
}

/** Returns an object of literals; undefined for other values, after reporting one that only running the code gives. */
function staticObject(
  value: StaticValue | NotStatic,
  log: DiagnosticLog,
): Record<string, StaticValue | undefined> | undefined {
  if (value instanceof NotStatic) {
    const message = "this value is not known without running the code";
    log.error(value, message, "use a literal, or a constant of literals");
    return undefined;
  }
  return isObject(value) ? value : undefined;
}

const pluralName = new RegExp(`^${label1035Pattern}$`, "u");
const versionName = new RegExp(`^${labelPattern}$`, "u");

/** Returns what is wrong with the names of a kind. */
function checkNames(names: Pick<KindSummary, "version" | "kind" | "plural" | "scope">): string[] {
  const { version, kind, plural, scope } = names;
  const problems: string[] = [];
  if (!/^[A-Z][A-Za-z0-9]*$/u.test(kind) || kind.length > 63)
    problems.push(`"${kind}" is not a valid kind: use PascalCase, for example MySQL`);
  if (!pluralName.test(plural))
    problems.push(`"${plural}" is not a valid plural: use lower case, for example mysqls`);
  if (!versionName.test(version))
    problems.push(`"${version}" is not a valid version: use v1 or v1alpha1, for example`);
  const scopes = ["Namespaced", "Cluster"];
  if (!scopes.includes(scope)) problems.push(`"${scope}" is not a valid scope: use ${listWords(scopes)}`);
  return problems;
}

/** Returns the marker +kubebuilder:deprecatedversion for a kind with the tag `@deprecated`. */
function deprecationMarkers({ declaration: { comments, pos }, module }: Declared): Marker[] {
  const reason = deprecation(comments);
  const name = "kubebuilder:deprecatedversion";
  const found = reason === undefined ? undefined : lookUpMarker(name);
  if (found?.kind !== "known") return [];
  const { definition } = found;
  return [{ name, definition, args: reason === "" ? {} : { warning: reason }, place: { module, pos } }];
}

/** Returns a kind from its cached summary; its type and markers are read from the source when they are first used. */
export function restoreKind(summary: KindSummary, module: Module, sources: SchemaSources): KindVersion {
  let found: KindVersion | undefined;
  const find = (): KindVersion =>
    (found ??= findKinds(module, sources).find(({ pos }) => pos === summary.pos))!;
  return {
    ...summary,
    module,
    place: { module, pos: summary.pos },
    get parts() {
      return find().parts;
    },
    get type() {
      return find().type;
    },
    get markers() {
      return find().markers;
    },
  };
}

/** Reports object types that look like kinds but have no defineKind: no CRD would be generated for them. */
export function reportUndefinedKinds(
  module: Module,
  found: readonly KindVersion[],
  sources: SchemaSources,
): void {
  const { log } = sources;
  const defined = new Set(found.flatMap(({ parts }) => parts.map(({ declaration }) => declaration)));
  // An invalid defineKind has its own error.
  const attempted = new Set(
    [...module.declarations.values()].flat().flatMap((declaration) => {
      if (declaration.kind !== "const" || !isDefineKind(declaration, module)) return [];
      const type = declaration.value.kind === "call" ? declaration.value.typeArguments[0] : undefined;
      return [type?.kind === "reference" ? type.name : declaration.name];
    }),
  );
  for (const declaration of [...module.declarations.values()].flat()) {
    if (declaration.kind !== "interface" || defined.has(declaration) || attempted.has(declaration.name))
      continue;
    const isResource = declaration.extends.some(({ name }) => name === "CustomResource");
    const isMarked = sources
      .markersOf(module)
      .on(declaration.comments)
      .some(({ name, args }) => name === "kubebuilder:object:root" && args[""] === true);
    if (!isResource && !(isMarked && !declaration.name.endsWith("List"))) continue;
    const { name } = declaration;
    log.error(
      { module, pos: declaration.pos },
      `"${name}" is not a kind yet: its group, version and plural are unknown`,
      `add: export const ${name} = defineKind<${name}>(groupVersion, { kind: "${name}", plural: "${name.toLowerCase()}s" });`,
    );
  }
}

const kindMarkerNames = new Set(
  kindFamily.markers.map(({ name }) => name).filter((name) => !name.startsWith("kubebuilder:object:")),
);

/** Finds the markers for kinds on the types of a module, also on types that are no kinds. */
export function findKindMarkers(module: Module, sources: SchemaSources): KindMarker[] {
  return [...module.declarations.values()].flat().flatMap(({ comments, name: declared }) =>
    sources
      .markersOf(module)
      .on(comments)
      .filter(({ name }) => kindMarkerNames.has(name))
      .map(({ name, place: { pos } }) => ({ name, pos, declared })),
  );
}

/** Warns of markers for kinds on types that are not kinds, because no generator reads them there. */
export function warnOfLostKindMarkers(
  modules: readonly Module[],
  kinds: readonly KindSummary[],
  markersIn: (module: Module) => readonly KindMarker[],
  log: DiagnosticLog,
): void {
  const onKinds = new Set(kinds.flatMap(({ markedAt }) => markedAt));
  for (const module of modules) {
    for (const { name, pos, declared } of markersIn(module)) {
      const place: Place = { module, pos };
      if (onKinds.has(positionOf(place))) continue;
      const message = `+${name} has no effect on "${declared}", which is not a kind`;
      log.warn(place, message, "move it to the interface of a kind, or remove it");
    }
  }
}

function positionOf({ module, pos }: Place): string {
  return `${module.file}:${pos}`;
}
