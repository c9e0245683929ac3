import { isEqual } from "@tsbuilder/apimachinery/json";
import type { Bundle } from "../validate/bundle.ts";
import { containersOf, csvNameOf, definedKinds, deploymentsOf, packageNameOf } from "../validate/bundle.ts";
import type { Located } from "../located.ts";
import { properties, schemas } from "./catalog.ts";

/** Returns the blob of a valid bundle for a file-based catalog, as `opm render` does. `image` holds the bundle's files. */
export function renderBundle(bundle: Bundle, image: string) {
  const { csv } = bundle;
  const packageName = packageNameOf(bundle);
  return {
    schema: schemas.bundle,
    name: csvNameOf(bundle),
    package: packageName,
    image,
    properties: dropRepeatedKinds([
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
function dropRepeatedKinds(all: readonly Property[]): Property[] {
  const kinds: readonly string[] = [properties.gvk, properties.gvkRequired];
  return all.filter(
    (property, index) =>
      !kinds.includes(property.type) || all.findIndex((other) => isEqual(other, property)) === index,
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
const alwaysWritten: ReadonlySet<string> = new Set(["apiServiceDefinitions", "crdDescriptions", "provider"]);

/** Returns the part of the ClusterServiceVersion that consoles show, without deployments and permissions. */
function csvMetadata(csv: Located): Record<string, unknown> {
  const spec = csv.get("spec");
  const fields: Record<string, Located> = {
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
    Object.entries(fields).flatMap(([key, field]) => {
      if (!field.isMissing) return [[key, field.value]];
      return alwaysWritten.has(key) ? [[key, {}]] : [];
    }),
  );
}

/** Returns the images that a mirror of the catalog must copy: the listed ones, the bundle's own, and those of containers. */
function relatedImages(bundle: Bundle, image: string): { name: string; image: string }[] {
  const listed = bundle.csv.get("spec", "relatedImages").items.map((related) => ({
    name: related.get("name").text ?? "",
    image: related.get("image").text ?? "",
  }));
  const used = deploymentsOf(bundle)
    .flatMap(containersOf)
    .flatMap((container) => container.get("image").text ?? []);
  const known = new Set(listed.map((related) => related.image));
  const others = [...new Set([image, ...used])].filter((other) => !known.has(other));
  return [...listed, ...others.map((other) => ({ name: "", image: other }))];
}
