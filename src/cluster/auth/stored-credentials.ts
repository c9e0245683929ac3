import { generateKeyPairSync, randomBytes } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type CertificateWithKey, createCA } from "@tsbuilder/apimachinery/certs";

/** The credentials that must survive a restart: otherwise existing kubeconfigs and tokens would become invalid. */
export interface StoredCredentials {
  readonly ca: CertificateWithKey;
  /** PEM of the key that signs service account tokens. */
  readonly serviceAccountKey: string;
  /** The secret from which the tokens of users are derived. */
  readonly tokenKey: string;
}

/** The file with the credentials of a data folder can't be read. */
export class DamagedCredentialsError extends Error {
  override readonly name = "DamagedCredentialsError";
  readonly code = "EDAMAGED";
  readonly path: string;
  readonly hint =
    "restore it from a backup, or delete it: the cluster makes new credentials, and old ones become invalid";

  constructor(path: string, cause: unknown) {
    super(`"${path}" is damaged: it does not hold the credentials of a cluster`, { cause });
    this.path = path;
  }
}

/** Reads the credentials in a data folder; creates those that are missing. */
export function storedCredentials(folder: string): StoredCredentials {
  const path = join(folder, "credentials.json");
  const stored = existsSync(path) ? readCredentials(path) : undefined;
  if (stored?.tokenKey !== undefined) return stored as StoredCredentials;
  const credentials = { ...newCredentials(), ...stored };
  // A crash leaves either the old or the new file complete.
  writeFileSync(`${path}.new`, JSON.stringify(credentials), { mode: 0o600 });
  renameSync(`${path}.new`, path);
  return credentials;
}

/** Earlier versions stored no `tokenKey`. */
function readCredentials(path: string): Omit<StoredCredentials, "tokenKey"> & { tokenKey?: string } {
  try {
    const stored = JSON.parse(readFileSync(path, "utf8")) as StoredCredentials;
    if (typeof stored.ca.key === "string" && typeof stored.serviceAccountKey === "string") return stored;
  } catch (error) {
    throw new DamagedCredentialsError(path, error);
  }
  throw new DamagedCredentialsError(path, undefined);
}

function newCredentials(): StoredCredentials {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return {
    ca: createCA({ commonName: "tsbuilder-cluster-ca" }),
    serviceAccountKey: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
    tokenKey: randomBytes(32).toString("base64"),
  };
}
