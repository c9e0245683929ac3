import { generateKeyPairSync } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type CertificateWithKey, createCA } from "@tsbuilder/apimachinery/certs";

/** The credentials that must survive a restart: otherwise existing kubeconfigs and tokens would become invalid. */
export interface StoredCredentials {
  readonly ca: CertificateWithKey;
  /** PEM of the key that signs service account tokens. */
  readonly serviceAccountKey: string;
}

/** Reads the credentials in a data folder; creates them the first time. */
export function storedCredentials(folder: string): StoredCredentials {
  const path = join(folder, "credentials.json");
  if (existsSync(path)) return JSON.parse(readFileSync(path, "utf8")) as StoredCredentials;
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const credentials = {
    ca: createCA({ commonName: "tsbuilder-cluster-ca" }),
    serviceAccountKey: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
  };
  writeFileSync(path, JSON.stringify(credentials), { mode: 0o600 });
  return credentials;
}
