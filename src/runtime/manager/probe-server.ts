import type { IncomingMessage, ServerResponse } from "node:http";
import type { HealthChecks } from "../health/health-checks.ts";
import type { Logger } from "../log/logger.ts";
import { type Listener, type Service, listenHttp, parseBindAddress } from "../serve/http-listener.ts";

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

/** Serves `/healthz` and `/readyz`: all checks, one by its sub-path, `?verbose`, and `?exclude=` for some. */
function healthHandler(
  endpoints: { readonly [path: string]: HealthChecks },
  log: Logger,
  onFailure: (endpoint: string, check: string) => void = () => {},
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  return async (request, response) => {
    const url = new URL(request.url ?? "/", "http://probe");
    const [, endpoint = "", ...rest] = url.pathname.split("/");
    const only = rest.join("/");
    const checks = endpoints[`/${endpoint}`];
    if (!checks || (only !== "" && !checks.has(only))) return answer(response, 404, "404 page not found\n");
    const report = await checks.run({
      verbose: url.searchParams.has("verbose"),
      exclude: url.searchParams.getAll("exclude"),
      ...(only === "" ? {} : { only }),
    });
    for (const { name, error } of report.failures) {
      log.info("Health check failed", { endpoint: `/${endpoint}`, check: name, error });
      onFailure(`/${endpoint}`, name);
    }
    answer(response, report.isHealthy ? 200 : 500, report.text);
  };
}

function answer(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    "content-type": "text/plain; charset=utf-8",
    "x-content-type-options": "nosniff",
  });
  response.end(text);
}
