import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { CompiledSchema } from "@tsbuilder/apimachinery/schema";
import { TerminalError } from "../errors/api-error.ts";

interface KindedObject {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Validates objects like the API server with these CRDs: schema, defaults and CEL rules. */
export interface CRDValidator {
  /** The errors of an object, or of the change from `old`, in the API server's words; empty if valid. */
  validate(object: KindedObject, old?: KindedObject): string[];
}

/**
 * Creates a validator from CRDs: objects, or paths of files and folders, such as `config/crd/bases`. For unit tests of
 * what a marker or a CEL rule rejects, without a cluster.
 */
export async function createCRDValidator(...sources: readonly (string | object)[]): Promise<CRDValidator> {
  // Large, and unnecessary for the other tests that import this package.
  const { compileValidator } = await import("@tsbuilder/apimachinery/cel");
  const { formatFieldError } = await import("@tsbuilder/apimachinery/errors");
  const schemas = new Map<string, CompiledSchema>();
  for (const { kind, spec } of (await Promise.all(sources.map(readCRDs))).flat()) {
    if (kind !== "CustomResourceDefinition") continue;
    for (const { name, schema } of spec.versions) {
      const id = `${spec.group}/${name} ${spec.names.kind}`;
      schemas.set(id, compileValidator(schema.openAPIV3Schema));
    }
  }
  return {
    validate(object, old) {
      const schema = schemas.get(`${object.apiVersion} ${object.kind}`);
      if (!schema) {
        const known = [...schemas.keys()].join(", ") || "none";
        throw new TerminalError(
          `there is no CRD for ${object.kind} of ${object.apiVersion}; there are: ${known}`,
        );
      }
      const before = old === undefined ? {} : { old: schema.applyDefaults(old) };
      return schema.validate(schema.applyDefaults(object), before).map((error) => formatFieldError(error));
    },
  };
}

/** A CRD, as far as tests read it. */
export interface CRD {
  readonly kind?: string;
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string };
    readonly versions: readonly {
      readonly name: string;
      readonly schema: { readonly openAPIV3Schema: object };
    }[];
  };
}

/** Reads the CRDs of a source: an object, or a path. A folder's files are read in order of their names. */
export async function readCRDs(source: string | object): Promise<CRD[]> {
  if (typeof source === "object") return [source as CRD];
  const { parseAllDocuments } = await import("yaml");
  const isFolder = (await stat(source)).isDirectory();
  const names = isFolder ? (await readdir(source)).filter((name) => /\.(ya?ml|json)$/.test(name)).sort() : [];
  const paths = isFolder ? names.map((name) => join(source, name)) : [source];
  const texts = await Promise.all(paths.map((path) => readFile(path, "utf8")));
  return texts
    .flatMap((text) => parseAllDocuments(text))
    .flatMap((document) => (document.toJS() as CRD | null) ?? []);
}
