import { compareText } from "@tsbuilder/apimachinery/text";
import { text } from "../markers/definition.ts";
import type { DiagnosticLog } from "../diagnostic.ts";
import type { Marker } from "../markers/collect.ts";
import type { GeneratorOptions } from "../options.ts";
import type { KindVersion } from "./find-kinds.ts";
import type { CrdVersion } from "./version.ts";

/** A CRD as written to its file. */
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

/** Combines the versions of one kind, in any order, into its CRD. */
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

/** The `conversion` stanza of a CRD with a conversion webhook. */
function conversionOf(kinds: readonly KindVersion[]): object | undefined {
  const marker = kinds.flatMap(({ markers }) => markers).find(({ name }) => name === "tsbuilder:conversion");
  if (!marker) return undefined;
  const { args } = marker;
  const reviews = (args["reviewVersions"] ?? []) as readonly string[];
  return {
    strategy: "Webhook",
    webhook: {
      clientConfig: {
        service: {
          name: args["service"] ?? "webhook-service",
          namespace: args["namespace"] ?? "system",
          path: args["path"] ?? "/convert",
          port: args["port"],
        },
      },
      conversionReviewVersions: reviews.length > 0 ? reviews : ["v1"],
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

/** `defineKind` determines kind, plural and scope: a marker may repeat them, but not contradict them. */
function checkResource({ kind, plural, scope, markers }: KindVersion, log: DiagnosticLog): Marker[] {
  const resources = markers.filter(({ name }) => name === "kubebuilder:resource");
  for (const { args, place } of resources) {
    if (args["path"] && args["path"] !== plural) {
      const hint = `set plural: "${text(args, "path")}" in defineKind, or remove path= here`;
      log.error(
        place,
        `the marker sets the plural of ${kind} to "${text(args, "path")}", but defineKind to "${plural}"`,
        hint,
      );
    }
    if (args["scope"] && args["scope"] !== scope) {
      const hint = `set scope: "${text(args, "scope")}" in defineKind, or remove scope= here`;
      log.error(
        place,
        `the marker sets the scope of ${kind} to "${text(args, "scope")}", but defineKind to "${scope}"`,
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
      `${first.kind} is "${plural}", ${scope} in ${version}, but "${first.plural}", ${first.scope} in ${first.version}`,
      "all versions of a kind have the same plural and scope",
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
      `${first.kind} has the versions ${names}, but no storage version`,
      "add +kubebuilder:storageversion to one of them",
    );
  }
  for (const { name } of stored.slice(1)) {
    const kind = kinds.find(({ version }) => version === name)!;
    const marker = kind.markers.find((one) => one.name === "kubebuilder:storageversion");
    log.error(
      marker?.place ?? kind.place,
      `${first.kind} has two storage versions, ${stored[0]!.name} and ${name}`,
      "keep +kubebuilder:storageversion on only one of them",
    );
  }
  if (!versions.some(({ served }) => served)) {
    log.error(
      first.place,
      `${first.kind} has no served version`,
      "remove +kubebuilder:unservedversion from one of them",
    );
  }
}
