import type { Position } from "../../shared/errors.ts";
import type { Located } from "../located.ts";

/** The files of a bundle, as far as they can be read. */
export interface Bundle {
  /** The ClusterServiceVersion; the first if there are several. */
  readonly csv: Located;
  /** All objects in `manifests/`, with those of wrong kinds. */
  readonly objects: readonly Located[];
  /** The member `annotations` of `metadata/annotations.yaml`. */
  readonly annotations: Located;
  readonly properties: Located;
  readonly dependencies: Located;
  /** Beside or in the bundle's folder; undefined if there is none. */
  readonly dockerfile: Dockerfile | undefined;
  /** Whether the bundle has a file, by its path in the bundle. */
  has(path: string): boolean;
  /** Of all manifests together. */
  readonly compressedSize: number;
}

export interface Dockerfile {
  readonly labels: ReadonlyMap<string, { readonly value: string; readonly at: Position }>;
  readonly at: Position;
}

/** The CRDs of a bundle, of the API version that is served. */
export function crdsOf({ objects }: Bundle): Located[] {
  return objects.filter(
    (object) =>
      object.get("kind").value === "CustomResourceDefinition" &&
      object.get("apiVersion").value === "apiextensions.k8s.io/v1",
  );
}

/** The deployments that the ClusterServiceVersion installs. */
export function deploymentsOf({ csv }: Bundle): Located[] {
  return csv.get("spec", "install", "spec", "deployments").items;
}

/** The containers of a deployment in a ClusterServiceVersion, with those that run first. */
export function containersOf(deployment: Located): Located[] {
  const pod = deployment.get("spec", "template", "spec");
  return [...pod.get("initContainers").items, ...pod.get("containers").items];
}

/** The versions of a CRD by name. */
export function versionsOf(crd: Located): string[] {
  return crd.get("spec", "versions").items.flatMap((version) => version.get("name").text ?? []);
}
