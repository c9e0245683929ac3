import type { TokenIssuer } from "../contract/tokens.ts";
import type { User } from "../contract/user.ts";
import type { Admission } from "./admission-request.ts";
import type { Authorizer } from "../contract/authorizer.ts";
import type { Clock } from "@tsbuilder/apimachinery/time";
import type { Store } from "../storage/store.ts";
import type { TimeSlices } from "../http/time-slices.ts";
import type { WatchTurn } from "../http/watch-turn.ts";
import type { Registry } from "./registry.ts";

/** The parts of the server that handlers, writes and controllers share. */
export interface Core {
  readonly store: Store;
  readonly registry: Registry;
  readonly clock: Clock;
  /** For what happens to connections, and not to objects. */
  readonly connectionClock: Clock;
  readonly slices: TimeSlices;
  readonly watchTurn: WatchTurn;
  /** Gets failures of the server that no answer can tell. */
  readonly onError: (error: unknown) => void;
  readonly admission: Admission;
  readonly authorizer: Authorizer;
  readonly tokens: TokenIssuer;
  /** Returns the user of a bearer token for an audience. */
  readToken(token: string, audience: string): { user: User; audiences: readonly string[] } | undefined;
}
