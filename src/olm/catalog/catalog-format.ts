/** The words of file-based catalogs. */

export const schemas = {
  package: "olm.package",
  channel: "olm.channel",
  bundle: "olm.bundle",
} as const;

/** The properties of bundles by which OLM finds and describes them. */
export const properties = {
  package: "olm.package",
  packageRequired: "olm.package.required",
  gvk: "olm.gvk",
  gvkRequired: "olm.gvk.required",
  csvMetadata: "olm.csv.metadata",
} as const;

/** The label of a catalog's image that says where its files are. */
export const configsLabel = "operators.operatorframework.io.index.configs.v1";

export const catalogDockerfileName = "catalog.Dockerfile";
