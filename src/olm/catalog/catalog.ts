/**
 * File-based catalogs, from which OLM installs bundles: their format, reading one, and its rules. `check-catalog.ts` checks
 * the rules; `edit-catalog.ts` adds packages and bundles.
 */

import type { Tree } from "../../scaffold/tree.ts";
import { type Position, TsbuilderError } from "../../shared/errors.ts";
import { type Located, missingFile, readDocuments } from "../located.ts";
import type { RuleFinding } from "../rule-finding.ts";

/** A file-based catalog: the blobs of all files in its folder, by schema. */
export interface Catalog {
  readonly packages: readonly Located[];
  readonly channels: readonly Located[];
  readonly bundles: readonly Located[];
  /** Blobs of other schemas, such as deprecations, and blobs without a schema. */
  readonly others: readonly Located[];
}

/** The schemas of the blobs that OLM requires. */
export const schemas = {
  package: "olm.package",
  channel: "olm.channel",
  bundle: "olm.bundle",
} as const;

/** Reads the catalog in a folder of a tree. A file that is not YAML becomes a finding, and is missing in the catalog. */
export function readCatalog(
  tree: Tree,
  folder: string,
): { readonly catalog: Catalog; readonly findings: readonly CatalogFinding[] } {
  const findings: CatalogFinding[] = [];
  const blobs = tree
    .list(folder)
    .filter((path) => /\.(?:ya?ml|json)$/u.test(path))
    .flatMap((path) => {
      const documents = readDocuments(path, tree.read(path) ?? "");
      if (!(documents instanceof TsbuilderError)) return documents;
      const at = documents.at ?? missingFile(path).at;
      findings.push(finding("yaml-syntax", { at }, documents.message, documents.hint));
      return [];
    });
  const known = Object.values<unknown>(schemas);
  const blobsOf = (schema: string): Located[] => blobs.filter((blob) => blob.get("schema").value === schema);
  return {
    catalog: {
      packages: blobsOf(schemas.package),
      channels: blobsOf(schemas.channel),
      bundles: blobsOf(schemas.bundle),
      others: blobs.filter((blob) => !known.includes(blob.get("schema").value)),
    },
    findings,
  };
}

/** The types of properties by which OLM finds and describes bundles. */
export const properties = {
  package: "olm.package",
  packageRequired: "olm.package.required",
  gvk: "olm.gvk",
  gvkRequired: "olm.gvk.required",
  csvMetadata: "olm.csv.metadata",
} as const;

/** The label of a catalog's image with the folder of its files. */
export const configsLabel = "operators.operatorframework.io.index.configs.v1";
export const catalogDockerfileName = "catalog.Dockerfile";

/** The rules of catalogs; each is an error, since OLM serves no catalog that breaks one. */
export const catalogRules = {
  "yaml-syntax": "every file is YAML",
  "blob-schema": "every document has a schema",
  "package-missing": "channels and bundles belong to a package of the catalog",
  "package-duplicate": "each package is described once",
  "default-channel": "a package's default channel exists",
  "channel-name": "channels have a name, and each is described once",
  "channel-empty": "a channel has entries",
  "channel-head": "one entry of a channel is neither replaced nor skipped: the one that is installed",
  "channel-cycle": "no entry replaces itself, directly or by others",
  "channel-stranded": "every other entry is replaced on the way from the head, or skipped",
  "entry-duplicate": "each entry is once in its channel",
  "entry-bundle": "every entry is a bundle of the catalog",
  "entry-skip-range": "skipRange is a range of versions",
  "entry-skips": "the bundles that an entry skips have names",
  "bundle-duplicate": "each bundle is described once",
  "bundle-channel": "every bundle is in a channel",
  "bundle-image": "every bundle has an image",
  "bundle-package": "a bundle has one property olm.package, with its package and a semantic version",
  "bundle-version": "no two bundles of a package have the same version",
} as const;

export type CatalogFinding = RuleFinding<keyof typeof catalogRules>;

/** Makes a finding at a place, such as a `Located` value. */
export function finding(
  rule: keyof typeof catalogRules,
  { at }: { readonly at: Position },
  message: string,
  hint: string,
): CatalogFinding {
  return { rule, severity: "error", message, hint, position: at };
}
