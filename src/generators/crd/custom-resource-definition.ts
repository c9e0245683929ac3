import { compareText } from "@tsbuilder/apimachinery/text";
import { text } from "../markers/definition.ts";
import type { DiagnosticLog } from "../diagnostic.ts";
import type { Marker } from "../markers/collect.ts";
import type { GeneratorOptions } from "../options.ts";
import { conversionOf } from "./conversion.ts";
import type { KindVersion } from "./find-kinds.ts";
import type { CrdVersion } from "./version.ts";

/** A CRD as it is written to its file. */
export interface CustomResourceDefinition {
  readonly apiVersion: "apiextensions.k8s.io/v1";
  readonly kind: "CustomResourceDefinition";
  readonly metadata: { readonly name: string; readonly [key: string]: unknown };
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string; readonly plural: string; readonly [key: string]: unknown };
    readonly scope: string;
    readonly versions: readonly CrdVersion[];
    readonly conversion?: object | undefined;
  };
}

/** Joins the versions of one kind to its CRD; the versions come with their schemas, in any order. */
export function customResourceDefinition(
  kinds: readonly KindVersion[],
  versions: readonly CrdVersion[],
  options: GeneratorOptions,
  log: DiagnosticLog,
): CustomResourceDefinition {
  const [first] = kinds as [KindVersion];
  const sorted = [...versions].sort((a, b) => compareText(a.name, b.name));
  checkSameNames(kinds, log);
  checkVersions(kinds, sorted, log);
  const resource = kinds.flatMap((kind) => checkResource(kind, log)).at(-1);
  const list = (name: string): readonly string[] | undefined => {
    const value = resource?.args[name] as readonly string[] | undefined;
    return value && value.length > 0 ? value : undefined;
  };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: metadataOf(kinds, options),
    spec: {
      group: first.group,
      names: {
        kind: first.kind,
        listKind: `${first.kind}List`,
        plural: first.plural,
        singular: (resource && text(resource.args, "singular")) || first.kind.toLowerCase(),
        shortNames: list("shortName"),
        categories: list("categories"),
      },
      scope: first.scope,
      versions: sorted,
      conversion: conversionOf(kinds),
    },
  };
}

function metadataOf(
  kinds: readonly KindVersion[],
  options: GeneratorOptions,
): CustomResourceDefinition["metadata"] {
  const [first] = kinds as [KindVersion];
  const markers = kinds.flatMap((kind) => kind.markers.filter(({ name }) => name === "kubebuilder:metadata"));
  const pairs = (name: string): [string, string][] =>
    markers.flatMap(({ args }) =>
      ((args[name] ?? []) as readonly string[]).map((pair): [string, string] => {
        const equals = pair.indexOf("=");
        return [pair.slice(0, equals), pair.slice(equals + 1)];
      }),
    );
  const { versionAnnotation } = options;
  const annotations = Object.fromEntries([
    ...pairs("annotations"),
    ...(versionAnnotation ? [[versionAnnotation.key, versionAnnotation.value] as const] : []),
  ]);
  const labels = Object.fromEntries(pairs("labels"));
  return {
    annotations: Object.keys(annotations).length > 0 ? annotations : undefined,
    labels: Object.keys(labels).length > 0 ? labels : undefined,
    name: `${first.plural}.${first.group}`,
  };
}

/** `defineKind` is the only truth for kind, plural and scope: a marker may repeat it, not contradict it. */
function checkResource({ kind, plural, scope, markers }: KindVersion, log: DiagnosticLog): Marker[] {
  const resources = markers.filter(({ name }) => name === "kubebuilder:resource");
  for (const { args, place } of resources) {
    if (args["path"] && args["path"] !== plural) {
      const hint = `write plural: "${text(args, "path")}" in defineKind, or drop path= here`;
      log.error(
        place,
        `the marker says the plural of ${kind} is "${text(args, "path")}", defineKind says "${plural}"`,
        hint,
      );
    }
    if (args["scope"] && args["scope"] !== scope) {
      const hint = `write scope: "${text(args, "scope")}" in defineKind, or drop scope= here`;
      log.error(
        place,
        `the marker says the scope of ${kind} is "${text(args, "scope")}", defineKind says "${scope}"`,
        hint,
      );
    }
  }
  return resources;
}

function checkSameNames(kinds: readonly KindVersion[], log: DiagnosticLog): void {
  const [first] = kinds as [KindVersion];
  for (const { plural, scope, version, place } of kinds) {
    if (plural === first.plural && scope === first.scope) continue;
    log.error(
      place,
      `${first.kind} is "${plural}", ${scope} in ${version}, and "${first.plural}", ${first.scope} in ${first.version}`,
      "plural and scope hold for all versions of a kind",
    );
  }
  const versions = new Set<string>();
  for (const { version, place } of kinds) {
    if (versions.has(version))
      log.error(place, `${first.kind} ${version} is defined twice`, "remove one of them");
    versions.add(version);
  }
}

function checkVersions(kinds: readonly KindVersion[], versions: CrdVersion[], log: DiagnosticLog): void {
  const [first] = kinds as [KindVersion];
  if (versions.length === 1) versions[0]!.storage = true;
  const stored = versions.filter(({ storage }) => storage);
  const names = versions.map(({ name }) => name).join(", ");
  if (stored.length === 0) {
    log.error(
      first.place,
      `${first.kind} has the versions ${names}, and none of them is the stored one`,
      "put +kubebuilder:storageversion on one",
    );
  }
  for (const { name } of stored.slice(1)) {
    const kind = kinds.find(({ version }) => version === name)!;
    const marker = kind.markers.find((one) => one.name === "kubebuilder:storageversion");
    log.error(
      marker?.place ?? kind.place,
      `${first.kind} has two stored versions, ${stored[0]!.name} and ${name}`,
      "keep +kubebuilder:storageversion on one",
    );
  }
  if (!versions.some(({ served }) => served)) {
    log.error(
      first.place,
      `${first.kind} serves no version`,
      "take +kubebuilder:unservedversion off one of them",
    );
  }
}
