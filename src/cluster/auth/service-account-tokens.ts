import * as crypto from "node:crypto";
import type { Clock } from "@tsbuilder/apimachinery/time";
import type { Store } from "../storage/store.ts";
import type { BoundObject, TokenIssuer, TokenSubject, User } from "../contract/user.ts";
import { credentialId, serviceAccountUser } from "../contract/user.ts";
import type { ApiObject } from "../contract/api-object.ts";

/** The claims of a token. Times are in seconds since 1970. */
type Claims = {
  aud: string[];
  exp: number;
  iat: number;
  iss: string;
  jti: string;
  nbf: number;
  sub: string;
  "kubernetes.io": {
    namespace: string;
    serviceaccount: { name: string; uid: string };
    pod?: BoundObject;
    secret?: BoundObject;
    node?: BoundObject;
  };
};

/** Issues and checks the JSON Web Tokens of service accounts. */
export class ServiceAccountTokens implements TokenIssuer {
  readonly issuer: string;
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #keys: Keys;

  constructor(store: Store, clock: Clock, issuer: string, pem?: string) {
    this.issuer = issuer;
    this.#store = store;
    this.#clock = clock;
    this.#keys = pem === undefined ? newKeys() : readKeys(pem);
  }

  issue(subject: TokenSubject): { token: string; expires: Date } {
    const { namespace, name, uid, audiences, expiresIn, boundTo, node } = subject;
    const now = Math.floor(this.#clock.now() / 1000);
    const claims: Claims = {
      aud: audiences.length > 0 ? [...audiences] : [this.issuer],
      exp: now + expiresIn,
      iat: now,
      iss: this.issuer,
      jti: crypto.randomUUID(),
      nbf: now,
      sub: `system:serviceaccount:${namespace}:${name}`,
      "kubernetes.io": {
        namespace,
        serviceaccount: { name, uid },
        ...(node && { node }),
        ...(boundTo && { [boundTo.kind.toLowerCase()]: { name: boundTo.name, uid: boundTo.uid } }),
      },
    };
    return { token: this.#sign(claims), expires: new Date(claims.exp * 1000) };
  }

  /** Issues a token that is valid while a Secret holds it. */
  issueForSecret(account: Pick<TokenSubject, "namespace" | "name" | "uid">, secret: string): string {
    const { namespace, name, uid } = account;
    return this.#sign({
      iss: secretTokenIssuer,
      sub: `system:serviceaccount:${namespace}:${name}`,
      [`${claimPrefix}namespace`]: namespace,
      [`${claimPrefix}secret.name`]: secret,
      [`${claimPrefix}service-account.name`]: name,
      [`${claimPrefix}service-account.uid`]: uid,
    });
  }

  /** The user of a token; undefined if the token is not the cluster's, has expired, or its service account is gone. */
  read(token: string, audience: string = this.issuer): { user: User; audiences: string[] } | undefined {
    const verified = this.#verify(token);
    if (verified?.["iss"] === secretTokenIssuer) {
      const user = audience === this.issuer && readSecretToken(this.#store, token, verified);
      return user ? { user, audiences: [audience] } : undefined;
    }
    const claims = verified as Claims | undefined;
    if (!claims || claims.iss !== this.issuer || !claims.aud.includes(audience)) return undefined;
    if (this.#clock.now() >= claims.exp * 1000) return undefined;
    const { namespace, serviceaccount, pod, secret, node } = claims["kubernetes.io"];
    const account = this.#store.collection("serviceaccounts").get(`${namespace}/${serviceaccount.name}`);
    if (account?.object.metadata.uid !== serviceaccount.uid) return undefined;
    for (const [kind, bound] of Object.entries({ Pod: pod, Secret: secret, Node: node })) {
      // The node of a pod is told, not required: the pod is.
      if (!bound || (kind === "Node" && pod)) continue;
      const { object } = findBound(this.#store, { kind, namespace, name: bound.name });
      if (object?.metadata.uid !== bound.uid) return undefined;
    }
    const user = serviceAccountUser(namespace, serviceaccount.name, serviceaccount.uid);
    const extra: Record<string, readonly string[]> = { ...credentialId(`JTI=${claims.jti}`) };
    for (const [kind, bound] of Object.entries({ pod, node }))
      for (const field of ["name", "uid"] as const)
        if (bound) extra[`authentication.kubernetes.io/${kind}-${field}`] = [bound[field]];
    return { user: { ...user, extra }, audiences: claims.aud };
  }

  /** The algorithm of the key: keys from options are often RSA; new ones are ECDSA, which is faster to generate. */
  get algorithm(): "ES256" | "RS256" {
    return this.#keys.privateKey.asymmetricKeyType === "rsa" ? "RS256" : "ES256";
  }

  /** The public key as a JSON Web Key Set, for clients that verify tokens themselves. */
  keys(): object {
    const key = this.#keys.publicKey.export({ format: "jwk" });
    return { keys: [{ use: "sig", kid: this.#keys.keyId, alg: this.algorithm, ...key }] };
  }

  #sign(claims: object): string {
    const head = { alg: this.algorithm, kid: this.#keys.keyId };
    const signed = `${encode(head)}.${encode(claims)}`;
    const key = { key: this.#keys.privateKey, dsaEncoding: "ieee-p1363" } as const;
    return `${signed}.${crypto.sign("sha256", Buffer.from(signed), key).toString("base64url")}`;
  }

  /** The claims of a token with the cluster's signature; undefined for any other text. */
  #verify(token: string): Record<string, unknown> | undefined {
    const [head = "", body = "", signature = ""] = token.split(".");
    const signed = Buffer.from(`${head}.${body}`);
    const key = { key: this.#keys.publicKey, dsaEncoding: "ieee-p1363" } as const;
    try {
      if (!crypto.verify("sha256", signed, key, Buffer.from(signature, "base64url"))) return undefined;
      return JSON.parse(Buffer.from(body, "base64url").toString("utf8")) as Record<string, unknown>;
    } catch {
      return undefined;
    }
  }
}

/** A key pair, and the id that the header of a token names it by. */
interface Keys {
  readonly privateKey: crypto.KeyObject;
  readonly publicKey: crypto.KeyObject;
  readonly keyId: string;
}

function newKeys(): Keys {
  return keysOf(crypto.generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey);
}

let lastRead: { readonly pem: string; readonly keys: Keys } | undefined;

/** Reads a private key, which takes milliseconds. Caches the last one: the clusters of a simulation share it. */
function readKeys(pem: string): Keys {
  if (lastRead?.pem !== pem) lastRead = { pem, keys: keysOf(crypto.createPrivateKey(pem)) };
  return lastRead.keys;
}

function keysOf(privateKey: crypto.KeyObject): Keys {
  const publicKey = crypto.createPublicKey(privateKey);
  const der = publicKey.export({ type: "spki", format: "der" });
  return { privateKey, publicKey, keyId: crypto.createHash("sha256").update(der).digest("base64url") };
}

/** The kinds of objects that tokens may be bound to. */
const bindable: Readonly<Record<string, { readonly plural: string; readonly namespaced: boolean }>> = {
  Pod: { plural: "pods", namespaced: true },
  Secret: { plural: "secrets", namespaced: true },
  Node: { plural: "nodes", namespaced: false },
};

/** Returns true if tokens may be bound to objects of a kind. */
export function isBindable(kind: string): boolean {
  return Object.hasOwn(bindable, kind);
}

/** Finds the object of a bindable kind that a token is bound to. A node's key has no namespace. */
export function findBound(
  store: Store,
  { kind, namespace, name }: { readonly kind: string; readonly namespace: string; readonly name: string },
): { readonly plural: string; readonly object: ApiObject | undefined } {
  const { plural, namespaced } = bindable[kind]!;
  const key = namespaced ? `${namespace}/${name}` : name;
  return { plural, object: store.collection(plural).get(key)?.object };
}

/** The issuer of tokens in Secrets, regardless of the cluster's own issuer. */
const secretTokenIssuer = "kubernetes/serviceaccount";
const claimPrefix = "kubernetes.io/serviceaccount/";

/** The user of a token in a Secret; undefined if the Secret holds another token, or the service account is gone. */
function readSecretToken(store: Store, token: string, claims: Record<string, unknown>): User | undefined {
  const readClaim = (claim: string) => String(claims[`${claimPrefix}${claim}`]);
  const namespace = readClaim("namespace");
  const name = readClaim("service-account.name");
  const uid = readClaim("service-account.uid");
  const secret = store.collection("secrets").get(`${namespace}/${readClaim("secret.name")}`)?.object;
  const storedToken = (secret?.["data"] as Record<string, string> | undefined)?.["token"] ?? "";
  if (!secret || secret.metadata.deletionTimestamp !== undefined) return undefined;
  if (Buffer.from(storedToken, "base64").toString("utf8") !== token) return undefined;
  const account = store.collection("serviceaccounts").get(`${namespace}/${name}`)?.object.metadata;
  if (account?.uid !== uid || account.deletionTimestamp !== undefined) return undefined;
  return serviceAccountUser(namespace, name, uid);
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
