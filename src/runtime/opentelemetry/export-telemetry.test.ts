import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { context, propagation, trace } from "@opentelemetry/api";
import { expect, onTestFinished, test, vi } from "vitest";
import { createLogger } from "../log/logger.ts";
import { Telemetry } from "./export-telemetry.ts";

/** Receives OTLP over HTTP, and returns what came, by path. */
async function receive() {
  const received = new Map<string, string>();
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      received.set(request.url!, JSON.stringify(body));
      response.end("{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Runs a manager's telemetry in an environment, in which a span ends and a line is logged. */
async function run(env: Record<string, string>): Promise<string[]> {
  const lines: string[] = [];
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  const log = createLogger({ encoder: "json", write: (line) => void lines.push(line) });
  const metrics = async () => "# HELP depth How deep.\n# TYPE depth gauge\ndepth 3\n";
  const telemetry = new Telemetry({ name: "shop", log, env, metrics });
  await telemetry.register();
  trace.getTracer("test").startSpan("work").end();
  log.warn("Slow", { MySQL: { name: "db" }, seconds: 3 });
  await telemetry.stop();
  vi.unstubAllEnvs();
  for (const part of [trace, context, propagation]) part.disable();
  return lines;
}

test("with an endpoint, traces, metrics and logs are sent, the last ones at the stop", async () => {
  const { received, url } = await receive();
  await run({ OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_RESOURCE_ATTRIBUTES: "k8s.pod.name=shop-1" });
  expect([...received.keys()].sort()).toEqual(["/v1/logs", "/v1/metrics", "/v1/traces"]);
  expect(received.get("/v1/traces")).toContain('"name":"work"');
  expect(received.get("/v1/metrics")).toMatch(/"name":"depth".*"asDouble":3/u);
  expect(received.get("/v1/logs")).toMatch(/"severityNumber":13.*"body":\{"stringValue":"Slow"\}/u);
  for (const body of received.values())
    for (const attribute of [
      '{"key":"service.name","value":{"stringValue":"shop"}}',
      '{"key":"k8s.pod.name","value":{"stringValue":"shop-1"}}',
    ])
      expect(body).toContain(attribute);
});

test("without an endpoint, and of a signal that is off, nothing is sent", async () => {
  const { received, url } = await receive();
  await run({});
  await run({ OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_SDK_DISABLED: "true" });
  expect(received.size).toBe(0);
  const off = { OTEL_METRICS_EXPORTER: "none", OTEL_LOGS_EXPORTER: "none" };
  await run({ OTEL_EXPORTER_OTLP_ENDPOINT: url, ...off });
  expect([...received.keys()]).toEqual(["/v1/traces"]);
});

test("packages that a project lacks are logged, with what adds them", async () => {
  vi.doMock("@opentelemetry/sdk-logs", () => {
    throw new Error("Cannot find package");
  });
  onTestFinished(() => {
    vi.doUnmock("@opentelemetry/sdk-logs");
  });
  vi.resetModules();
  const { Telemetry: Lacking } = await import("./export-telemetry.ts");
  const lines: string[] = [];
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1" };
  const log = createLogger({ encoder: "json", write: (line) => void lines.push(line) });
  await new Lacking({ name: "shop", log, env, metrics: async () => "" }).register();
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    { level: "warn", hint: "tsbuilder edit --enable opentelemetry adds the packages" },
  ]);
});
