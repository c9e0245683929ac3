// Loads OpenTelemetry's API, if this process uses it.

import type * as OpenTelemetry from "@opentelemetry/api";

export type Api = typeof OpenTelemetry;

/** Where OpenTelemetry's API stores what an SDK registered; without an SDK, spans would go nowhere. */
const registry = Symbol.for("opentelemetry.js.api.1");

let api: Api | undefined;

/** Returns true if an OpenTelemetry SDK was registered in this process for traces. */
export function hasSdk(): boolean {
  return (
    (globalThis as { readonly [registry]?: { readonly trace?: unknown } })[registry]?.trace !== undefined
  );
}

/** Traces from now on, if an SDK was registered; else nothing is loaded. */
export async function startTracing(): Promise<void> {
  if (hasSdk()) api = await import("@opentelemetry/api");
}

/** The API, if this process traces. */
export function tracingApi(): Api | undefined {
  return api;
}

/** The IDs of the running span if it is sampled: a trace that shows what a measured time consists of. */
export function sampledSpan(): { readonly trace_id: string; readonly span_id: string } | undefined {
  const context = api?.trace.getActiveSpan()?.spanContext();
  if (!context || (context.traceFlags & api!.TraceFlags.SAMPLED) === 0) return undefined;
  return { trace_id: context.traceId, span_id: context.spanId };
}
