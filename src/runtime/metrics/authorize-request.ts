import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { defineKind, type KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { Client } from "../client/client.ts";
import type { Clock } from "@tsbuilder/apimachinery/time";

interface TokenReview extends KubernetesObject {
  spec: { token: string };
  status?: { authenticated?: boolean; user?: User };
}
interface SubjectAccessReview extends KubernetesObject {
  spec: { nonResourceAttributes: { path: string; verb: string } } & Omit<User, "username"> & {
      user?: string | undefined;
    };
  status?: { allowed?: boolean };
}
interface User {
  username?: string;
  uid?: string;
  groups?: string[];
  extra?: { [name: string]: string[] };
}

const TokenReview = defineKind<TokenReview>(
  { group: "authentication.k8s.io", version: "v1" },
  { kind: "TokenReview", plural: "tokenreviews", scope: "Cluster" },
);
const SubjectAccessReview = defineKind<SubjectAccessReview>(
  { group: "authorization.k8s.io", version: "v1" },
  { kind: "SubjectAccessReview", plural: "subjectaccessreviews", scope: "Cluster" },
);

/** How long results are cached, in milliseconds: a permission for longer than a denial. */
const lifetimes = { token: 60_000, allowed: 300_000, denied: 30_000 };
const maxEntries = 4096;

/** Authorizes readers: asks the API server whose token it is, and whether that user may get the URL. */
export class RequestAuthorizer {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #answers = new Map<string, { readonly value: unknown; readonly until: number }>();

  constructor(client: Client, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** The status of the rejection, or undefined to allow the request. */
  async refuse(request: IncomingMessage, path: string): Promise<401 | 403 | undefined> {
    const token = /^Bearer (?<token>.+)$/i.exec(request.headers.authorization ?? "")?.groups?.["token"];
    if (token === undefined) return 401;
    const user = await this.#userOf(token);
    if (!user) return 401;
    return (await this.#isAllowed(user, path, (request.method ?? "GET").toLowerCase())) ? undefined : 403;
  }

  #userOf(token: string): Promise<User | undefined> {
    const key = `token ${createHash("sha256").update(token).digest("base64")}`;
    return this.#remember(
      key,
      () => lifetimes.token,
      async () => {
        const { status } = await this.#client.create(TokenReview, { metadata: {}, spec: { token } });
        return status?.authenticated === true ? status.user : undefined;
      },
    );
  }

  #isAllowed({ username, ...user }: User, path: string, verb: string): Promise<boolean> {
    const key = JSON.stringify([username, user, path, verb]);
    const lifetime = (allowed: boolean) => (allowed ? lifetimes.allowed : lifetimes.denied);
    return this.#remember(key, lifetime, async () => {
      const spec = { ...user, user: username, nonResourceAttributes: { path, verb } };
      const { status } = await this.#client.create(SubjectAccessReview, { metadata: {}, spec });
      return status?.allowed === true;
    });
  }

  async #remember<T>(key: string, lifetime: (value: T) => number, ask: () => Promise<T>): Promise<T> {
    const now = this.#clock.monotonic();
    const known = this.#answers.get(key);
    if (known && known.until > now) return known.value as T;
    const value = await ask();
    this.#answers.delete(key);
    this.#answers.set(key, { value, until: now + lifetime(value) });
    if (this.#answers.size > maxEntries) this.#answers.delete(this.#answers.keys().next().value!);
    return value;
  }
}
