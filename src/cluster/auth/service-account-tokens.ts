import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from "node:crypto";
import type { Clock } from "../clock/index.ts";
import type { User } from "../registry/core.ts";
import type { Store } from "../storage/store.ts";
import { serviceAccountUser } from "./user.ts";

/** What a token is issued for. */
export interface TokenSubject {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly audiences: readonly string[];
  readonly expiresIn: number;
  readonly boundTo?: { readonly kind: string; readonly name: string; readonly uid: string };
}

interface Claims {
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
    pod?: { name: string; uid: string };
  };
}

/** Issues and checks the JSON Web Tokens of service accounts. */
export class ServiceAccountTokens {
  readonly issuer: string;
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #privateKey: KeyObject;
  readonly #publicKey: KeyObject;
  readonly #keyId: string;

  constructor(store: Store, clock: Clock, issuer: string, privateKey?: string) {
    this.issuer = issuer;
    this.#store = store;
    this.#clock = clock;
    this.#privateKey = privateKey
      ? createPrivateKey(privateKey)
      : generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
    this.#publicKey = createPublicKey(this.#privateKey);
    const der = this.#publicKey.export({ type: "spki", format: "der" });
    this.#keyId = createHash("sha256").update(der).digest("base64url");
  }

  issue(subject: TokenSubject): { token: string; expires: Date } {
    const { namespace, name, uid, audiences, expiresIn, boundTo } = subject;
    const now = Math.floor(this.#clock.now().getTime() / 1000);
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
        ...(boundTo?.kind === "Pod" && { pod: { name: boundTo.name, uid: boundTo.uid } }),
      },
    };
    const head = { alg: this.algorithm, kid: this.#keyId };
    const signed = `${encode(head)}.${encode(claims)}`;
    const key = { key: this.#privateKey, dsaEncoding: "ieee-p1363" } as const;
    const signature = sign("sha256", Buffer.from(signed), key);
    return { token: `${signed}.${signature.toString("base64url")}`, expires: new Date(claims.exp * 1000) };
  }

  /** Who a token belongs to; undefined if it is not ours, out of date, or its account is gone. */
  read(token: string, audience: string = this.issuer): { user: User; audiences: string[] } | undefined {
    const claims = this.#verify(token);
    if (!claims || claims.iss !== this.issuer || !claims.aud.includes(audience)) return undefined;
    if (this.#clock.now().getTime() >= claims.exp * 1000) return undefined;
    const { namespace, serviceaccount, pod } = claims["kubernetes.io"];
    const account = this.#store.collection("serviceaccounts").get(`${namespace}/${serviceaccount.name}`);
    if (account?.object.metadata.uid !== serviceaccount.uid) return undefined;
    if (
      pod &&
      this.#store.collection("pods").get(`${namespace}/${pod.name}`)?.object.metadata.uid !== pod.uid
    ) {
      return undefined;
    }
    const user = serviceAccountUser(namespace, serviceaccount.name, serviceaccount.uid);
    const extra = {
      "authentication.kubernetes.io/credential-id": [`JTI=${claims.jti}`],
      ...(pod && {
        "authentication.kubernetes.io/pod-name": [pod.name],
        "authentication.kubernetes.io/pod-uid": [pod.uid],
      }),
    };
    return { user: { ...user, extra }, audiences: claims.aud };
  }

  /** Keys that are given are often RSA; our own are ECDSA, which costs nothing to make. */
  get algorithm(): "ES256" | "RS256" {
    return this.#privateKey.asymmetricKeyType === "rsa" ? "RS256" : "ES256";
  }

  /** The public key as a JSON Web Key set, for those who check tokens themselves. */
  keys(): object {
    const key = this.#publicKey.export({ format: "jwk" });
    return { keys: [{ use: "sig", kid: this.#keyId, alg: this.algorithm, ...key }] };
  }

  #verify(token: string): Claims | undefined {
    const [head = "", body = "", signature = ""] = token.split(".");
    const signed = Buffer.from(`${head}.${body}`);
    const key = { key: this.#publicKey, dsaEncoding: "ieee-p1363" } as const;
    try {
      if (!verify("sha256", signed, key, Buffer.from(signature, "base64url"))) return undefined;
      return JSON.parse(Buffer.from(body, "base64url").toString("utf8")) as Claims;
    } catch {
      return undefined;
    }
  }
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
