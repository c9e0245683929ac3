import { type FieldError, invalid, required, tooLong } from "@tsbuilder/apimachinery/errors";
import { explainJSON } from "../../codec/go-json.ts";
import type { Strategy } from "../../registry/resource.ts";
import type { BuiltInKind } from "../built-in-kind.ts";
import { size, text } from "../cells.ts";
import { bytesOf, type Config, type Data, keptContents, mostBytes, validateKeys } from "./config-map.ts";

/** Secrets accept plain text in `stringData` and store it encoded in `data`. */
const secretStrategy: Partial<Strategy> = {
  default(object) {
    const secret = object as Config;
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

/** The keys that well-known types require. */
const requiredKeys: Readonly<Record<string, readonly string[]>> = {
  "kubernetes.io/tls": ["tls.crt", "tls.key"],
  "kubernetes.io/ssh-auth": ["ssh-privatekey"],
  "kubernetes.io/dockercfg": [".dockercfg"],
  "kubernetes.io/dockerconfigjson": [".dockerconfigjson"],
};

function validateSecret({ metadata, data = {}, type = "" }: Config): FieldError[] {
  const errors = validateKeys(data, "data");
  if (bytesOf(data, "base64") > mostBytes) errors.push(tooLong("data", mostBytes));
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

export const secret: BuiltInKind = {
  resource: "secrets",
  metadataChecks: { update: ["update", "new"] },
  strategy: secretStrategy,
  cells: { Type: text("type"), Data: size("data") },
};
