import { forbidden, invalid, required, tooLong } from "@tsbuilder/apimachinery/errors";
import { isEqual } from "@tsbuilder/apimachinery/json";
import { explainJSON } from "../../codec/go-json.ts";
import type { BuiltInKind } from "../built-in-kind.ts";
import { size, text } from "../cells.ts";
import type { ApiObject } from "../../contract/api-object.ts";
import { checkConfigKey } from "../checks/names.ts";
import { type Problems, checked, immutable } from "../checks/problems.ts";

/** The values of a ConfigMap or Secret may have at most 1 MiB together. */
export const mostDataBytes = 1_048_576;

export const configMap: BuiltInKind = {
  resource: "configmaps",
  metadataChecks: { update: ["update", "new"] },
  strategy: {
    validate: (object) => [...configMapProblems(object)],
    validateUpdate: (object, old) => [
      ...contentChanges(object, old, "data", "binaryData"),
      ...configMapProblems(object),
    ],
  },
  cells: { Data: (object) => size("data")(object) + size("binaryData")(object) },
};

type DataMap = Record<string, string>;

interface SentData extends ApiObject {
  data?: DataMap;
  binaryData?: DataMap;
  stringData?: DataMap;
  immutable?: boolean;
  type?: string;
}

function* configMapProblems({ data = {}, binaryData = {} }: SentData): Problems {
  yield* keyProblems("data", data);
  for (const key of Object.keys(data)) {
    if (!Object.hasOwn(binaryData, key)) continue;
    yield invalid(`data[${key}]`, key, "duplicate of key present in binaryData");
  }
  yield* keyProblems("binaryData", binaryData);
  // The error is about the whole object: the server writes an empty path so.
  if (countBytes(data, "utf8") + countBytes(binaryData, "base64") > mostDataBytes)
    yield tooLong("[]", mostDataBytes);
}

function* contentChanges(now: SentData, before: SentData, ...maps: Array<"data" | "binaryData">): Problems {
  if (!before.immutable) return;
  const detail = "field is immutable when `immutable` is set";
  if (!now.immutable) yield forbidden("immutable", detail);
  for (const field of maps) {
    if (!isEqual(now[field] ?? {}, before[field] ?? {})) yield forbidden(field, detail);
  }
}

/** The number of bytes of all values, decoded. */
function countBytes(data: DataMap, encoding: "utf8" | "base64"): number {
  return Object.values(data).reduce((sum, value) => sum + Buffer.byteLength(value, encoding), 0);
}

function* keyProblems(field: string, data: DataMap): Problems {
  for (const key of Object.keys(data)) yield* checked(`${field}[${key}]`, key, checkConfigKey);
}

export const secret: BuiltInKind = {
  resource: "secrets",
  metadataChecks: { update: ["update", "new"] },
  /** Secrets accept plain text in `stringData` and store it encoded in `data`. */
  strategy: {
    default(object) {
      const secret = object as SentData;
      if (!secret.stringData) return;
      const encoded = Object.entries(secret.stringData).map(([key, text]) => [
        key,
        Buffer.from(text).toString("base64"),
      ]);
      secret.data = { ...secret.data, ...(Object.fromEntries(encoded) as DataMap) };
      delete secret.stringData;
    },
    validate: (object) => [...secretProblems(object)],
    validateUpdate: (object, old) => [
      ...immutable("type", object["type"], old["type"]),
      ...contentChanges(object, old, "data"),
      ...secretProblems(object),
    ],
    *warnings(object) {
      const { type, data = {} } = object as SentData;
      const certificate = Buffer.from(data["tls.crt"] ?? "", "base64").toString("latin1");
      if (type === "kubernetes.io/tls" && "tls.crt" in data && !certificate.includes("-----BEGIN"))
        yield "tls: failed to find any PEM data in certificate input";
    },
  },
  cells: { Type: text("type"), Data: size("data") },
};

/** The keys that well-known types require. */
const requiredKeys: Readonly<Record<string, readonly string[]>> = {
  "kubernetes.io/tls": ["tls.crt", "tls.key"],
  "kubernetes.io/ssh-auth": ["ssh-privatekey"],
  "kubernetes.io/dockercfg": [".dockercfg"],
  "kubernetes.io/dockerconfigjson": [".dockerconfigjson"],
};

function* secretProblems({ metadata, data = {}, type = "" }: SentData): Problems {
  yield* keyProblems("data", data);
  if (countBytes(data, "base64") > mostDataBytes) yield tooLong("data", mostDataBytes);
  for (const key of requiredKeys[type] ?? []) if (!(key in data)) yield required(`data[${key}]`);
  if (type === "kubernetes.io/basic-auth" && !("username" in data) && !("password" in data)) {
    yield required("data[username]");
    yield required("data[password]");
  }
  const annotation = "kubernetes.io/service-account.name";
  if (type === "kubernetes.io/service-account-token" && !metadata.annotations?.[annotation])
    yield required(`metadata.annotations[${annotation}]`);
  for (const key of [".dockerconfigjson", ".dockercfg"]) {
    if (!requiredKeys[type]?.includes(key) || !(key in data)) continue;
    const problem = jsonProblem(Buffer.from(data[key]!, "base64").toString("utf8"));
    if (problem) yield invalid(`data[${key}]`, "<secret contents redacted>", problem);
  }
}

function jsonProblem(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    return explainJSON(text);
  }
}
