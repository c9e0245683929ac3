import type { Clock } from "@tsbuilder/apimachinery/time";
import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { CertificateSpan, CredentialsObserver, ProgramEnding } from "../http/config.ts";
import type { LookupReport, RequestReport } from "../http/transport.ts";

const latencyBuckets = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];
const sizeBuckets = [64, 256, 512, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216];
/** Ten minutes to four years, for rotations that are too frequent, in time, or too late. */
const ageBuckets = [
  600, 1800, 3600, 14_400, 86_400, 604_800, 2_592_000, 7_776_000, 15_552_000, 31_104_000, 124_416_000,
];

/** The metrics of a client, with client-go's names, labels and buckets. */
export class ClientMetrics implements CredentialsObserver {
  readonly #registry: Registry;
  readonly #clock: Clock;
  readonly #requests: Counter<"code" | "method" | "host">;
  readonly #retries: Counter<"code" | "verb" | "host">;
  readonly #programRuns: Counter<"code" | "call_status">;
  readonly #seconds: Histogram<"verb" | "host">;
  readonly #waited: Histogram<"verb" | "host">;
  readonly #requestBytes: Histogram<"verb" | "host">;
  readonly #responseBytes: Histogram<"verb" | "host">;
  readonly #lookups: Histogram<"host">;
  readonly #certificateAges: Histogram;
  #certificate: CertificateSpan | undefined;

  constructor(registry: Registry, clock: Clock) {
    this.#registry = registry;
    this.#clock = clock;
    this.#requests = this.#counter("requests_total", "Requests to the API server, each attempt counted.", [
      "code",
      "method",
      "host",
    ]);
    this.#retries = this.#counter("request_retries_total", "Attempts after the first one of a request.", [
      "code",
      "verb",
      "host",
    ]);
    this.#programRuns = this.#counter(
      "exec_plugin_call_total",
      "Runs of a credential program, by exit code.",
      ["code", "call_status"],
    );
    const byVerb = ["verb", "host"] as const;
    this.#seconds = this.#histogram(
      "request_duration_seconds",
      "How long the API server takes to answer.",
      byVerb,
      latencyBuckets,
    );
    this.#waited = this.#histogram(
      "rate_limiter_duration_seconds",
      "How long requests wait for a free connection; nothing else holds them back on this side.",
      byVerb,
      latencyBuckets,
    );
    this.#requestBytes = this.#histogram("request_size_bytes", "Bytes sent.", byVerb, sizeBuckets);
    this.#responseBytes = this.#histogram(
      "response_size_bytes",
      "Bytes of answers; of a watch they aren't known.",
      byVerb,
      sizeBuckets,
    );
    this.#lookups = this.#histogram(
      "dns_resolution_duration_seconds",
      "How long it takes to find the API server's address.",
      ["host"],
      latencyBuckets.slice(0, -1),
    );
    this.#certificateAges = this.#histogram(
      "exec_plugin_certificate_rotation_age",
      "Seconds that certificates of a credential program lived.",
      [],
      ageBuckets,
    );
    const ttl: Gauge = new Gauge({
      name: "rest_client_exec_plugin_ttl_seconds",
      help: "Seconds until the certificate of a credential program ends; +Inf without one.",
      registers: [registry],
      collect: () => ttl.set(this.#certificate ? (this.#certificate.to - clock.now()) / 1000 : Infinity),
    });
  }

  request({
    code,
    method,
    host,
    attempt,
    seconds,
    waited,
    requestBytes,
    responseBytes,
  }: RequestReport): void {
    const labels = { verb: method, host };
    this.#requests.inc({ code, method, host });
    if (attempt > 0) this.#retries.inc({ code, ...labels });
    this.#seconds.observe(labels, seconds);
    this.#waited.observe(labels, waited);
    this.#requestBytes.observe(labels, requestBytes);
    if (responseBytes !== undefined) this.#responseBytes.observe(labels, responseBytes);
  }

  lookup({ host, seconds }: LookupReport): void {
    this.#lookups.observe({ host }, seconds);
  }

  programRan(code: number, ending: ProgramEnding): void {
    this.#programRuns.inc({ code: String(code), call_status: ending });
  }

  certificateChanged(certificate: CertificateSpan | undefined): void {
    if (this.#certificate) this.#certificateAges.observe((this.#clock.now() - this.#certificate.from) / 1000);
    this.#certificate = certificate;
  }

  #counter<Label extends string>(name: string, help: string, labelNames: readonly Label[]): Counter<Label> {
    return new Counter({
      name: `rest_client_${name}`,
      help,
      labelNames: [...labelNames],
      registers: [this.#registry],
    });
  }

  #histogram<Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    buckets: readonly number[],
  ): Histogram<Label> {
    return new Histogram({
      name: `rest_client_${name}`,
      help,
      labelNames: [...labelNames],
      buckets: [...buckets],
      registers: [this.#registry],
    });
  }
}
