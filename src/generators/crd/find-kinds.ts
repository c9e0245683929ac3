import { isObject } from "@tsbuilder/apimachinery/json";
import type { GroupVersion, Scope } from "@tsbuilder/apimachinery/meta";
import { listWords } from "../../shared/text.ts";
import type { DiagnosticLog, Place } from "../diagnostic.ts";
import {
  type ConstDeclaration,
  type Declared,
  evaluate,
  isDefineKind,
  type Module,
  NotStatic,
  type ReferenceNode,
  type StaticValue,
} from "../loader/index.ts";
import type { Marker } from "../markers/collect.ts";
import type { SchemaSources } from "../schema/environment.ts";

/** One version of a kind, as its sources declare it. */
export interface KindVersion extends GroupVersion {
  readonly kind: string;
  readonly plural: string;
  readonly scope: Scope;
  readonly module: Module;
  /** The interface behind the kind, and how `defineKind` names it. */
  readonly parts: readonly Declared[];
  readonly type: ReferenceNode;
  /** Markers on the interface and on the constant. */
  readonly markers: readonly Marker[];
  readonly place: Place;
}

/** Finds the kinds of a module: what `defineKind` is called with, read without running it. */
export function findKinds(module: Module, sources: SchemaSources): KindVersion[] {
  return [...module.declarations.values()].flat().flatMap((declaration) => {
    if (declaration.kind !== "const" || !isDefineKind(declaration, module)) return [];
    const kind = readKind(declaration, module, sources);
    return kind ? [kind] : [];
  });
}

/** Reports object types that look like kinds and are none: they would silently have no CRD. */
export function reportUndefinedKinds(
  module: Module,
  found: readonly KindVersion[],
  sources: SchemaSources,
): void {
  const { log } = sources;
  const defined = new Set(found.flatMap(({ parts }) => parts.map(({ declaration }) => declaration)));
  // A definition that is wrong says so itself.
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
      `"${name}" is no kind yet: nothing says its group, version and plural`,
      `add: export const ${name} = defineKind<${name}>(groupVersion, { kind: "${name}", plural: "${name.toLowerCase()}s" });`,
    );
  }
}

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
      log.error(place, "defineKind needs a group version and a definition", defineHint);
    return undefined;
  }
  const text = (from: Record<string, StaticValue | undefined>, name: string): string | undefined => {
    const value = from[name];
    if (typeof value === "string") return value;
    log.error(place, `defineKind needs the text "${name}"`, defineHint);
    return undefined;
  };
  const group = text(groupVersion, "group");
  const version = text(groupVersion, "version");
  const kind = text(definition, "kind");
  const plural = text(definition, "plural");
  const scope = (definition["scope"] ?? "Namespaced") as Scope;
  if (group === undefined || version === undefined || kind === undefined || plural === undefined)
    return undefined;
  const problems = checkNames({ version, kind, plural, scope });
  for (const problem of problems) log.error(place, problem, defineHint);
  const type = typeOf(declaration, kind, log, place);
  const resolved = type && graph.resolve(type.name, module);
  if (!type || resolved?.kind !== "declared") {
    if (type)
      log.error(
        place,
        `there is no type "${type.name}" for the kind`,
        "declare an interface that extends CustomResource<Spec, Status>",
      );
    return undefined;
  }
  const parts = resolved.parts.filter(({ declaration: { kind: what } }) => what !== "const");
  const markers = [
    ...parts.flatMap((part) => sources.markersOf(part.module).on(part.declaration.comments)),
    ...sources.markersOf(module).on(declaration.comments),
  ];
  return { group, version, kind, plural, scope, module, parts, type, markers, place };
}

const defineHint =
  'it reads: defineKind<MySQL>(groupVersion, { kind: "MySQL", plural: "mysqls" }), with literals or constants of literals';

function staticObject(
  value: StaticValue | NotStatic,
  log: DiagnosticLog,
): Record<string, StaticValue | undefined> | undefined {
  if (value instanceof NotStatic) {
    log.error(
      value,
      "this value cannot be known without running the code",
      "use a literal, or a constant of literals",
    );
    return undefined;
  }
  return isObject(value) ? value : undefined;
}

/** The type argument, or the interface that shares the constant's name. */
function typeOf(
  declaration: ConstDeclaration,
  kind: string,
  log: DiagnosticLog,
  place: Place,
): ReferenceNode | undefined {
  const argument = declaration.value.kind === "call" ? declaration.value.typeArguments[0] : undefined;
  if (argument?.kind === "reference") return argument;
  if (argument) {
    log.error(
      place,
      "the type of a kind must have a name",
      `declare interface ${kind} extends CustomResource<Spec, Status> {}`,
    );
    return undefined;
  }
  return { kind: "reference", name: declaration.name, args: [], specifier: undefined, pos: declaration.pos };
}

function checkNames({
  version,
  kind,
  plural,
  scope,
}: {
  version: string;
  kind: string;
  plural: string;
  scope: string;
}): string[] {
  const problems: string[] = [];
  if (!/^[A-Z][A-Za-z0-9]*$/u.test(kind) || kind.length > 63)
    problems.push(`"${kind}" is no kind: it is PascalCase, like MySQL`);
  if (!/^[a-z]([-a-z0-9]*[a-z0-9])?$/u.test(plural))
    problems.push(`"${plural}" is no plural: it is lower case, like mysqls`);
  if (!/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/u.test(version))
    problems.push(`"${version}" is no version: it is like v1 or v1alpha1`);
  const scopes = ["Namespaced", "Cluster"];
  if (!scopes.includes(scope)) problems.push(`"${scope}" is no scope: it is ${listWords(scopes)}`);
  return problems;
}
