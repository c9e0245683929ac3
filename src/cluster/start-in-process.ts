import { backgroundClock, type Clock } from "@tsbuilder/apimachinery/time";
import { type WebhookCarrier, WebhookClient } from "./admission/webhooks/webhook-client.ts";
import { type AssembleOptions, assembleCluster } from "./assemble-cluster.ts";
import type { User } from "./contract/user.ts";
import { type PlainRequest, type PlainResponse, answerCall } from "./server/in-process.ts";
import type { Core } from "./registry/core.ts";
import type { Snapshot } from "./storage/store.ts";

/** Options of `startInProcess`. */
export interface InProcessOptions extends AssembleOptions {
  readonly clock?: Clock;
  /** Static bearer tokens with their users. No certificates exist here. */
  readonly tokens?: Readonly<Record<string, User>>;
  /** Delivers calls to webhooks. Default: no webhook can be reached. */
  readonly carryWebhook?: WebhookCarrier;
}

/** A cluster without a port: requests are passed by function calls. */
export interface InProcessCluster {
  readonly core: Core;
  /** Handles a request as if it came from a socket; resolves once status and headers of the response are known. */
  handle(request: PlainRequest): Promise<PlainResponse>;
  snapshot(): Snapshot;
  readonly stop: () => Promise<void>;
}

/** The port that the Service `kubernetes` names. Nothing listens. */
const announcedPort = 6443;

/** Starts a cluster that opens no socket and needs no certificate, for tests and simulations that own every request. */
export async function startInProcess(options: InProcessOptions): Promise<InProcessCluster> {
  const { clock = backgroundClock, tokens = {}, onError, carryWebhook } = options;
  const { core, handler, run, stop } = await assembleCluster(options, {
    clock,
    webhooks: new WebhookClient(() => undefined, { carry: carryWebhook }),
    findToken: (token) => (Object.hasOwn(tokens, token) ? tokens[token] : undefined),
    // No client verifies a server without TLS.
    caCertificate: "",
  });
  await run({ port: announcedPort });
  return {
    core,
    handle: (request) => answerCall(handler, onError, request),
    snapshot: () => core.store.snapshot(),
    stop,
  };
}
