// Observation from outside: here spans for OpenTelemetry; `channels.ts` has the messages of `node:diagnostics_channel`.

import { isThenable } from "../callbacks/callbacks.ts";
import type { LogFields } from "../scope/scope.ts";
import type { Span, SpanStatusCode, Tracer } from "@opentelemetry/api";

/** Where OpenTelemetry's API stores what an SDK registered; without an SDK, spans would go nowhere. */
const registry = Symbol.for("opentelemetry.js.api.1");

/** What a span is for, and how it ended. It gets the log fields of the trace, if there is one. */
type TracedWork = (
  trace: LogFields | undefined,
) => Promise<{ readonly result: string; readonly error?: Error }>;

/** Spans, if an OpenTelemetry SDK was registered before the start (`node --import ./tracing.js`); else nothing. */
export class Tracing {
  #tracer: Tracer | undefined;
  #errorStatus: SpanStatusCode | undefined;

  async start(): Promise<void> {
    if (!(registry in globalThis)) return;
    const { SpanStatusCode, trace } = await import("@opentelemetry/api");
    this.#tracer = trace.getTracer("@tsbuilder/runtime");
    this.#errorStatus = SpanStatusCode.ERROR;
  }

  /**
   * Runs `work` in a span with the string fields as attributes; its result determines how the span ends. `work` gets the log
   * fields of the trace, must not throw, and always runs: an error of the tracer is thrown afterwards.
   */
  run(name: string, fields: () => LogFields, work: TracedWork): Promise<unknown> {
    return this.#tracer ? this.#runInSpan(this.#tracer, name, fields, work) : work(undefined);
  }

  async #runInSpan(tracer: Tracer, name: string, fields: () => LogFields, work: TracedWork): Promise<void> {
    const attributes = Object.fromEntries(
      Object.entries(fields()).filter((field): field is [string, string] => typeof field[1] === "string"),
    );
    let working: ReturnType<TracedWork> | undefined;
    let spanned: Promise<void> | undefined;
    try {
      const returned: unknown = tracer.startActiveSpan(name, { attributes }, (span: Span) => {
        const { traceId } = span.spanContext();
        working = work({ traceID: traceId });
        spanned = this.#end(span, working);
        return spanned;
      });
      // A tracer may return the promise or one of its own; an unhandled rejection must not end the process.
      if (isThenable(returned)) returned.then(undefined, () => {});
    } finally {
      await (working ?? work(undefined));
    }
    if (!spanned) throw new Error("it never called the function that a span is for");
    await spanned;
  }

  async #end(span: Span, working: ReturnType<TracedWork>): Promise<void> {
    const { result, error } = await working;
    span.setAttribute("result", result);
    if (error) {
      span.recordException(error);
      span.setStatus({ code: this.#errorStatus!, message: error.message });
    }
    span.end();
  }
}
