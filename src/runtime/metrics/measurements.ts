// Metrics for Prometheus. Measurements collects them for a manager and loads `runtime-metrics.ts`, where all of them
// are defined, only if there is a server; `metrics-server.ts` serves them to authorized readers.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { CallbackName } from "../callbacks/callbacks.ts";
import type { Credentials } from "../http/config.ts";
import type { MeasurableController } from "../controller/controller-spec.ts";
import type { WebhookServer } from "../webhook/webhook-server.ts";
import type { MeasuredParts, RuntimeMetrics } from "./runtime-metrics.ts";

/** The parts of a manager that are measured or report to the metrics. */
interface ObservedParts extends MeasuredParts {
  readonly webhooks: WebhookServer;
  readonly lease: string | undefined;
  readonly credentials: Credentials | undefined;
}

/** The metrics of a manager, loaded on demand: they take memory and time to load, and many managers have none. */
export class Measurements {
  readonly controllers: MeasurableController[] = [];
  /** Undefined until `start`. */
  metrics: RuntimeMetrics | undefined;
  /** The failures before `start`. */
  readonly #earlyFailures: CallbackName[] = [];

  /** Loads the metrics, and counts from now on. */
  async start(parts: ObservedParts): Promise<void> {
    const { RuntimeMetrics } = await import("./runtime-metrics.ts");
    const metrics = new RuntimeMetrics(parts);
    this.metrics = metrics;
    for (const callback of this.#earlyFailures.splice(0)) metrics.callbackFailed(callback);
    parts.webhooks.observer = metrics.webhooks;
    parts.credentials?.observe?.(metrics.client);
    if (parts.lease !== undefined) metrics.leading(parts.lease, false);
    for (const controller of this.controllers) controller.observe(metrics.controllers.observe(controller));
  }

  /** Counts the reconciles of a controller, once the metrics are started. */
  add(controller: MeasurableController): void {
    this.controllers.push(controller);
    if (this.metrics) controller.observe(this.metrics.controllers.observe(controller));
  }

  /** Forgets a controller: its cluster was removed. */
  remove(controller: MeasurableController): void {
    const at = this.controllers.indexOf(controller);
    if (at === -1) return;
    this.controllers.splice(at, 1);
    // Reconciles that still run must not create its series again.
    controller.observe({ reconciled() {}, failed() {}, added() {}, retried() {}, taken() {}, finished() {} });
    this.metrics?.controllers.forget(controller);
  }

  callbackFailed(callback: CallbackName): void {
    if (this.metrics) this.metrics.callbackFailed(callback);
    else this.#earlyFailures.push(callback);
  }

  async send({ headers }: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!this.metrics) throw new Error("metrics are served before they are counted");
    const { text, contentType } = await this.metrics.scrape(headers.accept);
    response.writeHead(200, { "content-type": contentType }).end(text);
  }
}
