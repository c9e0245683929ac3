// Spans for OpenTelemetry: of reconciles, of requests to API servers and of webhook calls. Begin here. `span-causes.ts`
// remembers which span led to which reconcile, and `opentelemetry-api.ts` loads OpenTelemetry if the process uses it;
// `channels.ts` has the messages of `node:diagnostics_channel`, which need no OpenTelemetry. Neither bodies nor queries of
// requests get into a span: both may have values of Secrets.

import type { Attributes, Context, Link, Span, SpanKind, TextMapGetter } from "@opentelemetry/api";
import { callSafely, synchronous, warnOf } from "../callbacks/callbacks.ts";
import { ApiError } from "../errors/api-error.ts";
import type { LogFields } from "../scope/scope.ts";
import { type Api, tracingApi } from "./opentelemetry-api.ts";
import { noteWrite, takeCauses } from "./span-causes.ts";

interface SpanSpec {
  readonly name: string;
  readonly kind: SpanKind;
  readonly attributes: Attributes;
  readonly links?: Link[];
  /** The context with the parent, if it has one. */
  readonly parent: Context;
  /** Receives errors of the SDK, which affect nothing else. */
  readonly report?: (error: Error) => void;
}

/** Tells a span something, if there is one. */
type TellSpan = (tell: (span: Span) => void) => void;

/** Runs work in a span. It always runs, once, whatever the SDK does. */
async function inSpan<T>(
  { trace, context }: Api,
  { name, kind, attributes, links = [], parent, report = warnOf("OpenTelemetry's tracer") }: SpanSpec,
  work: (tell: TellSpan) => Promise<T>,
): Promise<T> {
  let span: Span | undefined;
  let working: Promise<T> | undefined;
  const tell: TellSpan = (run) => {
    if (span) callSafely(() => run(span!), report);
  };
  callSafely(() => {
    const tracer = trace.getTracer("@tsbuilder/runtime");
    const begun = synchronous(tracer.startSpan(name, { kind, attributes, links }, parent));
    // Throws unless it is a span.
    begun.spanContext();
    span = begun;
    context.with(trace.setSpan(parent, span), () => void (working = work(tell)));
  }, report);
  try {
    return await (working ?? work(tell));
  } finally {
    tell((ended) => ended.end());
  }
}

/** A reconcile that begins. */
interface ReconcileSpan {
  readonly controller: string;
  /** The key of its request. */
  readonly request: string;
  readonly fields: () => LogFields;
  /** How many milliseconds it was due. */
  readonly waited: number;
  readonly report: (error: Error) => void;
}

/** A reconcile's work. It gets the log fields of its trace, if there is one, and must not throw. */
type ReconcileWork = (
  trace: LogFields | undefined,
) => Promise<{ readonly result: string; readonly error?: Error }>;

/**
 * Runs a reconcile in a span. It continues the trace of the request that a webhook admitted; spans of other causes, such as a
 * write of this operator, are linked: what an operator does because of its own writes may never end, and a trace should.
 */
export function traceReconcile(describe: () => ReconcileSpan, work: ReconcileWork): Promise<unknown> {
  const api = tracingApi();
  if (!api) return work(undefined);
  const { controller, request, fields, waited, report } = describe();
  const { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } = api;
  const causes = takeCauses(controller, request);
  const admission = causes.find(({ isAdmission }) => isAdmission)?.span;
  const strings = Object.entries(fields()).filter(([, value]) => typeof value === "string");
  const attributes: Attributes = {
    ...(Object.fromEntries(strings) as Attributes),
    controller,
    causes: causes.map(({ text }) => text),
    queueSeconds: waited / 1000,
  };
  return inSpan(
    api,
    {
      name: `reconcile ${controller}`,
      kind: SpanKind.INTERNAL,
      attributes: withNamespace(attributes, attributes["namespace"]),
      links: causes.flatMap(({ span, text }) =>
        span && span !== admission ? [{ context: span, attributes: { cause: text } }] : [],
      ),
      parent: admission ? trace.setSpanContext(ROOT_CONTEXT, admission) : ROOT_CONTEXT,
      report,
    },
    async (tell) => {
      let fields: LogFields | undefined;
      tell((span) => (fields = { traceID: span.spanContext().traceId }));
      const { result, error } = await work(fields);
      tell((span) => {
        span.setAttribute("result", result);
        if (!error) return;
        const { type, message } = describeFailure(error);
        span.setAttribute("error.type", type);
        span.recordException(error instanceof ApiError ? { name: type, message } : error);
        span.setStatus({ code: SpanStatusCode.ERROR, message });
      });
    },
  );
}

/** Says how work failed. The server's message about an object is left out: it may quote the values that it rejects. */
function describeFailure(error: Error): { readonly type: string; readonly message: string } {
  if (!(error instanceof ApiError)) return { type: error.name, message: error.message };
  return { type: error.reason, message: [error.request, error.reason].filter(Boolean).join(": ") };
}

function withNamespace(attributes: Attributes, namespace: unknown): Attributes {
  return typeof namespace === "string" ? { ...attributes, "k8s.namespace.name": namespace } : attributes;
}

/** A request to an API server. */
interface TracedRequest {
  readonly method?: string | undefined;
  readonly path: string;
  readonly headers?: { readonly [name: string]: string } | undefined;
}

/** An answer to it. */
interface TracedAnswer {
  readonly status: number;
  readonly text: string;
}

/** Returns an interceptor that makes a span of each request, and sends its context, so that the API server's spans join. */
export function traceRequests(config: () => Promise<{ readonly server: string }>) {
  return <Q extends TracedRequest, A extends TracedAnswer>(
    request: Q,
    next: (request: Q) => Promise<A>,
  ): Promise<A> => {
    const api = tracingApi();
    return api ? traceRequest(api, config, request, next) : next(request);
  };
}

async function traceRequest<Q extends TracedRequest, A extends TracedAnswer>(
  api: Api,
  config: () => Promise<{ readonly server: string }>,
  request: Q,
  next: (request: Q) => Promise<A>,
): Promise<A> {
  const { context, propagation, SpanKind, SpanStatusCode } = api;
  const { method = "GET", path } = request;
  const server = new URL((await config()).server);
  const { template, namespace } = describePath(path);
  const attributes = withNamespace(
    {
      "http.request.method": method,
      "url.template": template,
      "url.path": path,
      "server.address": server.hostname,
      "server.port": Number(server.port || (server.protocol === "https:" ? 443 : 80)),
    },
    namespace,
  );
  const spec = { name: `${method} ${template}`, kind: SpanKind.CLIENT, attributes, parent: context.active() };
  return inSpan(api, spec, async (tell) => {
    const headers: Record<string, string> = { ...request.headers };
    callSafely(() => propagation.inject(context.active(), headers), warnOf("OpenTelemetry's propagator"));
    try {
      const response = await next({ ...request, headers });
      tell((span) => {
        span.setAttribute("http.response.status_code", response.status);
        if (span.isRecording() && method !== "GET") noteWrite(span.spanContext(), response);
      });
      return response;
    } catch (error) {
      tell((span) => {
        const { type, message } = describeFailure(error as Error);
        const status = error instanceof ApiError ? error.status : 0;
        if (status > 0) span.setAttribute("http.response.status_code", status);
        span.setAttribute("error.type", status > 0 ? String(status) : type);
        span.setStatus({ code: SpanStatusCode.ERROR, message });
      });
      throw error;
    }
  });
}

/** Returns a path with words for the names in it, much as the API server's spans are named. */
function describePath(path: string): { readonly template: string; readonly namespace: string | undefined } {
  // `namespaces/a/status` and `namespaces/a/finalize` are subresources of a Namespace.
  const parts =
    /^(?<version>\/api\/v1|\/apis\/[^/]+\/[^/]+)(?:\/namespaces\/(?<namespace>[^/]+)(?=\/)(?!\/(?:status|finalize)$))?\/(?<plural>[^/]+)(?:\/(?<name>[^/]+)(?<subresource>\/.*)?)?$/u.exec(
      path,
    )?.groups;
  if (!parts) return { template: path, namespace: undefined };
  const { version, namespace, plural, name, subresource = "" } = parts;
  const place = namespace === undefined ? "" : "/namespaces/{namespace}";
  const object = name === undefined ? "" : `/{name}${subresource}`;
  return { template: `${version}${place}/${plural}${object}`, namespace };
}

/** A call of a webhook. */
interface WebhookSpan {
  readonly path: string;
  /** Has the trace of the API server's request, if it traces that. */
  readonly headers: { readonly [name: string]: string | string[] | undefined };
}

const headerGetter: TextMapGetter<WebhookSpan["headers"]> = {
  keys: (headers) => Object.keys(headers),
  get: (headers, name) => headers[name],
};

/** Runs a webhook in a span that continues the trace of the API server's request. */
export function traceWebhook<T extends { readonly status: number }>(
  { path, headers }: WebhookSpan,
  work: () => Promise<T>,
): Promise<T> {
  const api = tracingApi();
  if (!api) return work();
  const { propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode } = api;
  let parent = ROOT_CONTEXT;
  callSafely(
    () => void (parent = propagation.extract(ROOT_CONTEXT, headers, headerGetter)),
    warnOf("OpenTelemetry's propagator"),
  );
  const attributes = { "http.request.method": "POST", "http.route": path };
  return inSpan(api, { name: `POST ${path}`, kind: SpanKind.SERVER, attributes, parent }, async (tell) => {
    const answer = await work();
    tell((span) => {
      span.setAttribute("http.response.status_code", answer.status);
      if (answer.status < 500) return;
      span.setAttribute("error.type", String(answer.status));
      span.setStatus({ code: SpanStatusCode.ERROR });
    });
    return answer;
  });
}
