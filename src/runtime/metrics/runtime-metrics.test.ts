import { createCA, issueCertificate } from "@tsbuilder/apimachinery/certs";
import { systemClock } from "@tsbuilder/apimachinery/time";
import { expect, test } from "vitest";
import { startStubServer, answerJSON, answerStatus } from "../testing/stub-server.ts";
import { HttpTransport } from "../http/http-transport.ts";
import { TimeSlices } from "../clock/time-slices.ts";
import { ConditionExports } from "./condition-metrics.ts";
import type { MemoryLimits } from "./memory-limits.ts";
import { RuntimeMetrics } from "./runtime-metrics.ts";

function makeMetrics(memory: MemoryLimits = { container: undefined, heap: 200 }): RuntimeMetrics {
  const cache = { informers: [] } as unknown as ConstructorParameters<typeof RuntimeMetrics>[0]["cache"];
  const conditions = new ConditionExports(cache, new TimeSlices(), () => true);
  return new RuntimeMetrics({ cache, droppedEvents: () => 0, clock: systemClock, memory, conditions });
}

/** The boundaries of a histogram's buckets. */
function boundsOf(text: string, name: string): number[] {
  const lines = text.matchAll(new RegExp(`^${name}_bucket\\{le="([^"]+)"`, "gm"));
  return [...new Set([...lines].map(([, bound]) => Number(bound!.replace("+Inf", "Infinity"))))];
}

test("a client's requests are counted under client-go's names, labels and buckets", async () => {
  let refusals = 1;
  const server = await startStubServer((_, response) => {
    if (refusals-- > 0) answerStatus(response, 429, "TooManyRequests", { headers: { "retry-after": "0" } });
    else answerJSON(response, { text: "x".repeat(300) });
  });
  const metrics = makeMetrics();
  const byName = { ...server.config, server: server.config.server.replace("127.0.0.1", "localhost") };
  const transport = new HttpTransport(byName, {
    onRequest: (report) => metrics.client.request(report),
    onLookup: (report) => metrics.client.lookup(report),
  });
  await transport.send({ method: "POST", path: "/version", body: { a: 1 } });
  await transport.close();
  await server.close();
  const text = await metrics.text();
  const host = `host="${new URL(byName.server).host}"`;
  for (const line of [
    `rest_client_requests_total{code="429",method="POST",${host}} 1`,
    `rest_client_requests_total{code="200",method="POST",${host}} 1`,
    `rest_client_request_retries_total{code="200",verb="POST",${host}} 1`,
    `rest_client_request_duration_seconds_count{verb="POST",${host}} 2`,
    `rest_client_rate_limiter_duration_seconds_count{verb="POST",${host}} 2`,
    `rest_client_request_size_bytes_sum{verb="POST",${host}} 14`,
    `rest_client_response_size_bytes_bucket{le="256",verb="POST",${host}} 1`,
    `rest_client_response_size_bytes_bucket{le="512",verb="POST",${host}} 2`,
    `rest_client_dns_resolution_duration_seconds_count{host="localhost"} 1`,
    "rest_client_exec_plugin_ttl_seconds +Inf",
  ])
    expect(text).toContain(`${line}\n`);
  const latencies = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];
  expect(boundsOf(text, "rest_client_request_duration_seconds")).toEqual([...latencies, Infinity]);
  expect(boundsOf(text, "rest_client_rate_limiter_duration_seconds")).toEqual([...latencies, Infinity]);
  expect(boundsOf(text, "rest_client_dns_resolution_duration_seconds")).toEqual([
    ...latencies.slice(0, -1),
    Infinity,
  ]);
  const sizes = [64, 256, 512, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216];
  expect(boundsOf(text, "rest_client_request_size_bytes")).toEqual([...sizes, Infinity]);
  expect(boundsOf(text, "rest_client_response_size_bytes")).toEqual([...sizes, Infinity]);
});

test("credential programs are counted by exit code, and their certificates by age", async () => {
  const metrics = makeMetrics();
  const hour = 3_600_000;
  metrics.client.programRan(0, "no_error");
  metrics.client.programRan(7, "plugin_execution_error");
  metrics.client.certificateChanged({ from: Date.now() - 2 * hour, to: Date.now() });
  metrics.client.certificateChanged({ from: Date.now(), to: Date.now() + hour });
  const text = await metrics.text();
  expect(text).toContain('rest_client_exec_plugin_call_total{code="0",call_status="no_error"} 1\n');
  expect(text).toContain(
    'rest_client_exec_plugin_call_total{code="7",call_status="plugin_execution_error"} 1\n',
  );
  expect(text).toContain('rest_client_exec_plugin_certificate_rotation_age_bucket{le="3600"} 0\n');
  expect(text).toContain('rest_client_exec_plugin_certificate_rotation_age_bucket{le="14400"} 1\n');
  const [, ttl] = /^rest_client_exec_plugin_ttl_seconds (\S+)$/m.exec(text) ?? [];
  expect(Number(ttl)).toBeGreaterThan(3500);
  expect(Number(ttl)).toBeLessThanOrEqual(3600);
});

test("a webhook's metrics exist before its first call, with controller-runtime's buckets", async () => {
  const metrics = makeMetrics();
  metrics.webhooks.serves("/validate-x");
  const text = await metrics.text();
  for (const line of [
    'controller_runtime_webhook_requests_total{webhook="/validate-x",code="200"} 0',
    'controller_runtime_webhook_requests_total{webhook="/validate-x",code="500"} 0',
    'controller_runtime_webhook_requests_in_flight{webhook="/validate-x"} 0',
    'controller_runtime_webhook_latency_seconds_count{webhook="/validate-x"} 0',
  ])
    expect(text).toContain(`${line}\n`);
  const bounds = boundsOf(text, "controller_runtime_webhook_latency_seconds");
  expect(bounds).toHaveLength(13);
  expect([bounds[0], bounds[11]]).toEqual([1e-8, 1000]);
});

test("the limits of memory are there to compare with, and no limit is no series", async () => {
  const text = await makeMetrics({ container: 256, heap: 192 }).text();
  expect(text).toContain("tsbuilder_heap_limit_bytes 192\n");
  expect(text).toContain("tsbuilder_container_memory_limit_bytes 256\n");
  expect(await makeMetrics().text()).not.toContain("container_memory_limit");
});

test("the end of the webhooks' certificate is known once one is served", async () => {
  const metrics = makeMetrics();
  expect(await metrics.text()).not.toContain("certificate_expiry");
  const ca = createCA({ commonName: "test" });
  for (const notAfter of [new Date("2040-01-01T00:00:00Z"), new Date("2040-02-01T00:00:00Z")]) {
    metrics.webhooks.certified(issueCertificate(ca, { commonName: "hooks", usages: ["server"], notAfter }));
    expect(await metrics.text()).toContain(
      `tsbuilder_webhook_certificate_expiry_timestamp_seconds ${notAfter.getTime() / 1000}\n`,
    );
  }
});
