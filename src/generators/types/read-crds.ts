import { isObject, type JSONObject } from "@tsbuilder/apimachinery/json";
import { formatFieldError } from "@tsbuilder/apimachinery/errors";
import { type CRDSpec, defaultNames, validateCRD } from "@tsbuilder/apimachinery/crd";
import { type BuiltinSchema, DecodeError, decodeBuiltIn, loadSchemas } from "@tsbuilder/apimachinery/kinds";
import { TsbuilderError } from "../../shared/errors.ts";
import { readYaml } from "../../shared/read-yaml.ts";

/** A third-party CRD, as an API server would store it. */
export interface ThirdPartyCrd {
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: CRDSpec;
}

/** The limit of an API server for the body of a request, in bytes. */
const longestRequest = 3 * 1024 * 1024;

/** Reads the CRDs in a YAML file. Throws a TsbuilderError for what an API server would reject. */
export async function readCrds(file: string, text: string): Promise<ThirdPartyCrd[]> {
  const objects = readYaml(file, text).flatMap(crdsOf);
  if (objects.length === 0) {
    throw new TsbuilderError(`"${file}" contains no CustomResourceDefinition`, {
      code: "INVALID_SOURCE",
      hint: "use a file with CRDs, for example from: kubectl get crd NAME -o yaml > crd.yaml",
    });
  }
  return Promise.all(
    objects.map(async (object) => {
      // An API server receives JSON, which has no infinities and no shared references.
      const json = JSON.stringify(object);
      const bytes = Buffer.byteLength(json);
      if (bytes > longestRequest) {
        throw refuse(file, `it has ${bytes} bytes, but an API server accepts ${longestRequest}`);
      }
      return readCrd(file, JSON.parse(json) as Record<string, unknown>);
    }),
  );
}

/** Returns the CRDs in a document of a YAML file: the document itself, or the items of a list, as `kubectl get crds -o yaml` prints. */
export function crdsOf(value: unknown): JSONObject<unknown>[] {
  if (!isObject(value)) return [];
  if (value["kind"] === "CustomResourceDefinition") return [value];
  const isList = value["kind"] === "List" || value["kind"] === "CustomResourceDefinitionList";
  return isList && Array.isArray(value["items"]) ? value["items"].flatMap(crdsOf) : [];
}

async function readCrd(file: string, object: Record<string, unknown>): Promise<ThirdPartyCrd> {
  if (object["apiVersion"] !== "apiextensions.k8s.io/v1") {
    throw refuse(file, `its apiVersion is ${show(object["apiVersion"])}, and not "apiextensions.k8s.io/v1"`);
  }
  try {
    const crd = (await decodeCrd(object)) as unknown as ThirdPartyCrd;
    defaultNames(crd.spec);
    const [error, ...more] = validateCRD({ ...crd, metadata: crd.metadata ?? {} });
    if (!error) return crd;
    const others = more.length === 0 ? "" : `, and ${more.length} more`;
    throw refuse(file, `${shorten(formatFieldError(error))}${others}`);
  } catch (error) {
    if (error instanceof DecodeError) throw refuse(file, shorten(error.message));
    if (error instanceof RangeError) throw refuse(file, "its schema is nested too deeply");
    throw error;
  }
}

/** Decodes a CRD as an API server does. Throws a DecodeError, or a RangeError for schemas nested too deeply. */
export async function decodeCrd(object: Record<string, unknown>): Promise<Record<string, unknown>> {
  const table = (await loadSchemas("apiextensions/v1"))!;
  const crd = decodeBuiltIn(object, table.get("CustomResourceDefinition")!).object;
  const { spec } = crd as { spec?: { versions?: readonly { schema?: { openAPIV3Schema?: unknown } }[] } };
  const node = table.get("JSONSchemaProps")!;
  for (const { schema } of spec?.versions ?? []) decodeInner(schema?.openAPIV3Schema, node);
  return crd;
}

/** The tables describe `items` and `additionalProperties` as any JSON, so schemas in them are decoded here. */
function decodeInner(value: unknown, node: BuiltinSchema): void {
  if (!isObject(value)) return;
  for (const key of ["items", "additionalProperties"]) {
    if (!isObject(value[key])) continue;
    value[key] = decodeBuiltIn(value[key], node).object;
  }
  for (const key of ["items", "additionalProperties", "not"]) decodeInner(value[key], node);
  for (const key of ["properties", "allOf", "anyOf", "oneOf"]) {
    for (const inner of Object.values(value[key] ?? {})) decodeInner(inner, node);
  }
}

function refuse(file: string, why: string): TsbuilderError {
  const hint = `check the source of the file; for all errors, run kubectl apply --dry-run=server -f ${file}`;
  return new TsbuilderError(`"${file}" contains an invalid CRD: ${why}`, { code: "INVALID_SOURCE", hint });
}

const longestReason = 400;

/** Values in error messages are shortened. */
function shorten(text: string): string {
  return text.length > longestReason ? `${text.slice(0, longestReason)}…` : text;
}

function show(value: unknown): string {
  return value === undefined ? "missing" : shorten(JSON.stringify(value));
}
