import { createHmac, generateKeyPairSync, randomBytes } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type CertificateWithKey, createCA, issueCertificate } from "@tsbuilder/apimachinery/certs";
import { serverNames } from "../kinds/core/service/allocation.ts";
import type { User } from "../contract/user.ts";

interface CredentialsOptions {
  readonly ca?: CertificateWithKey | undefined;
  readonly serving?: CertificateWithKey | undefined;
  /** The address by which nodes reach the server, besides loopback. */
  readonly address?: string | undefined;
  /** The secret from which the tokens of users are derived. */
  readonly tokenKey?: string | undefined;
}

/** The certificates of a cluster and its static tokens. */
export class Credentials {
  readonly ca: CertificateWithKey;
  readonly serving: CertificateWithKey;
  readonly #tokenKey: string;
  readonly #tokens = new Map<string, User>();

  constructor(options: CredentialsOptions = {}) {
    this.#tokenKey = options.tokenKey ?? randomBytes(32).toString("base64");
    this.ca = options.ca ?? createCA({ commonName: "tsbuilder-cluster-ca" });
    this.serving =
      options.serving ??
      issueCertificate(this.ca, {
        commonName: "kube-apiserver",
        dnsNames: serverNames.dnsNames,
        ipAddresses: [...serverNames.ipAddresses, options.address ?? []].flat(),
        usages: ["server"],
      });
  }

  addToken(token: string, user: User): void {
    this.#tokens.set(token, user);
  }

  findToken(token: string): User | undefined {
    return this.#tokens.get(token);
  }

  /** A kubeconfig with a client certificate, and a token for clients that don't support certificates. */
  issue(server: string, name: string, groups: readonly string[]): Kubeconfig {
    const certificate = { commonName: name, organizations: [...groups], usages: ["client" as const] };
    const { cert: clientCertificate, key: clientKey } = issueCertificate(this.ca, certificate);
    const certificateAuthority = this.ca.cert;
    const token = this.#deriveToken(name, groups);
    this.addToken(token, { name, groups });
    return kubeconfigOf({ server, user: name, certificateAuthority, clientCertificate, clientKey, token });
  }

  /** Derives the token of a user, so that it is the same after a restart with the same key. */
  #deriveToken(name: string, groups: readonly string[]): string {
    const hmac = createHmac("sha256", this.#tokenKey).update(JSON.stringify([name, groups]));
    return hmac.digest("base64url");
  }
}

/** A kubeconfig with one cluster, one user and one context. */
export interface Kubeconfig {
  apiVersion: "v1";
  kind: "Config";
  clusters: [{ name: string; cluster: { server: string; "certificate-authority-data"?: string } }];
  users: [
    {
      name: string;
      user: { token?: string; "client-certificate-data"?: string; "client-key-data"?: string };
    },
  ];
  contexts: [{ name: string; context: { cluster: string; user: string; namespace: string } }];
  "current-context": string;
}

interface Access {
  readonly server: string;
  readonly user: string;
  readonly token?: string;
  /** PEM, as are the certificate and key of the user. */
  readonly certificateAuthority: string;
  readonly clientCertificate: string;
  readonly clientKey: string;
}

/** Writes a kubeconfig, whose namespace is `default`. */
export function kubeconfigOf(access: Access): Kubeconfig {
  const { server, user, token } = access;
  const name = "tsbuilder";
  const credentials = {
    ...(token && { token }),
    "client-certificate-data": base64(access.clientCertificate),
    "client-key-data": base64(access.clientKey),
  };
  const ca = base64(access.certificateAuthority);
  return {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name, cluster: { server, "certificate-authority-data": ca } }],
    users: [{ name: user, user: credentials }],
    contexts: [{ name, context: { cluster: name, user, namespace: "default" } }],
    "current-context": name,
  };
}

function base64(pem: string): string {
  return Buffer.from(pem).toString("base64");
}

/** The credentials that must survive a restart: without them, existing kubeconfigs and tokens would become invalid. */
interface StoredCredentials {
  readonly ca: CertificateWithKey;
  /** PEM of the key that signs service account tokens. */
  readonly serviceAccountKey: string;
  /** The secret from which the tokens of users are derived. */
  readonly tokenKey: string;
}

/** Reads the credentials in a data folder; creates and stores them if there are none. */
export function loadCredentials(folder: string): StoredCredentials {
  const path = join(folder, "credentials.json");
  if (existsSync(path)) return readCredentials(path);
  const credentials = newCredentials();
  // A crash leaves either the old or the new file complete.
  writeFileSync(`${path}.new`, JSON.stringify(credentials), { mode: 0o600 });
  renameSync(`${path}.new`, path);
  return credentials;
}

function readCredentials(path: string): StoredCredentials {
  try {
    const stored = JSON.parse(readFileSync(path, "utf8")) as StoredCredentials;
    const { ca, serviceAccountKey, tokenKey } = stored;
    if ([ca.key, serviceAccountKey, tokenKey].every((key) => typeof key === "string")) return stored;
  } catch (error) {
    throw new DamagedCredentialsError(path, error);
  }
  throw new DamagedCredentialsError(path, undefined);
}

/** Thrown if the file with the credentials of a data folder can't be read. */
class DamagedCredentialsError extends Error {
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

function newCredentials(): StoredCredentials {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return {
    ca: createCA({ commonName: "tsbuilder-cluster-ca" }),
    serviceAccountKey: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
    tokenKey: randomBytes(32).toString("base64"),
  };
}
