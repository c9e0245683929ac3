import { isObject } from "@tsbuilder/apimachinery/json";
import { formatFieldError } from "@tsbuilder/apimachinery/errors";
import { type CRDSpec, defaultNames, validateCRD } from "@tsbuilder/apimachinery/crd";
import { DecodeError } from "@tsbuilder/apimachinery/kinds";
import { TsbuilderError } from "../../shared/errors.ts";
import { readYaml } from "../../shared/read-yaml.ts";
import { decodeCrd } from "./decode-crd.ts";

/** A third-party CRD, as an API server would store it. */
export interface ThirdPartyCrd {
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: CRDSpec;
}

/**
 * Reads the CRDs in a YAML file, and rejects what an API server would reject: names and schemas become paths and code,
 * so they are validated first.
 */
export async function readCrds(file: string, text: string): Promise<ThirdPartyCrd[]> {
  const objects = readYaml(file, text)
    .filter((value) => isObject(value))
    .filter(isCrd);
  if (objects.length === 0) {
    throw new TsbuilderError(`"${file}" contains no CustomResourceDefinition`, {
      code: "INVALID_SOURCE",
      hint: "use a file with CRDs, for example from: kubectl get crd NAME -o yaml > crd.yaml",
    });
  }
  // An API server receives JSON, which has no infinities and no shared references.
  return Promise.all(
    objects.map(async (object) => {
      const json = JSON.stringify(object);
      const bytes = Buffer.byteLength(json);
      if (bytes > longestRequest) {
        throw refuse(file, `it has ${bytes} bytes, but an API server accepts ${longestRequest}`);
      }
      return readCrd(file, JSON.parse(json) as Record<string, unknown>);
    }),
  );
}

/** What an API server reads of a request's body. */
const longestRequest = 3 * 1024 * 1024;

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

function refuse(file: string, why: string): TsbuilderError {
  return new TsbuilderError(`"${file}" contains an invalid CRD: ${why}`, {
    code: "INVALID_SOURCE",
    hint: `check the source of the file; for all errors, run kubectl apply --dry-run=server -f ${file}`,
  });
}

const longestReason = 400;

/** Values in error messages are shortened. */
function shorten(text: string): string {
  return text.length > longestReason ? `${text.slice(0, longestReason)}…` : text;
}

function show(value: unknown): string {
  return value === undefined ? "missing" : shorten(JSON.stringify(value));
}

function isCrd({ kind }: Record<string, unknown>): boolean {
  return kind === "CustomResourceDefinition";
}
