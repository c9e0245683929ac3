import type { IncomingMessage, ServerResponse } from "node:http";
import { type Clock, systemClock } from "@tsbuilder/apimachinery/time";
import { unlessAborted } from "../clock/waits.ts";
import type { Logger } from "../log/logger.ts";
import { type Listener, type Service, listenHttp, parseBindAddress } from "../serve/http-listener.ts";

/** Milliseconds after which the signal of a pending check is aborted, and the check counts as failed. */
const checkTimeout = 10_000;

/** A health check: returns if healthy, throws if not. */
export type HealthCheck = (signal: AbortSignal) => Promise<void> | void;

/** Selects the checks to run. */
interface CheckSelection {
  /** Run this check alone. */
  readonly only?: string;
  readonly exclude?: readonly string[];
  /** List all checks in the text, also if all succeed. */
  readonly verbose?: boolean;
}

/** The answer to a probe. */
export interface HealthReport {
  readonly isHealthy: boolean;
  /** The failures with their reasons, for the log: the answer to a probe withholds them. */
  readonly failures: readonly { readonly name: string; readonly error: unknown }[];
  /** In the format of Kubernetes' own health endpoints. */
  readonly text: string;
}

/** Named checks behind one endpoint such as `/readyz`. */
export class HealthChecks {
  readonly #checks = new Map<string, HealthCheck>([["ping", () => {}]]);
  readonly #clock: Clock;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  add(name: string, check: HealthCheck): void {
    this.#checks.set(name, check);
  }

  has(name: string): boolean {
    return this.#checks.has(name);
  }

  /** Runs the selected checks at the same time. Never rejects: a check that takes too long has failed. */
  async run({ only, exclude = [], verbose = false }: CheckSelection = {}): Promise<HealthReport> {
    const names = only === undefined ? [...this.#checks.keys()].sort() : [only];
    const timeout = new AbortController();
    const cancel = this.#clock.setTimer(
      () => timeout.abort(new DOMException("the check took too long", "TimeoutError")),
      checkTimeout,
    );
    const results = await Promise.all(
      names
        .filter((name) => !exclude.includes(name))
        .map(async (name) => {
          try {
            const check = this.#checks.get(name);
            // A check that ignores its signal must not leave the probe without an answer.
            await unlessAborted((async () => check?.(timeout.signal))(), timeout.signal);
            return { name, error: undefined };
          } catch (error) {
            return { name, error: error ?? new Error("failed") };
          }
        }),
    );
    cancel();
    const failures = results.filter(({ error }) => error !== undefined);
    const isHealthy = failures.length === 0;
    if (isHealthy && !verbose) return { isHealthy, failures, text: "ok" };
    const lines = [
      ...names.filter((name) => exclude.includes(name)).map((name) => `[+]${name} excluded: ok`),
      ...results.map(({ name, error }) =>
        error === undefined ? `[+]${name} ok` : `[-]${name} failed: reason withheld`,
      ),
      ...exclude
        .filter((name) => !this.#checks.has(name))
        .map((name) => `warn: some health checks cannot be excluded: no matches for "${name}"`),
      isHealthy ? "check passed" : "check failed",
    ];
    return { isHealthy, failures, text: `${lines.join("\n")}\n` };
  }
}

/** The checks to serve, and where. */
interface ProbeServerParts {
  readonly bindAddress: string;
  /** By path: `/readyz`. */
  readonly endpoints: { readonly [path: string]: HealthChecks };
  readonly log: Logger;
  readonly onFailure: (endpoint: string, check: string) => void;
}

/** Serves `/healthz` and `/readyz` to the kubelet. */
export class ProbeServer implements Service {
  readonly #parts: ProbeServerParts;
  #listener: Listener | undefined;

  constructor(parts: ProbeServerParts) {
    this.#parts = parts;
  }

  /** The address it listens on; undefined while it doesn't listen. */
  get address(): string | undefined {
    return this.#listener?.address;
  }

  async start(): Promise<void> {
    const address = parseBindAddress(this.#parts.bindAddress);
    if (!address) return;
    this.#listener = await listenHttp(address, (request, response) => this.#serve(request, response));
    this.#parts.log.info("Serving health probes", { address: this.#listener.address });
  }

  async stop(deadline: AbortSignal): Promise<void> {
    await this.#listener?.close(deadline);
    this.#listener = undefined;
  }

  /** Answers with all checks, or one by its sub-path; `?verbose`, and `?exclude=` for some. */
  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { endpoints, log, onFailure } = this.#parts;
    const url = new URL(request.url ?? "/", "http://probe");
    const [, endpoint = "", ...rest] = url.pathname.split("/");
    const only = rest.join("/");
    const checks = endpoints[`/${endpoint}`];
    if (!checks || (only !== "" && !checks.has(only))) return sendText(response, 404, "404 page not found\n");
    const report = await checks.run({
      verbose: url.searchParams.has("verbose"),
      exclude: url.searchParams.getAll("exclude"),
      ...(only === "" ? {} : { only }),
    });
    for (const { name, error } of report.failures) {
      log.info("Health check failed", { endpoint: `/${endpoint}`, check: name, error });
      onFailure(`/${endpoint}`, name);
    }
    sendText(response, report.isHealthy ? 200 : 500, report.text);
  }
}

function sendText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    "content-type": "text/plain; charset=utf-8",
    "x-content-type-options": "nosniff",
  });
  response.end(text);
}
