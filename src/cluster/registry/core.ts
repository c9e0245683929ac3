import type { Admission } from "../admission/admission.ts";
import type { Authorizer } from "../auth/authorizer.ts";
import type { ServiceAccountTokens } from "../auth/service-account-tokens.ts";
import type { Clock } from "@tsbuilder/apimachinery/time";
import type { Store } from "../storage/store.ts";
import type { Registry } from "./registry.ts";

/** What every write needs, and what handlers and controllers share. */
export interface Core {
  readonly store: Store;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly admission: Admission;
  readonly authorizer: Authorizer;
  readonly tokens: ServiceAccountTokens;
  /** Whose bearer token it is, for one audience. */
  readToken(token: string, audience: string): { user: User; audiences: readonly string[] } | undefined;
}

/** Who makes a request. */
export interface User {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The cluster's own hands: controllers and bootstrapping, past authorization. */
export const systemUser: User = { name: "system:apiserver", groups: ["system:masters"] };
