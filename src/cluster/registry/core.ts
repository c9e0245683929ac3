import type { TokenIssuer } from "../contract/tokens.ts";
import type { User } from "../contract/user.ts";
import type { Admission } from "./admission-request.ts";
import type { Authorizer } from "../contract/authorizer.ts";
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
  readonly tokens: TokenIssuer;
  /** Whose bearer token it is, for one audience. */
  readToken(token: string, audience: string): { user: User; audiences: readonly string[] } | undefined;
}
