import type { HealthChecks } from "../health/health-checks.ts";
import { healthHandler } from "../health/health-handler.ts";
import type { Logger } from "../log/logger.ts";
import { parseBindAddress } from "../serve/bind-address.ts";
import { type Listener, listenHttp } from "../serve/http-listener.ts";
import type { Service } from "../serve/service.ts";

/** Serves `/healthz` and `/readyz` to the kubelet. */
export class ProbeServer implements Service {
  readonly #bindAddress: string;
  readonly #log: Logger;
  readonly #endpoints: { readonly [path: string]: HealthChecks };
  readonly #onFailure: (endpoint: string, check: string) => void;
  #listener: Listener | undefined;

  constructor(
    bindAddress: string,
    endpoints: { readonly [path: string]: HealthChecks },
    log: Logger,
    onFailure: (endpoint: string, check: string) => void,
  ) {
    this.#bindAddress = bindAddress;
    this.#endpoints = endpoints;
    this.#log = log;
    this.#onFailure = onFailure;
  }

  /** The address it listens on; undefined while it doesn't listen. */
  get address(): string | undefined {
    return this.#listener?.address;
  }

  async start(): Promise<void> {
    const address = parseBindAddress(this.#bindAddress);
    if (!address) return;
    this.#listener = await listenHttp(address, healthHandler(this.#endpoints, this.#log, this.#onFailure));
    this.#log.info("Serving health probes", { address: this.#listener.address });
  }

  async stop(deadline: AbortSignal): Promise<void> {
    await this.#listener?.close(deadline);
    this.#listener = undefined;
  }
}
