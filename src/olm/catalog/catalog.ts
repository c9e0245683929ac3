import type { Tree } from "../../scaffold/tree.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import type { Located } from "../located.ts";
import { missingFile, readDocuments } from "../read-documents.ts";
import { type CatalogFinding, finding } from "./finding.ts";
import { schemas } from "./catalog-format.ts";

/** A file-based catalog: its blobs by schema, wherever they are in its folder. */
export interface Catalog {
  readonly packages: readonly Located[];
  readonly channels: readonly Located[];
  readonly bundles: readonly Located[];
  /** Blobs of other schemas, such as deprecations, and those without one. */
  readonly others: readonly Located[];
}

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
  const of = (schema: string): Located[] => blobs.filter((blob) => blob.get("schema").value === schema);
  return {
    catalog: {
      packages: of(schemas.package),
      channels: of(schemas.channel),
      bundles: of(schemas.bundle),
      others: blobs.filter((blob) => !known.includes(blob.get("schema").value)),
    },
    findings,
  };
}
