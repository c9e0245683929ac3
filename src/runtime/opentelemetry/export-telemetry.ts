// Sends traces, metrics and log lines to an OpenTelemetry collector, if the environment names one and the project has
// OpenTelemetry's SDK: both are the user's choice, and nothing of it is loaded otherwise. A project that registers an SDK of
// its own before the manager starts keeps that: the runtime only makes spans then.

import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { hostname } from "node:os";
import type { Resource } from "@opentelemetry/resources";
import { aborted } from "../clock/waits.ts";
import { logChannel, type Logger, logLevels } from "../log/logger.ts";
import { hasSdk } from "../tracing/opentelemetry-api.ts";
import { metricProducer } from "./otlp-metrics.ts";

/** What OpenTelemetry's specification calls the three kinds of telemetry. */
const signals = ["traces", "metrics", "logs"] as const;
type Signal = (typeof signals)[number];

/** The milliseconds of system time, which the SDK's timers use, within which the last telemetry is sent. */
const flushTimeout = 5000;

interface TelemetryParts {
  /** The name of the manager: the service's, unless the environment has another. */
  readonly name: string;
  readonly log: Logger;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Returns the metrics in Prometheus' text format. */
  readonly metrics: () => Promise<string>;
}

/** Something of the SDK that sends what it has left when it is shut down. */
interface Exporting {
  shutdown(): Promise<void>;
}

/** The telemetry that a manager sends: none, unless `OTEL_EXPORTER_OTLP_ENDPOINT` or one for a signal is set. */
export class Telemetry {
  readonly #parts: TelemetryParts;
  readonly #wanted: ReadonlySet<Signal>;
  readonly #exporting: Exporting[] = [];
  #receiveLine: ((line: unknown) => void) | undefined;

  constructor(parts: TelemetryParts) {
    this.#parts = parts;
    this.#wanted = wantedSignals(parts.env);
  }

  /** True if metrics are to be sent, and so counted. */
  get hasMetrics(): boolean {
    return this.#wanted.has("metrics");
  }

  /** Registers the SDK, before anything is traced. Packages that the project lacks are logged, and nothing else fails. */
  async register(): Promise<void> {
    if (this.#wanted.size === 0 || hasSdk()) return;
    const { log, name } = this.#parts;
    const sdk = await loadSdk();
    if (sdk instanceof Error) {
      const hint = "tsbuilder edit --enable opentelemetry adds the packages";
      log.warn("The environment names an OTLP endpoint, but OpenTelemetry's SDK can't be loaded", {
        error: sdk,
        hint,
      });
      return;
    }
    const { defaultResource, detectResources, envDetector, resourceFromAttributes } = sdk.resources;
    const resource = defaultResource()
      .merge(resourceFromAttributes({ "service.name": name, "service.instance.id": hostname() }))
      .merge(detectResources({ detectors: [envDetector] }));
    if (this.#wanted.has("traces")) this.#exportTraces(sdk, resource);
    if (this.#wanted.has("metrics")) this.#exportMetrics(sdk, resource);
    if (this.#wanted.has("logs")) this.#exportLogs(sdk, resource);
    log.info("Sending telemetry over OTLP", { signals: [...this.#wanted] });
  }

  /** Sends what is left, within a time. */
  async stop(): Promise<void> {
    if (this.#receiveLine) unsubscribe(logChannel, this.#receiveLine);
    const sent = Promise.all(this.#exporting.map((part) => part.shutdown())).catch((error: unknown) =>
      this.#parts.log.warn("The last telemetry can't be sent", { error }),
    );
    await Promise.race([sent, aborted(AbortSignal.timeout(flushTimeout))]);
  }

  #exportTraces({ traces, toTraces }: Sdk, resource: Resource): void {
    const spanProcessors = [new traces.BatchSpanProcessor(new toTraces.OTLPTraceExporter())];
    const provider = new traces.NodeTracerProvider({ resource, spanProcessors });
    provider.register();
    this.#exporting.push(provider);
  }

  #exportMetrics({ metrics, toMetrics }: Sdk, resource: Resource): void {
    const milliseconds = Number(this.#parts.env["OTEL_METRIC_EXPORT_INTERVAL"] || 60_000);
    const reader = new metrics.PeriodicExportingMetricReader({
      exporter: new toMetrics.OTLPMetricExporter(),
      metricProducers: [metricProducer(metrics, resource, this.#parts.metrics)],
      exportIntervalMillis: milliseconds,
      exportTimeoutMillis: Math.min(milliseconds, 30_000),
    });
    this.#exporting.push(new metrics.MeterProvider({ resource, readers: [reader] }));
  }

  #exportLogs({ logs, toLogs }: Sdk, resource: Resource): void {
    const processors = [new logs.BatchLogRecordProcessor({ exporter: new toLogs.OTLPLogExporter() })];
    const provider = new logs.LoggerProvider({ resource, processors });
    const logger = provider.getLogger("@tsbuilder/runtime");
    this.#receiveLine = (line) => logger.emit(toRecord(String(line)));
    subscribe(logChannel, this.#receiveLine);
    this.#exporting.push(provider);
  }
}

type Sdk = Exclude<Awaited<ReturnType<typeof loadSdk>>, Error>;

/** Loads the SDK's packages. A bundler leaves out what a project lacks if the imports are in a `try`. */
async function loadSdk() {
  try {
    return {
      resources: await import("@opentelemetry/resources"),
      traces: await import("@opentelemetry/sdk-trace-node"),
      toTraces: await import("@opentelemetry/exporter-trace-otlp-http"),
      metrics: await import("@opentelemetry/sdk-metrics"),
      toMetrics: await import("@opentelemetry/exporter-metrics-otlp-http"),
      logs: await import("@opentelemetry/sdk-logs"),
      toLogs: await import("@opentelemetry/exporter-logs-otlp-http"),
    };
  } catch (error) {
    return error as Error;
  }
}

/** Returns what is sent: OpenTelemetry's specification has these variables, and `none` for an exporter that is off. */
function wantedSignals(env: TelemetryParts["env"]): ReadonlySet<Signal> {
  if (env["OTEL_SDK_DISABLED"]?.toLowerCase() === "true") return new Set();
  const settings: Readonly<Record<Signal, readonly (string | undefined)[]>> = {
    traces: [env["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"], env["OTEL_TRACES_EXPORTER"]],
    metrics: [env["OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"], env["OTEL_METRICS_EXPORTER"]],
    logs: [env["OTEL_EXPORTER_OTLP_LOGS_ENDPOINT"], env["OTEL_LOGS_EXPORTER"]],
  };
  return new Set(
    signals.filter((signal) => {
      const [endpoint, exporter] = settings[signal];
      return Boolean(endpoint || env["OTEL_EXPORTER_OTLP_ENDPOINT"]) && exporter !== "none";
    }),
  );
}

/** Returns a line of the log as a record: its message as the body, its fields as attributes. */
function toRecord(line: string) {
  let fields: { readonly [name: string]: unknown };
  try {
    fields = JSON.parse(line) as typeof fields;
  } catch {
    // Lines for terminals are text.
    return { body: line.trimEnd() };
  }
  const { level, ts, msg, ...rest } = fields;
  const text = String(level);
  const attributes = Object.fromEntries(
    Object.entries(rest).map(([name, value]) => [
      name,
      typeof value === "object" ? JSON.stringify(value) : (value as string | number | boolean),
    ]),
  );
  return {
    timestamp: new Date(String(ts)),
    // DEBUG is 5, INFO 9, WARN 13 and ERROR 17.
    severityNumber:
      5 +
      4 *
        Math.max(
          0,
          logLevels.findIndex((known) => known === text),
        ),
    severityText: text.toUpperCase(),
    body: String(msg),
    attributes,
  };
}
