import { isEqual } from "@tsbuilder/apimachinery/json";
import { type Bundle, containersOf, definedKinds, deploymentsOf } from "../validate/bundle.ts";
import { bundleAnnotations } from "../bundle-format.ts";
import type { Located } from "../located.ts";
import { properties, schemas } from "./catalog.ts";

/** Renders the blob of a valid bundle for a catalog. The image holds its files. */
export function renderBundle(bundle: Bundle, image: string) {
  const { csv } = bundle;
  const packageName = bundle.annotations.get(bundleAnnotations.package).text!;
  return {
    schema: schemas.bundle,
    name: csv.get("metadata", "name").text!,
    package: packageName,
    image,
    properties: withoutRepeated([
      ...definedKinds(bundle, "owned").map((kind) => kindProperty(properties.gvk, kind)),
      ...definedKinds(bundle, "required").map((kind) => kindProperty(properties.gvkRequired, kind)),
      { type: properties.package, value: { packageName, version: csv.get("spec", "version").text } },
      // Dependencies and properties from files of the bundle, besides those of its CRDs.
      ...bundle.dependencies.items.flatMap(readDependency),
      ...bundle.properties.items.flatMap(readProperty),
      { type: properties.csvMetadata, value: csvMetadata(csv) },
    ]),
    relatedImages: relatedImages(bundle, image),
  };
}

interface Property {
  readonly type: string;
  readonly value: unknown;
}

function kindProperty(type: string, { group, kind, version }: ReturnType<typeof definedKinds>[0]): Property {
  return { type, value: { group, kind, version } };
}

/** Drops repeated kinds: the bundle may name them in the ClusterServiceVersion and in a file of its own. */
function withoutRepeated(all: readonly Property[]): Property[] {
  const kinds: readonly string[] = [properties.gvk, properties.gvkRequired];
  return all.filter(
    (one, index) => !kinds.includes(one.type) || all.findIndex((other) => isEqual(other, one)) === index,
  );
}

function readProperty(property: Located): Property[] {
  const type = property.get("type").text;
  return type === undefined ? [] : [{ type, value: property.get("value").value }];
}

/** Converts a dependency into a property. The types of required kinds and packages have other names in a catalog. */
function readDependency(dependency: Located): Property[] {
  const [type, value] = [dependency.get("type").text, dependency.get("value")];
  if (type === properties.gvk) return [{ type: properties.gvkRequired, value: value.value }];
  if (type !== properties.package) return readProperty(dependency);
  const [packageName, versionRange] = [value.get("packageName").value, value.get("version").value];
  return [{ type: properties.packageRequired, value: { packageName, versionRange } }];
}

/** Fields that opm writes even if they are empty. */
const structs: ReadonlySet<string> = new Set(["apiServiceDefinitions", "crdDescriptions", "provider"]);

/** Returns the part of the ClusterServiceVersion that consoles show, without deployments and permissions. */
function csvMetadata(csv: Located): Record<string, unknown> {
  const spec = csv.get("spec");
  const all: Record<string, Located> = {
    annotations: csv.get("metadata", "annotations"),
    apiServiceDefinitions: spec.get("apiservicedefinitions"),
    crdDescriptions: spec.get("customresourcedefinitions"),
    description: spec.get("description"),
    displayName: spec.get("displayName"),
    installModes: spec.get("installModes"),
    keywords: spec.get("keywords"),
    labels: csv.get("metadata", "labels"),
    links: spec.get("links"),
    maintainers: spec.get("maintainers"),
    maturity: spec.get("maturity"),
    minKubeVersion: spec.get("minKubeVersion"),
    nativeAPIs: spec.get("nativeAPIs"),
    provider: spec.get("provider"),
  };
  return Object.fromEntries(
    Object.entries(all).flatMap(([key, one]) => {
      if (!one.isMissing) return [[key, one.value]];
      return structs.has(key) ? [[key, {}]] : [];
    }),
  );
}

/** Returns the images that a mirror of the catalog must copy: the listed ones, the bundle's own, and those of containers. */
function relatedImages(bundle: Bundle, image: string): { name: string; image: string }[] {
  const listed = bundle.csv.get("spec", "relatedImages").items.map((one) => ({
    name: one.get("name").text ?? "",
    image: one.get("image").text ?? "",
  }));
  const used = deploymentsOf(bundle)
    .flatMap(containersOf)
    .flatMap((container) => container.get("image").text ?? []);
  const known = new Set(listed.map((one) => one.image));
  const others = [...new Set([image, ...used])].filter((one) => !known.has(one));
  return [...listed, ...others.map((one) => ({ name: "", image: one }))];
}
