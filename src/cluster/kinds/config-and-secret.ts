import { type FieldError, forbidden, invalid, required } from "@tsbuilder/apimachinery/errors";
import { isEqual } from "@tsbuilder/apimachinery/json";
import { explainJSON } from "../codec/json-error.ts";
import { badRequest } from "../contract/status-error.ts";
import type { ApiObject } from "../contract/api-object.ts";
import type { Strategy } from "../registry/resource.ts";
import { checkConfigKey } from "./checks/names.ts";
import { refused } from "./checks/problems.ts";

type Data = Record<string, string>;

interface Config extends ApiObject {
  data?: Data;
  binaryData?: Data;
  stringData?: Data;
  immutable?: boolean;
  type?: string;
}

export const configMapStrategy: Partial<Strategy> = {
  default: (object) => checkBase64(object, (object as Config).binaryData),
  validate: (object) => validateConfigMap(object),
  validateUpdate: (object, old) => [
    ...keptContents(object, old, ["data", "binaryData"]),
    ...validateConfigMap(object),
  ],
};

/** Secrets take plain text in `stringData`, and keep it encoded in `data`. */
export const secretStrategy: Partial<Strategy> = {
  default(object) {
    const secret = object as Config;
    checkBase64(secret, secret.data);
    secret.type ||= "Opaque";
    if (!secret.stringData) return;
    const encoded = Object.entries(secret.stringData).map(([key, text]) => [
      key,
      Buffer.from(text).toString("base64"),
    ]);
    secret.data = { ...secret.data, ...(Object.fromEntries(encoded) as Data) };
    delete secret.stringData;
  },
  validate: (object) => validateSecret(object),
  validateUpdate(object, old) {
    const [now, before] = [object as Config, old as Config];
    const errors = keptContents(now, before, ["data"]);
    if (now.type !== before.type) errors.unshift(invalid("type", now.type, "field is immutable"));
    return [...errors, ...validateSecret(now)];
  },
  *warnings(object) {
    const { type, data = {} } = object as Config;
    const certificate = Buffer.from(data["tls.crt"] ?? "", "base64").toString("latin1");
    if (type === "kubernetes.io/tls" && "tls.crt" in data && !certificate.includes("-----BEGIN")) {
      yield "tls: failed to find any PEM data in certificate input";
    }
  },
};

function keptContents(
  now: Config,
  before: Config,
  fields: ReadonlyArray<"data" | "binaryData">,
): FieldError[] {
  if (!before.immutable) return [];
  const detail = "field is immutable when `immutable` is set";
  const errors: FieldError[] = [];
  if (!now.immutable) errors.push(forbidden("immutable", detail));
  for (const field of fields) {
    if (!isEqual(now[field] ?? {}, before[field] ?? {})) errors.push(forbidden(field, detail));
  }
  return errors;
}

function validateKeys(data: Data | undefined, field: string): FieldError[] {
  return Object.keys(data ?? {}).flatMap((key) => [...refused(`${field}[${key}]`, key, checkConfigKey(key))]);
}

function validateConfigMap({ data, binaryData }: Config): FieldError[] {
  const twice = Object.keys(data ?? {})
    .filter((key) => binaryData && key in binaryData)
    .map((key) => invalid(`data[${key}]`, key, "duplicate of key present in binaryData"));
  return [...validateKeys(data, "data"), ...twice, ...validateKeys(binaryData, "binaryData")];
}

/** What the well-known types must hold. */
const requiredKeys: Readonly<Record<string, readonly string[]>> = {
  "kubernetes.io/tls": ["tls.crt", "tls.key"],
  "kubernetes.io/ssh-auth": ["ssh-privatekey"],
  "kubernetes.io/dockercfg": [".dockercfg"],
  "kubernetes.io/dockerconfigjson": [".dockerconfigjson"],
};

function validateSecret({ metadata, data = {}, type = "" }: Config): FieldError[] {
  const errors = validateKeys(data, "data");
  for (const key of requiredKeys[type] ?? []) if (!(key in data)) errors.push(required(`data[${key}]`));
  if (type === "kubernetes.io/basic-auth" && !("username" in data) && !("password" in data)) {
    errors.push(required("data[username]"), required("data[password]"));
  }
  const annotation = "kubernetes.io/service-account.name";
  if (type === "kubernetes.io/service-account-token" && !metadata.annotations?.[annotation]) {
    errors.push(required(`metadata.annotations[${annotation}]`));
  }
  for (const key of [".dockerconfigjson", ".dockercfg"]) {
    if (!requiredKeys[type]?.includes(key) || !(key in data)) continue;
    const problem = jsonProblem(Buffer.from(data[key]!, "base64").toString("utf8"));
    if (problem) errors.push(invalid(`data[${key}]`, "<secret contents redacted>", problem));
  }
  return errors;
}

function jsonProblem(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    return explainJSON(text);
  }
}

/** Go decodes base64 while it reads the body: what is no base64 is a bad request. */
function checkBase64({ kind, apiVersion }: ApiObject, data: Data | undefined): void {
  for (const value of Object.values(data ?? {})) {
    const bad = value.search(/[^A-Za-z0-9+/=\r\n]/);
    const length = value.replace(/[\r\n]/g, "").length;
    if (bad === -1 && length % 4 === 0) continue;
    const at = bad === -1 ? length - (length % 4) : bad;
    throw badRequest(
      `${kind} in version ${JSON.stringify(apiVersion)} cannot be handled as a ${kind}: illegal base64 data at input byte ${at}`,
    );
  }
}
